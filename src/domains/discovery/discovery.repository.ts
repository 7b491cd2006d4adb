import { Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../../config/config.js';
import { Database } from '../../database/database.js';
import { CappedPool } from '../../database/time-cap.js';
import { DOMAIN_COLUMNS, type DomainRow, toDomain } from '../domain-row.js';
import type { Domain } from '../domain.js';
import { DatasetSample, type SampledName } from './dataset-sample.js';
import { type DiscoveryPlan, type DiscoveryQuery, planDiscovery } from './discovery-plan.js';
import { bandCondition, SCORE_BANDS, type ScoreBand } from './score-bands.js';

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
  private sample: DatasetSample | null = null;
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
      this.sessions.query<DomainRow>(statementOf(plan, query)),
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
    this.sample = new DatasetSample(names, total);
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
    // Whole pages are drawn, twice as many as needed, because a page may hold names that cannot be found. A table that is
    // small is read whole.
    const percent = Math.min(100, (100 * 2 * SAMPLE_SIZE) / Math.max(1, total));
    return this.database.query<SampledName>(
      `SELECT name, tld, wayback FROM domain TABLESAMPLE SYSTEM ($1) WHERE available AND NOT hidden LIMIT $2`,
      [percent, SAMPLE_SIZE],
    );
  }
}

function statementOf(
  plan: DiscoveryPlan,
  { minWayback, limit }: DiscoveryQuery,
): { name: string; text: string; values: unknown[] } {
  if (plan.walk === 'rank') {
    return { name: 'rank', text: RANK_WALK, values: [plan.like, plan.suffixes, minWayback, limit] };
  }
  // Bands that lie wholly below the score asked for are left out of the walk.
  const bands = SCORE_BANDS.filter(({ to }) => to === null || to >= minWayback).length;
  return {
    name: `bands_${bands}`,
    text: BAND_WALKS[bands] ?? '',
    values: [plan.like, plan.suffixes, minWayback, limit, plan.grams],
  };
}

// domain_rank gives the order; rows are read until enough have matched.
const RANK_WALK = `
  SELECT ${DOMAIN_COLUMNS} FROM domain
   WHERE available AND NOT hidden AND name LIKE $1 AND tld = ANY ($2) AND wayback >= $3
   ORDER BY wayback DESC, domain
   LIMIT $4`;

// One statement walks the bands from the top: Append runs its parts one after the other, and the outer LIMIT stops it
// before it begins a part that is not needed. Each part gives its rows in order, so whatever has come when the time cap
// strikes is the head of the true answer.
const BAND_WALKS: Readonly<Record<number, string>> = Object.fromEntries(
  SCORE_BANDS.map((_, last) => [last + 1, bandWalk(SCORE_BANDS.slice(0, last + 1))]),
);

function bandWalk(bands: readonly ScoreBand[]): string {
  const parts = bands.map((band) => `(${bandPart(bandCondition(band))})`);
  return `SELECT * FROM (${parts.join(' UNION ALL ')}) AS walk LIMIT $4`;
}

function bandPart(condition: string): string {
  return `
  SELECT ${DOMAIN_COLUMNS} FROM domain
   WHERE ${condition} AND domain_grams(name, tld) @> $5
     AND name LIKE $1 AND tld = ANY ($2) AND wayback >= $3
   ORDER BY wayback DESC, domain
   LIMIT $4`;
}
