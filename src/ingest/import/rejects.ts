import { type FileHandle, open, stat } from 'node:fs/promises';
import { csvLine } from '../../validation/formats.js';
import { messageOf } from '../../validation/unknown-values.js';
import { ImportError } from './reading/import-error.js';
import type { ImportSource } from './reading/import-source.js';

/** A row that was not imported. */
export interface Reject {
  readonly line: number;
  /** What stands in the row for the name, made printable. */
  readonly text: string;
  readonly reason: string;
}

/** The first line of the file. */
export const REJECTS_HEADER = 'line,domain,reason\n';

/** How many rejects the report shows when they are not written to a file. */
export const SHOWN_REJECTS = 10;

/**
 * Collects rejects: the first ones for the report, all of them in a CSV file if one is wanted. Memory stays constant.
 */
export class Rejects {
  readonly first: Reject[] = [];
  private waiting = [REJECTS_HEADER];
  private handle: FileHandle | undefined;

  private constructor(private readonly path: string | undefined) {}

  /** @throws {ImportError} when the file is the one that is being read */
  static async to(path: string | undefined, source: ImportSource): Promise<Rejects> {
    if (path !== undefined && (await isSameFile(path, source)))
      throw new ImportError('The file for the rejects is the file to import.');
    return new Rejects(path);
  }

  add(reject: Reject): void {
    if (this.first.length < SHOWN_REJECTS) this.first.push(reject);
    if (this.path !== undefined) this.waiting.push(csvLine([reject.line, reject.text, reject.reason]));
  }

  /**
   * Writes the collected rejects to the file; call it every few thousand rows. The first call overwrites the file, so
   * first make sure that the source is a list of names.
   *
   * @throws {ImportError} when the file cannot be written, as on a full disk
   */
  async flush(): Promise<void> {
    const { path } = this;
    if (path === undefined || this.waiting.length === 0) return;
    const text = this.waiting.join('');
    this.waiting = [];
    try {
      this.handle ??= await open(path, 'w');
      await this.handle.appendFile(text);
    } catch (error) {
      throw unwritten(path, error);
    }
  }

  /** Some disks say only now that they are full. May be called twice. @throws {ImportError} as flush does */
  async close(): Promise<void> {
    await this.handle?.close().catch((error: unknown) => {
      throw unwritten(this.path, error);
    });
  }
}

function unwritten(path: string | undefined, error: unknown): ImportError {
  return new ImportError(`Cannot write the rejects to ${path}: ${messageOf(error)}`, { cause: error });
}

async function isSameFile(path: string, { file }: ImportSource): Promise<boolean> {
  const existing = await stat(path).catch(() => undefined);
  return existing !== undefined && existing.dev === file?.dev && existing.ino === file.ino;
}
