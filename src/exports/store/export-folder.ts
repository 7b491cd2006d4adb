import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { hasCode } from '../../validation/unknown-values.js';
import { sha256OfFile } from '../files/part.js';
import { type Export, EXPORT_ID, type ExportedFile } from '../export.js';
import { ExportStore } from './export-store.js';

/** What is under way has this before its id. */
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

  async prepare(): Promise<void> {
    await mkdir(this.path, { recursive: true });
  }

  /** In one step. */
  async publish({ id }: Export): Promise<void> {
    await syncFolder(this.placeOf(id));
    await rename(this.placeOf(id), join(this.path, id));
    await syncFolder(this.path);
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.path, id), { recursive: true, force: true });
    await rm(this.placeOf(id), { recursive: true, force: true });
  }

  async sweep(known: readonly string[]): Promise<void> {
    for (const name of await readdir(this.path)) {
      const id = name.startsWith(UNFINISHED) ? name.slice(UNFINISHED.length) : name;
      if (EXPORT_ID.test(id) && (id !== name || !known.includes(id)))
        await rm(join(this.path, name), { recursive: true });
    }
  }

  /** Leaves what is finished alone: its rows may still name it. */
  async sweepUnfinished(): Promise<void> {
    for (const name of await readdir(this.path))
      if (name.startsWith(UNFINISHED) && EXPORT_ID.test(name.slice(UNFINISHED.length)))
        await rm(join(this.path, name), { recursive: true });
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

  async read(id: string, file: string): Promise<Readable> {
    return createReadStream(this.pathOf(id, file));
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.path);
    return bavail * bsize;
  }
}

// A power cut must not leave a folder without its files. Windows opens no folders, and keeps their entries by itself.
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
