import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { DOMAIN_COLUMNS, type DomainRow, toDomain } from './domain-row.js';
import type { Domain } from './domain.js';

// Planning takes longer than reading one row.
const FIND_DOMAIN = { name: 'domain_find', text: `SELECT ${DOMAIN_COLUMNS} FROM domain WHERE domain = $1` };
const READ_STATS = { name: 'dataset_stats', text: 'SELECT available_records, refreshed FROM dataset' };

/** What is known of single names, and of the dataset as a whole. Ranked search: discovery/discovery.repository.ts. */
@Injectable()
export class DomainRepository {
  constructor(private readonly database: Database) {}

  async findDomain(domain: string): Promise<Domain | null> {
    const [row] = await this.database.prepared<DomainRow>({ ...FIND_DOMAIN, values: [domain] });
    return row ? toDomain(row) : null;
  }

  /** The row of a name that may be shown; null also for one that the operator withholds. */
  async findShownDomain(domain: string): Promise<Domain | null> {
    const row = await this.findDomain(domain);
    return row && !row.hidden ? row : null;
  }

  /** Those of the names that may be shown. */
  async listShownDomains(domains: readonly string[]): Promise<Domain[]> {
    const rows = await this.database.query<DomainRow>(
      `SELECT ${DOMAIN_COLUMNS} FROM domain WHERE domain = ANY ($1) AND NOT hidden`,
      [domains],
    );
    return rows.map(toDomain);
  }

  async readStats(): Promise<{ availableRecords: number; refreshed: Date | null }> {
    const [row] = await this.database.prepared<{ available_records: string; refreshed: Date | null }>({
      ...READ_STATS,
      values: [],
    });
    return { availableRecords: Number(row?.available_records ?? 0), refreshed: row?.refreshed ?? null };
  }
}
