import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { messageOf } from '../../validation/unknown-values.js';
import { COMPARE_WORDS, OrderingStops } from './ordering-stops.repository.js';

/**
 * Finds copied disks. A copy of the database's disk starts like the database after a crash. How far PostgreSQL had
 * flushed its log is therefore kept in DATA_DIR: the log of the same place never goes back, unless the disk is an older
 * copy. A promoted replica is another place.
 */
@Injectable()
export class SeenPlace {
  private readonly logger = new Logger('Orders');
  private readonly path: string;
  private first: Promise<void> | undefined;

  constructor(
    { database: { dataDir } }: Config,
    private readonly clock: Clock,
    private readonly stops: OrderingStops,
  ) {
    this.path = join(dataDir, 'ordering-place');
  }

  /** Once in a process, before its first order is sent. */
  compareOnce(): Promise<void> {
    return (this.first ??= this.compare().catch((error: unknown) => {
      this.first = undefined;
      throw error;
    }));
  }

  /** Stops ordering in an older copy; else keeps the present position. */
  async compare(): Promise<void> {
    // Read first: another process may write a later one.
    const [place, flushed = ''] = (await readFile(this.path, 'utf8').catch(() => '')).split(' ');
    const known = await this.stops.readPlace().catch((error: unknown) => this.warn(error));
    if (!known) return;
    if (place !== known.place || !/^\d+$/.test(flushed) || BigInt(flushed) <= BigInt(known.flushed))
      return this.keep(`${known.place} ${known.flushed}`);
    if (await this.stops.stop('restored', COMPARE_WORDS, await this.clock.now()))
      this.logger.error('Ordering is stopped: this database is older than it was when it was seen last.');
  }

  private async keep(text: string): Promise<void> {
    try {
      await mkdir(join(this.path, '..'), { recursive: true, mode: 0o700 });
      const written = `${this.path}.${process.pid}`;
      await writeFile(written, text);
      await rename(written, this.path);
    } catch (error) {
      this.warn(error);
    }
  }

  private warn(error: unknown): void {
    this.logger.warn(`A copied disk will not be noticed: ${messageOf(error)}`);
  }
}
