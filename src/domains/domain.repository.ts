import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../db/database.js';
import { ReadDatabase } from '../db/replicas/read-database.js';
import { DayEventRepository } from './feed/day-event.repository.js';
import { DomainEventRepository } from './feed/domain-event.repository.js';
import { UpcomingDropRepository } from './feed/upcoming-drop.repository.js';
import { DOMAIN_COLUMNS, type DomainRow, toDomain } from './schema/domain-row.js';
import type { Domain } from './schema/domain.js';
import { DiscoveryRepository } from './search/discovery.repository.js';

// Planning takes longer than reading one row.
const FIND_DOMAIN = { name: 'domain_find', text: `SELECT ${DOMAIN_COLUMNS} FROM domain WHERE domain = $1` };
const READ_STATS = { name: 'dataset_stats', text: 'SELECT available_records, refreshed FROM dataset' };

export async function findDomain(domain: string, source: Queryable): Promise<Domain | null> {
  const [row] = await source.prepared<DomainRow>({ ...FIND_DOMAIN, values: [domain] });
  return row ? toDomain(row) : null;
}

/**
 * The dataset in PostgreSQL, which every door reads names from: single names and the figures of the whole, and the
 * parts with questions of their own.
 */
@Injectable()
export class DomainRepository {
  constructor(
    private readonly database: Database,
    private readonly reads: ReadDatabase,
    /** Ranked search and its counts. */
    readonly search: DiscoveryRepository,
    /** The events of names, in order. */
    readonly feed: DomainEventRepository,
    readonly days: DayEventRepository,
    /** Names about to be purged. */
    readonly upcoming: UpcomingDropRepository,
  ) {}

  /** The row as it is now, for who puts it beside an answer of the registry. */
  findDomain(domain: string, source: Queryable = this.database): Promise<Domain | null> {
    return findDomain(domain, source);
  }

  /** The row of a name that may be shown; null also for one that the operator withholds. */
  async findShownDomain(domain: string, source: Queryable = this.reads): Promise<Domain | null> {
    const row = await findDomain(domain, source);
    return row && !row.hidden ? row : null;
  }

  /** The current rows of the names, withheld ones too; by name. */
  async findDomains(domains: readonly string[]): Promise<Map<string, Domain>> {
    const rows = await this.database.query<DomainRow>(
      `SELECT ${DOMAIN_COLUMNS} FROM domain WHERE domain = ANY ($1)`,
      [domains],
    );
    return new Map(rows.map((row) => [row.domain, toDomain(row)]));
  }

  /** Those of the names that may be shown. */
  async listShownDomains(domains: readonly string[], source: Queryable): Promise<Domain[]> {
    const rows = await source.query<DomainRow>(
      `SELECT ${DOMAIN_COLUMNS} FROM domain WHERE domain = ANY ($1) AND NOT hidden`,
      [domains],
    );
    return rows.map(toDomain);
  }

  async readStats(): Promise<{ availableRecords: number; refreshed: Date | null }> {
    const [row] = await this.reads.prepared<{ available_records: string; refreshed: Date | null }>({
      ...READ_STATS,
      values: [],
    });
    return { availableRecords: Number(row?.available_records ?? 0), refreshed: row?.refreshed ?? null };
  }
}
