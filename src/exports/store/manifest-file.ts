import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Export } from '../export.js';
import { isObject } from '../../validation/unknown-values.js';

const NAME = 'manifest.json';

/** What a folder says of itself, for who has the files and no database. */
export interface FolderManifest {
  readonly id: string;
  readonly base: string | null;
  readonly ndjsonSha256: string;
}

/** On disk when it is there. */
export async function writeManifest(folder: string, made: Export): Promise<void> {
  const handle = await open(join(folder, NAME), 'wx');
  try {
    await handle.writeFile(`${JSON.stringify(made, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** @throws {Error} for the operator, when it is not the folder of a snapshot or a diff */
export async function readManifest(folder: string): Promise<FolderManifest> {
  const text = await readFile(join(folder, NAME), 'utf8').catch(() => null);
  const manifest: unknown = text === null ? null : JSON.parse(text);
  if (!isObject(manifest) || typeof manifest.id !== 'string' || typeof manifest.ndjsonSha256 !== 'string')
    throw new Error(`${folder} is not the folder of a snapshot or a diff: ${NAME} says so.`);
  const { id, base, ndjsonSha256 } = manifest;
  return { id, base: typeof base === 'string' ? base : null, ndjsonSha256 };
}
