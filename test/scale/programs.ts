import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin'];

/** Finds programs that are not of npm, and has Debian install those that are missing. @returns null when one cannot be had */
export function findPrograms<Name extends string>(
  packages: Readonly<Record<Name, string>>,
): Record<Name, string> | null {
  const names = Object.keys(packages) as Name[];
  const missing = names.filter((name) => !find(name));
  if (missing.length > 0) {
    spawnSync('apt-get', ['update', '-q'], { stdio: 'ignore' });
    spawnSync(
      'apt-get',
      ['install', '-qy', '--no-install-recommends', ...missing.map((name) => packages[name])],
      {
        stdio: 'ignore',
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      },
    );
  }
  const found = names.map((name) => [name, find(name)] as const);
  if (found.some(([, path]) => !path)) return null;
  return Object.fromEntries(found) as Record<Name, string>;
}

function find(name: string): string | undefined {
  return FOLDERS.map((folder) => `${folder}/${name}`).find((path) => existsSync(path));
}
