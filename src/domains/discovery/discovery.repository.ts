import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../../config/config.js';
import { Database } from '../../database/database.js';
import { CappedPool } from '../../database/time-cap.js';
import { type DomainRow, toDomain } from '../domain-row.js';
import type { Domain } from '../domain.js';
import { type DiscoveryQuery, planDiscovery } from './discovery-plan.js';
import { statementOf } from './discovery-statements.js';
import { NameSample, type SampledName } from './name-sample.js';

export interface Discovered {
  readonly domains: Domain[];
  /** True when the time cap struck; `domains` are then the head of the true answer, as far as it was found. */
  readonly timedOut: boolean;
}

const SAMPLE_SIZE = 20_000;
const SAMPLE_MAX_AGE_MS = 60_000;

/** Ranked search over the names that are available and not withheld. How and why: README.md in this folder. */
@Injectable()
export class DiscoveryRepository implements OnApplicationShutdown {
  private readonly logger = new Logger(DiscoveryRepository.name);
  private readonly sessions: CappedPool;
  private sample: NameSample | null = null;
  private sampledAtMs = -Infinity;
  private sampledImport: Date | null = null;
  private sampling: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
    config: Config,
  ) {
    this.sessions = new CappedPool(dataSource, config.suggest.timeCapMs, config.database.poolSize, (error) =>
      this.logger.warn(`A search connection was lost: ${error.message}`),
    );
  }

  /** The `limit` best rows by `wayback` descending, then by name. @throws {ApiError} database_unavailable */
  async discoverDomains(query: DiscoveryQuery): Promise<Discovered> {
    this.refreshSampleBehind();
    const plan = planDiscovery(query, this.sample);
    const { rows, timedOut } = await this.database.guard(() =>
      this.sessions.query<DomainRow>(statementOf(query, plan)),
    );
    return { domains: rows.map(toDomain), timedOut };
  }

  /** Draws a new sample now, instead of when the next search notices that the dataset has changed. */
  async refreshSample(): Promise<void> {
    const [dataset] = await this.database.query<{ refreshed: Date | null; available_records: string }>(
      'SELECT refreshed, available_records FROM dataset',
    );
    this.sampledAtMs = performance.now();
    if (!dataset || (this.sample && dataset.refreshed?.getTime() === this.sampledImport?.getTime())) return;
    const total = Number(dataset.available_records);
    const names = await this.drawNames(total);
    this.sample = new NameSample(names, total);
    this.sampledImport = dataset.refreshed;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sampling;
    await this.sessions.close();
  }

  // Searches do not wait for it: the sample decides how a question is asked, not what the answer is.
  private refreshSampleBehind(): void {
    if (this.sampling || performance.now() - this.sampledAtMs < SAMPLE_MAX_AGE_MS) return;
    this.sampling = this.refreshSample()
      .catch((error: unknown) => {
        this.sampledAtMs = performance.now();
        this.logger.warn(`The sample of names was not refreshed: ${String(error)}`);
      })
      .finally(() => {
        this.sampling = null;
      });
  }

  private async drawNames(total: number): Promise<SampledName[]> {
    // Whole pages are drawn, so the number varies; the limit only bounds it, as a cut would lose the end of the table.
    const percent = Math.min(100, (100 * SAMPLE_SIZE) / Math.max(1, total));
    return this.database.query<SampledName>(
      `SELECT name, tld, wayback FROM domain TABLESAMPLE SYSTEM ($1) WHERE available AND NOT hidden LIMIT $2`,
      [percent, 2 * SAMPLE_SIZE],
    );
  }
}
