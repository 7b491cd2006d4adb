import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../../validation/thrown.js';

/** Makes a folder that every user gets through, whatever the umask; what is there already stays as it is. */
export async function makeOpenFolder(folder: string): Promise<void> {
  const made = await makeFolder(folder);
  if (!made) return;
  for (let path = folder; path.startsWith(made); path = dirname(path)) await chmod(path, 0o755);
}

/**
 * Makes a folder and those above it. Not mkdir's own `recursive`: where a folder above is there and still nothing can be made in
 * it (ENOENT, as in /proc), that never ends and keeps a core busy.
 *
 * @returns the uppermost folder that was made; undefined when all were there
 */
export async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder);
    return folder;
  } catch (error) {
    if (hasCode(error, 'EEXIST') && (await stat(folder)).isDirectory()) return undefined;
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  const made = await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: unknown) => {
    // Another process was faster.
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  return made ?? folder;
}
