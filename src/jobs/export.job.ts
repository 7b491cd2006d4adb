import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { unfenced } from '../db/database.js';
import { Exporter } from '../exports/making/exporter.js';
import type { Job, BatchResult } from './job.js';

const EVERY_MS = 60_000;
/** Five million names take ten minutes where everything else goes before. */
const MAX_BATCH_MS = 3 * 3_600_000;

/** Makes the snapshot and the diff of the day, and the changes of the hour, when they are due. */
@Injectable()
export class ExportJob implements Job {
  readonly name = 'export';
  readonly everyMs = EVERY_MS;
  readonly maxBatchMs = MAX_BATCH_MS;
  private readonly logger = new Logger('Exports');

  constructor(
    private readonly config: Config,
    private readonly exporter: Exporter,
  ) {}

  async run(now: Date, signal: AbortSignal): Promise<BatchResult> {
    if (!this.config.exports.enabled) return { more: false };
    const warn = (message: string) => this.logger.warn(message);
    // It has a lock of its own, and takes minutes.
    const made = await unfenced(() => this.exporter.makeDue(now, { signal, warn }));
    for (const { id, rows, lastEvent } of made ?? [])
      this.logger.log(`Made ${id}: ${rows} rows, up to event ${lastEvent}`);
    return { more: made !== null && made.length > 0 };
  }
}
