import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Bucket } from '../config/parsers.js';
import { hasCode } from '../validation/unknown-values.js';

/** Where backups lie: whole objects of some megabytes, by name. */
interface Objects {
  list(below: string): Promise<string[]>;
  /** Names that were never finished: being written, or left by a process that was killed. */
  listUnfinished(below: string): Promise<string[]>;
  put(name: string, bytes: Buffer): Promise<void>;
  read(name: string): Promise<Buffer>;
  remove(name: string): Promise<void>;
}

/** Most bytes of an object; one is in memory at a time. */
export const MAX_OBJECT_BYTES = 16 * 1024 * 1024;
/** Left free in the folder: it may be on a disk that others write to. */
const MIN_FREE_BYTES = 512 * 1024 * 1024;
const OWNER_ONLY = 0o600;
const PARTIAL = '.partial';

/** Bytes that may still be written to the disk of the folder. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

class ObjectFolder implements Objects {
  constructor(private readonly folder: string) {}

  async list(below: string): Promise<string[]> {
    return (await this.filesIn(below)).filter((name) => !name.endsWith(PARTIAL));
  }

  async listUnfinished(below: string): Promise<string[]> {
    const files = await this.filesIn(below);
    return files.flatMap((name) => (name.endsWith(PARTIAL) ? name.slice(0, -PARTIAL.length) : []));
  }

  private async filesIn(below: string): Promise<string[]> {
    // Names below a folder alone are asked for.
    const folder = join(this.folder, below);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
      (error: unknown) => {
        if (hasCode(error, 'ENOENT')) return [];
        throw error;
      },
    );
    return entries
      .filter((one) => one.isFile())
      .map(({ parentPath, name }) => relative(this.folder, join(parentPath, name)).replaceAll(sep, '/'))
      .sort();
  }

  async put(name: string, bytes: Buffer): Promise<void> {
    const path = join(this.folder, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const free = await freeBytesOf(this.folder);
    if (free < MIN_FREE_BYTES + bytes.length)
      throw new Error(
        `The disk of BACKUP_DIR is full (${this.folder}, ${Math.floor(free / 1e6)} MB free). Free ` +
          'space, or set BACKUP_KEEP to fewer backups.',
      );
    const partial = path + PARTIAL;
    try {
      const file = await open(partial, 'w', OWNER_ONLY);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  read(name: string): Promise<Buffer> {
    return readFile(join(this.folder, name));
  }

  async remove(name: string): Promise<void> {
    for (const path of [join(this.folder, name), join(this.folder, name + PARTIAL)])
      await rm(path, { force: true });
  }
}

/** The client of the store is loaded on demand: it takes 60 MB and half a second. */
class ObjectBucket implements Objects {
  private client: Promise<import('./bucket.js').BucketClient> | undefined;

  constructor(private readonly bucket: Bucket) {}

  async list(below: string): Promise<string[]> {
    return (await (await this.open()).list(below)).sort();
  }

  /** A bucket has whole objects alone. */
  async listUnfinished(): Promise<string[]> {
    return [];
  }

  async put(name: string, bytes: Buffer): Promise<void> {
    await (await this.open()).put(name, bytes, { bytes: bytes.length });
  }

  async read(name: string): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const body = await (await this.open()).read(name, MAX_OBJECT_BYTES);
    for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async remove(name: string): Promise<void> {
    await (await this.open()).remove(name);
  }

  private open(): Promise<import('./bucket.js').BucketClient> {
    this.client ??= import('./bucket.js').then(({ BucketClient }) => new BucketClient(this.bucket));
    return this.client;
  }
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Objects that only the key opens: nonce, tag, text. An object's name is sealed in, so that one put in the place of
 * another does not open.
 */
export class BackupStore {
  private constructor(
    private readonly objects: Objects,
    private readonly keys: readonly string[],
  ) {}

  /** @param keys 32 bytes in base64; the first seals, any may open */
  static at(place: { folder: string } | { bucket: Bucket }, keys: readonly string[]): BackupStore {
    return new BackupStore(
      'bucket' in place ? new ObjectBucket(place.bucket) : new ObjectFolder(place.folder),
      keys,
    );
  }

  /** @param below a folder, with its slash */
  list(below: string): Promise<string[]> {
    return this.objects.list(below);
  }

  listUnfinished(below: string): Promise<string[]> {
    return this.objects.listUnfinished(below);
  }

  async put(name: string, bytes: Buffer): Promise<void> {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, Buffer.from(this.keys[0] ?? '', 'base64'), nonce).setAAD(
      Buffer.from(name),
    );
    const text = [cipher.update(bytes), cipher.final()];
    await this.objects.put(name, Buffer.concat([nonce, cipher.getAuthTag(), ...text]));
  }

  /** @throws {Error} for the operator, when it is damaged or no key opens it */
  async read(name: string): Promise<Buffer> {
    const sealed = await this.objects.read(name);
    for (const key of this.keys)
      try {
        const nonce = sealed.subarray(0, NONCE_BYTES);
        const decipher = createDecipheriv(CIPHER, Buffer.from(key, 'base64'), nonce, {
          authTagLength: TAG_BYTES,
        })
          .setAAD(Buffer.from(name))
          .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      } catch {
        // The next key may be the one; a damaged object opens with none.
      }
    throw new Error(`${name} does not open: it is damaged, or BACKUP_KEY is another key.`);
  }

  remove(name: string): Promise<void> {
    return this.objects.remove(name);
  }
}
