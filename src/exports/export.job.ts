import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Exporter } from './exporter.js';
import type { Kind, Work, WorkResult } from '../work/kind.js';

const EVERY_MS = 60_000;
/** Five million names take ten minutes when everything else goes first. */
const DEADLINE_MS = 3 * 3_600_000;

/**
 * Makes the snapshot and the diff of the day, and the changes of the hour, when they are due. One key for all: they
 * share a folder that each run tidies, and the memory of one process.
 */
@Injectable()
export class ExportJob implements Kind {
  readonly name = 'export';
  readonly everyMs = EVERY_MS;
  readonly deadlineMs = DEADLINE_MS;
  private readonly logger = new Logger('Exports');

  constructor(
    private readonly config: Config,
    private readonly exporter: Exporter,
  ) {}

  async run(_work: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    if (!this.config.exports.enabled) return {};
    const warn = (message: string) => this.logger.warn(message);
    const made = await this.exporter.makeDue(now, { signal, warn });
    for (const { id, rows, lastEvent } of made ?? [])
      this.logger.log(`Made ${id}: ${rows} rows, up to event ${lastEvent}`);
    return made !== null && made.length > 0 ? { againInMs: 0 } : {};
  }
}
