import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Bucket } from '../config/parsers.js';
import { type Export, EXPORT_ID, type ExportedFile, FORMATS } from './export.repository.js';
import { ExportFolder, ExportStore, MANIFEST } from './export-store.js';

/** Of one question to the store, its retries included; a body gets more time by its size. */
const LIMIT_MS = 60_000;
/** A store that moves a body more slowly counts as lost. */
const MIN_BYTES_PER_SECOND = 16 * 1024;
const MAX_ATTEMPTS = 4;

const ignore = () => undefined;

/** A bucket of an S3-compatible store. Exports are made in a folder of this machine and then uploaded. */
export class ExportBucket extends ExportStore {
  private readonly local: ExportFolder;
  private readonly client: S3Client;

  /** @param folder where exports are made */
  constructor(
    private readonly bucket: Bucket,
    folder: string,
    private readonly limitMs = LIMIT_MS,
  ) {
    super();
    this.local = new ExportFolder(folder);
    const { endpoint, region, accessKeyId, secretAccessKey } = bucket;
    this.client = new S3Client({
      endpoint,
      region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: true,
      maxAttempts: MAX_ATTEMPTS,
      // What fails is thrown, and logged by who catches it.
      logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      // Stores other than Amazon's do not all know the newer checksums; the SHA-256 goes with each file.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  prepare(): Promise<void> {
    return this.local.prepare();
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
    for (const key of await this.listKeys(`${id}/`))
      await this.within((abortSignal) =>
        this.client.send(new DeleteObjectCommand({ Bucket: this.bucket.name, Key: key }), { abortSignal }),
      );
  }

  async sweep(known: readonly string[]): Promise<void> {
    // Rows may still name finished ones.
    await this.local.sweep(null);
    const keys = await this.listKeys('');
    const ids = keys.map((key) => key.slice(this.bucket.prefix.length).split('/')[0] ?? '');
    for (const id of new Set(ids)) if (EXPORT_ID.test(id) && !known.includes(id)) await this.remove(id);
  }

  async holds({ id }: Export, files: readonly ExportedFile[]): Promise<boolean> {
    for (const { name, bytes, sha256 } of files)
      try {
        const found = await this.within((abortSignal) =>
          this.client.send(new HeadObjectCommand(this.objectOf(id, name)), { abortSignal }),
        );
        if (found.ContentLength !== bytes || found.Metadata?.sha256 !== sha256) return false;
      } catch (error) {
        if (error instanceof Error && error.name === 'NotFound') return false;
        throw error;
      }
    return true;
  }

  async read(id: string, { name, bytes }: ExportedFile): Promise<Readable> {
    const { Body: body } = await this.within((abortSignal) =>
      this.client.send(new GetObjectCommand(this.objectOf(id, name)), { abortSignal }),
    );
    if (!(body instanceof Readable)) throw new Error(`the store gave no stream for ${name}`);
    const limitMs = this.limitOf(bytes);
    const timer = setTimeout(() => body.destroy(lateAfter(limitMs)), limitMs);
    body.once('close', () => clearTimeout(timer));
    return body;
  }

  /** An address that downloads a file without a key until it expires. @param method of the request to come */
  linkTo(id: string, file: string, method: string, seconds: number): Promise<string> {
    const object = this.objectOf(id, file);
    const command = method === 'HEAD' ? new HeadObjectCommand(object) : new GetObjectCommand(object);
    return getSignedUrl(this.client, command, { expiresIn: seconds });
  }

  private async put(id: string, name: string, file?: ExportedFile): Promise<void> {
    const path = join(this.placeOf(id), name);
    const { size } = await stat(path);
    const body = createReadStream(path);
    const command = new PutObjectCommand({
      Bucket: this.bucket.name,
      Key: this.keyOf(id, name),
      Body: body,
      ContentLength: size,
      ContentType: file ? FORMATS[file.format] : 'application/json',
      ...(file && {
        ContentDisposition: `attachment; filename="${file.name}"`,
        Metadata: { sha256: file.sha256 },
      }),
    });
    await this.within((abortSignal) => this.client.send(command, { abortSignal }), size).finally(() =>
      body.destroy(),
    );
  }

  private async listKeys(below: string): Promise<string[]> {
    const keys: string[] = [];
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.bucket.name,
        Prefix: this.bucket.prefix + below,
        ContinuationToken: token,
      });
      const page = await this.within((abortSignal) => this.client.send(command, { abortSignal }));
      keys.push(...(page.Contents ?? []).flatMap(({ Key: key }) => key ?? []));
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return keys;
  }

  /** Ends a question by a timer of its own, even while the store sends, and closes its connection. */
  private async within<Answer>(ask: (signal: AbortSignal) => Promise<Answer>, bytes = 0): Promise<Answer> {
    const limitMs = this.limitOf(bytes);
    const cut = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<never>((_, fail) => {
      timer = setTimeout(() => {
        cut.abort();
        fail(lateAfter(limitMs));
      }, limitMs);
    });
    return Promise.race([ask(cut.signal), isLate]).finally(() => clearTimeout(timer));
  }

  private limitOf(bytes: number): number {
    return this.limitMs + (bytes / MIN_BYTES_PER_SECOND) * 1000;
  }

  private objectOf(id: string, file: string): { Bucket: string; Key: string } {
    return { Bucket: this.bucket.name, Key: this.keyOf(id, file) };
  }

  private keyOf(id: string, file: string): string {
    return `${this.bucket.prefix}${id}/${file}`;
  }
}

function lateAfter(ms: number): Error {
  return new Error(`the object store did not finish within ${Math.round(ms)} ms`);
}
