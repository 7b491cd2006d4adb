import { type FileHandle, open, stat } from 'node:fs/promises';
import { ImportError } from './import-error.js';

/** A row that was not imported. */
export interface Reject {
  readonly line: number;
  /** What stands in the row for the name, made printable. */
  readonly text: string;
  readonly reason: string;
}

/** How many rejects the report shows when they are not written to a file. */
export const SHOWN_REJECTS = 10;

/** Collects rejects: the first ones for the report, all of them in a CSV file if one is wanted. Memory stays constant. */
export class Rejects {
  readonly first: Reject[] = [];
  private waiting: string[] = [];

  private constructor(private readonly file?: { readonly path: string; readonly handle: FileHandle }) {}

  /** @throws {ImportError} when the file cannot be written, or is the one that is being read */
  static async open(path: string | undefined, importedPath: string): Promise<Rejects> {
    if (path === undefined) return new Rejects();
    if (await isSameFile(path, importedPath))
      throw new ImportError('The file for the rejects is the file to import.');
    const handle = await open(path, 'w').catch((error: Error) => fail(path, error));
    const rejects = new Rejects({ path, handle });
    rejects.waiting.push('line,domain,reason\n');
    return rejects;
  }

  add(reject: Reject): void {
    if (this.first.length < SHOWN_REJECTS) this.first.push(reject);
    if (this.file) this.waiting.push(`${reject.line},${csvCell(reject.text)},${csvCell(reject.reason)}\n`);
  }

  /** Hands what was added to the file; to be called every few thousand rows. @throws {ImportError} as on a full disk */
  async flush(): Promise<void> {
    if (!this.file || this.waiting.length === 0) return;
    const { path, handle } = this.file;
    const text = this.waiting.join('');
    this.waiting = [];
    await handle.appendFile(text).catch((error: Error) => fail(path, error));
  }

  async close(): Promise<void> {
    await this.file?.handle.close();
  }
}

function fail(path: string, { message }: Error): never {
  throw new ImportError(`Cannot write the rejects to ${path}: ${message}`);
}

function csvCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

async function isSameFile(path: string, other: string): Promise<boolean> {
  const [one, two] = await Promise.all([path, other].map((name) => stat(name).catch(() => undefined)));
  return one !== undefined && two !== undefined && one.dev === two.dev && one.ino === two.ino;
}
