import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '../../db/database.js';
import { withStatementTimeout } from '../../db/open-database.js';
import { unscoped } from '../../db/scope.js';
import type { KnownName } from '../schema/filters/filter.js';
import { readCellShares } from './cube/cube.repository.js';
import { NameSample } from './name-sample.js';
import { SampledNames } from './sampled-names.js';
import { sampleStatement } from './statements.repository.js';

/** A look reads one row. Between a large import and the next look, searches go by a sample that knows nothing of it. */
const LOOK_EVERY_MS = 1_000;
/** A draw reads the whole table, two seconds of ten million names, so that not each small import causes one. */
const SAMPLE_MAX_AGE_MS = 300_000;
/** Of a table on a slow disk. */
const MAX_DRAW_MS = 60_000;
/** Share of the names by which the dataset grows or shrinks for the sample to be outdated at once. */
const MUCH = 0.1;

/** Keeps a sample of the dataset, and draws a new one when something was imported. */
@Injectable()
export class NameSampler implements OnApplicationShutdown {
  private readonly logger = new Logger(NameSampler.name);
  private sample: NameSample | null = null;
  private sampledImport: Date | null = null;
  private sampledAtMs = -Infinity;
  private lookedAtMs = -Infinity;
  private looking: Promise<void> | null = null;

  constructor(private readonly database: Database) {}

  /**
   * The latest sample; null before the first, and while there is nothing to draw from. A newer one is drawn in the
   * background and no search waits for it: the sample decides how a question is asked, not what the answer is.
   */
  get current(): NameSample | null {
    if (performance.now() - this.lookedAtMs > LOOK_EVERY_MS)
      this.looking ??= unscoped(() => this.refresh())
        .catch((error: unknown) => this.logger.warn(`The sample was not refreshed: ${String(error)}`))
        .finally(() => {
          this.looking = null;
        });
    return this.sample;
  }

  /** Looks whether enough was imported since the last draw, and if so draws a new sample. */
  async refresh(): Promise<void> {
    this.lookedAtMs = performance.now();
    const [dataset] = await this.database.query<{ refreshed: Date | null; available_records: string }>(
      'SELECT refreshed, available_records FROM dataset',
    );
    const total = Number(dataset?.available_records ?? 0);
    const refreshed = dataset?.refreshed ?? null;
    if (!this.isOutdated(refreshed, total)) return;
    const { text, values } = sampleStatement(total);
    const names = await withStatementTimeout(this.database, MAX_DRAW_MS, (database) =>
      database.query<KnownName & Record<string, unknown>>(text, values),
    );
    // A sample of nothing would say that a scan of all names costs nothing, also once there are millions.
    this.sample =
      names.length === 0
        ? null
        : new NameSample(await SampledNames.of(names), total, await readCellShares(this.database));
    this.sampledImport = refreshed;
    this.sampledAtMs = this.lookedAtMs;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.looking;
  }

  private isOutdated(refreshed: Date | null, total: number): boolean {
    if (!this.sample) return total > 0;
    if (refreshed?.getTime() === this.sampledImport?.getTime()) return false;
    const isMuch = Math.abs(total - this.sample.total) > MUCH * this.sample.total;
    return isMuch || this.lookedAtMs - this.sampledAtMs > SAMPLE_MAX_AGE_MS;
  }
}
