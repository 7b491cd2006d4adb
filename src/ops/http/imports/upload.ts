import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ApiError } from '../../../errors/api-error.js';

/** A file that came, in a folder of its own. */
export interface Upload {
  readonly folder: string;
  readonly path: string;
  readonly bytes: number;
  remove(): Promise<void>;
}

/**
 * Writes what comes to a temporary file, and no more of it than may.
 *
 * @throws {ApiError} body_too_large, bad_request
 */
export async function receiveUpload(body: Readable, maxBytes: number): Promise<Upload> {
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-import-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'list');
  let bytes = 0;
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      // The stream is left as it is, so that whoever sends too much is told, and not cut off.
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        const part = chunk as Buffer;
        bytes += part.length;
        if (bytes > maxBytes)
          throw new ApiError('body_too_large', `The file is larger than ${maxBytes} bytes, packed or not.`);
        await file.write(part);
      }
    } finally {
      await file.close();
    }
    if (bytes === 0) throw new ApiError('bad_request', 'The body is empty: it has to be the file.');
    return { folder, path, bytes, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
