import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { NameSample, type SampledName } from './name-sample.js';

const SAMPLE_SIZE = 20_000;
const SAMPLE_MAX_AGE_MS = 60_000;

/** Keeps a sample of the dataset, and draws a new one when something was imported. */
@Injectable()
export class NameSampler implements OnApplicationShutdown {
  private readonly logger = new Logger(NameSampler.name);
  private sample: NameSample | null = null;
  private sampledImport: Date | null = null;
  private lookedAtMs = -Infinity;
  private looking: Promise<void> | null = null;

  constructor(private readonly database: Database) {}

  /**
   * The latest sample; null before the first. Nobody waits for a newer one, which is looked for behind the searches:
   * it decides how a question is asked, not what the answer is.
   */
  get current(): NameSample | null {
    if (!this.looking && performance.now() - this.lookedAtMs > SAMPLE_MAX_AGE_MS) this.lookBehind();
    return this.sample;
  }

  /** Looks whether something was imported, and if so draws a new sample. */
  async refresh(): Promise<void> {
    this.lookedAtMs = performance.now();
    const [dataset] = await this.database.query<{ refreshed: Date | null; available_records: string }>(
      'SELECT refreshed, available_records FROM dataset',
    );
    if (!dataset || (this.sample && dataset.refreshed?.getTime() === this.sampledImport?.getTime())) return;
    const total = Number(dataset.available_records);
    this.sample = await NameSample.of(await this.drawNames(total), total);
    this.sampledImport = dataset.refreshed;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.looking;
  }

  private lookBehind(): void {
    this.looking = this.refresh()
      .catch((error: unknown) => this.logger.warn(`The sample of names was not refreshed: ${String(error)}`))
      .finally(() => {
        this.looking = null;
      });
  }

  private async drawNames(total: number): Promise<SampledName[]> {
    // Whole pages are drawn, so the number varies; the limit only bounds it, as a cut would lose the end of the table.
    const percent = Math.min(100, (100 * SAMPLE_SIZE) / Math.max(1, total));
    return this.database.query<SampledName>(
      `SELECT name, tld, wayback, to_char(first_seen, 'YYYY-MM-DD') AS "firstSeen"
         FROM domain TABLESAMPLE SYSTEM ($1)
        WHERE available AND NOT hidden
        LIMIT $2`,
      [percent, 2 * SAMPLE_SIZE],
    );
  }
}
