import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { hasCode } from '../validation/unknown-values.js';
import { sha256OfFile } from './export-writer.js';
import { FILE_MODE, type Export, EXPORT_ID, type ExportedFile } from './export.repository.js';
import { freeBytesOf } from '../backup/store.js';
import { claimStore } from '../backup/store-claim.js';
import type { ExportDto } from './exports.dto.js';

/** The store of exports: a folder or a bucket. One process at a time writes and deletes; many read. */
export abstract class ExportStore {
  /** Makes sure that there is room to begin in, and that no other installation writes and deletes there. */
  abstract prepare(installation: string): Promise<void>;

  /** The local folder in which an export is made, before it is one. */
  abstract placeOf(id: string): string;

  /** Brings a finished export near its place, where no reader knows of it: what takes long. */
  abstract upload(made: Export): Promise<void>;

  /** Puts it in its place, with its manifest, in a moment. */
  abstract publish(made: Export): Promise<void>;

  abstract remove(id: string): Promise<void>;

  /** Deletes the remains of killed processes. @param known ids of finished exports */
  abstract sweep(known: readonly string[]): Promise<void>;

  /** Whether the files are there as they were made. */
  abstract holds(one: Export, files: readonly ExportedFile[]): Promise<boolean>;

  abstract read(id: string, file: ExportedFile): Promise<Readable>;

  /** Bytes that may still be written where exports are made. */
  abstract freeBytes(): Promise<number>;
}

const UNFINISHED = '.making-';

/** The folder in which exports lie, each in a folder of its own. It belongs to one installation. */
export class ExportFolder extends ExportStore {
  constructor(readonly path: string) {
    super();
  }

  placeOf(id: string): string {
    return join(this.path, UNFINISHED + id);
  }

  pathOf(id: string, file: string): string {
    return join(this.path, id, file);
  }

  async prepare(installation: string): Promise<void> {
    const pathOf = (name: string) => join(this.path, name);
    const list = async (below: string) => (await filesIn(pathOf(below))).map((name) => below + name);
    const put = async (name: string, bytes: Buffer) => {
      await mkdir(dirname(pathOf(name)), { recursive: true });
      await writeFile(pathOf(name), bytes);
    };
    await claimStore(
      { list, put, remove: (name) => rm(pathOf(name), { force: true }) },
      installation,
      'EXPORT_DIR',
    );
  }

  async upload(): Promise<void> {
    // A folder is moved in one step.
  }

  async publish({ id }: Export): Promise<void> {
    await syncFolder(this.placeOf(id));
    await rename(this.placeOf(id), join(this.path, id));
    await syncFolder(this.path);
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.path, id), { recursive: true, force: true });
    await rm(this.placeOf(id), { recursive: true, force: true });
  }

  /** @param known null: finished ones stay */
  async sweep(known: readonly string[] | null): Promise<void> {
    for (const name of await readdir(this.path)) {
      const id = name.startsWith(UNFINISHED) ? name.slice(UNFINISHED.length) : name;
      const isFinished = id === name && (known?.includes(id) ?? true);
      if (EXPORT_ID.test(id) && !isFinished) await rm(join(this.path, name), { recursive: true });
    }
  }

  async holds({ id }: Export, files: readonly ExportedFile[]): Promise<boolean> {
    for (const { name, bytes, sha256 } of files)
      try {
        const path = this.pathOf(id, name);
        if ((await stat(path)).size !== bytes || (await sha256OfFile(path)) !== sha256) return false;
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return false;
        throw error;
      }
    return true;
  }

  async read(id: string, { name }: ExportedFile): Promise<Readable> {
    return createReadStream(this.pathOf(id, name));
  }

  freeBytes(): Promise<number> {
    return freeBytesOf(this.path);
  }
}

/** None where there is no such folder. */
async function filesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
}

// A power cut must not leave a folder without its files. Windows opens no folders, and keeps their entries by itself.
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

export const MANIFEST = 'manifest.json';

/** On disk when it is there. */
export async function writeManifest(folder: string, manifest: ExportDto): Promise<void> {
  const handle = await open(join(folder, MANIFEST), 'wx', FILE_MODE);
  try {
    await handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
