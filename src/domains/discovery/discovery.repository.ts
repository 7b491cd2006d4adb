import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Database } from '../../database/database.js';
import { CappedPool } from '../../database/time-cap.js';
import { type DomainRow, toDomain } from '../domain-row.js';
import type { Domain } from '../domain.js';
import { planCount, planDiscovery } from './discovery-plan.js';
import type { DiscoveryQuery, NameFilter } from './discovery-query.js';
import { countStatement, statementOf } from './discovery-statements.js';
import { NameSampler } from './name-sampler.js';

export interface Discovered {
  readonly domains: Domain[];
  /** True when the time cap struck; `domains` are then the head of the true answer, as far as it was found. */
  readonly timedOut: boolean;
}

/** Ranked search over the names that are available and not withheld. How and why: README.md in this folder. */
@Injectable()
export class DiscoveryRepository implements OnApplicationShutdown {
  private readonly logger = new Logger(DiscoveryRepository.name);
  private readonly sessions: CappedPool;

  constructor(
    private readonly database: Database,
    private readonly sampler: NameSampler,
    config: Config,
  ) {
    this.sessions = new CappedPool(
      database.url,
      config.suggest.timeCapMs,
      config.database.poolSize,
      (error) => this.logger.warn(`A search connection was lost: ${error.message}`),
    );
  }

  /** The first `limit` rows in the order asked for, by rank unless another is. @throws {DatabaseUnavailable} */
  async discoverDomains(query: DiscoveryQuery): Promise<Discovered> {
    const plan = planDiscovery(query, this.sampler.current);
    const { rows, timedOut } = await this.database.guard(() =>
      this.sessions.query<DomainRow>(statementOf(query, plan)),
    );
    return { domains: rows.map(toDomain), timedOut };
  }

  /**
   * How many rows pass the filter, counted to `most` and no further; null when the time cap struck.
   *
   * @throws {DatabaseUnavailable}
   */
  async countDomains(filter: NameFilter, most: number): Promise<number | null> {
    const plan = planCount(filter, most, this.sampler.current);
    const { rows } = await this.database.guard(() =>
      this.sessions.query<{ count: number }>(countStatement(filter, plan, most)),
    );
    return rows[0]?.count ?? null;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sessions.close();
  }
}
