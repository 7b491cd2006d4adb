import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';

/** As small as level 6 within a twentieth, in half of its time. */
const LEVEL = 4;
/** Characters that are gathered before they are compressed. */
const MAX_GATHERED = 64 * 1024;

/** A new file of compressed text. What it has is on disk when it is closed. */
export class GzipFile {
  private gathered = '';

  private readonly gzip: Gzip;
  private readonly written: Promise<void>;

  constructor(path: string) {
    this.gzip = createGzip({ level: LEVEL });
    this.written = pipeline(this.gzip, createWriteStream(path, { flags: 'wx', flush: true }));
    // Heard by whoever waits next.
    this.written.catch(() => undefined);
  }

  /** @returns what is to be waited for before more is added, now and then */
  add(text: string): Promise<void> | undefined {
    this.gathered += text;
    return this.gathered.length < MAX_GATHERED ? undefined : this.flush();
  }

  async close(): Promise<void> {
    await this.flush();
    this.gzip.end();
    await this.written;
  }

  /** Lets go of it unfinished. */
  async abandon(): Promise<void> {
    this.gzip.destroy();
    await this.written.catch(() => undefined);
  }

  private async flush(): Promise<void> {
    const text = this.gathered;
    this.gathered = '';
    if (this.gzip.write(text)) return;
    // What fails to be written (a full disk) makes no room.
    await Promise.race([once(this.gzip, 'drain'), this.written]);
  }
}
