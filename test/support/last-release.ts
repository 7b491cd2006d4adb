import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileSources, makeFolder, ROOT } from './processes.js';

// The version before this one goes on serving while a new one migrates. Moved on with each release.
export const LAST_RELEASE = JSON.parse(readFileSync(join(ROOT, 'test/app/last-release.json'), 'utf8')) as {
  readonly commit: string;
  /** Its last. */
  readonly migration: string;
  readonly epoch: number;
};
const { commit } = LAST_RELEASE;

/** A copy without the history has no last release to build. */
export const isLastReleaseKnown =
  spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).status === 0;

/** The programs of the last release, with the packages of this one. @returns the folder they were compiled into */
export async function buildLastRelease(): Promise<string> {
  const [sources, folder] = [await makeFolder('last-sources'), await makeFolder('last-release')];
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', sources], { input: archive });
  return compileSources(folder, join(ROOT, 'node_modules'), sources);
}
