import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { BucketClient, type LinkTimes } from '../backup/bucket.js';
import { claimStore } from '../backup/store-claim.js';
import type { Bucket } from '../config/parsers.js';
import { type Export, EXPORT_ID, type ExportedFile, FORMATS } from './export.repository.js';
import { ExportFolder, ExportStore, MANIFEST } from './export-store.js';

/** A bucket of an S3-compatible store. Exports are made in a folder of this machine and then uploaded. */
export class ExportBucket extends ExportStore {
  private readonly local: ExportFolder;
  private readonly client: BucketClient;

  /** @param folder where exports are made */
  constructor(bucket: Bucket, folder: string, limitMs?: number) {
    super();
    this.local = new ExportFolder(folder);
    this.client = new BucketClient(bucket, limitMs);
  }

  async prepare(installation: string): Promise<void> {
    const put = (name: string, body: Buffer) => this.client.put(name, body, { bytes: body.length });
    const list = (below: string) => this.client.list(below);
    const remove = (name: string) => this.client.remove(name);
    await claimStore({ list, put, remove }, installation, 'EXPORT_S3_URL');
    await this.local.prepare(installation);
  }

  placeOf(id: string): string {
    return this.local.placeOf(id);
  }

  freeBytes(): Promise<number> {
    return this.local.freeBytes();
  }

  /** One by one: readers do not know of them. */
  async upload({ id, files }: Export): Promise<void> {
    for (const file of files) await this.put(id, file.name, file);
  }

  async publish({ id }: Export): Promise<void> {
    await this.put(id, MANIFEST);
    await this.local.remove(id);
  }

  async remove(id: string): Promise<void> {
    for (const name of await this.client.list(`${id}/`)) await this.client.remove(name);
  }

  async sweep(known: readonly string[]): Promise<void> {
    // Rows may still name finished ones.
    await this.local.sweep(null);
    const ids = (await this.client.list('')).map((name) => name.split('/')[0] ?? '');
    for (const id of new Set(ids)) if (EXPORT_ID.test(id) && !known.includes(id)) await this.remove(id);
  }

  async holds({ id }: Export, files: readonly ExportedFile[]): Promise<boolean> {
    for (const { name, bytes, sha256 } of files) {
      const found = await this.client.find(`${id}/${name}`);
      if (found?.bytes !== bytes || found.sha256 !== sha256) return false;
    }
    return true;
  }

  read(id: string, { name, bytes }: ExportedFile): Promise<Readable> {
    return this.client.read(`${id}/${name}`, bytes);
  }

  /** An address that downloads a file without a key until it expires. @param method of the request to come */
  linkTo(id: string, file: string, method: string, times: LinkTimes): Promise<string> {
    return this.client.linkTo(`${id}/${file}`, method, times);
  }

  private async put(id: string, name: string, file?: ExportedFile): Promise<void> {
    const path = join(this.placeOf(id), name);
    const { size } = await stat(path);
    const body = createReadStream(path);
    await this.client
      .put(`${id}/${name}`, body, {
        bytes: size,
        ContentType: file ? FORMATS[file.format] : 'application/json',
        ...(file && {
          ContentDisposition: `attachment; filename="${file.name}"`,
          Metadata: { sha256: file.sha256 },
        }),
      })
      .finally(() => body.destroy());
  }
}
