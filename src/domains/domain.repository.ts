import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { DOMAIN_COLUMNS, type DomainRow, toDomain } from './domain-row.js';
import type { Domain, MatchMode, Suffix } from './domain.js';

/** What discovery is asked for. Rows come by `wayback` descending, then by name. */
export interface DiscoveryQuery {
  readonly q?: string;
  readonly mode: MatchMode;
  /** Empty: all. */
  readonly suffixes: readonly Suffix[];
  readonly minWayback: number;
  readonly limit: number;
}

const LOCK_TIMEOUT = '1s';

/** All SQL that reads or writes single names of the dataset. */
@Injectable()
export class DomainRepository {
  constructor(private readonly database: Database) {}

  async findDomain(domain: string): Promise<Domain | null> {
    const [row] = await this.database.query<DomainRow>(
      `SELECT ${DOMAIN_COLUMNS} FROM domain WHERE domain = $1`,
      [domain],
    );
    return row ? toDomain(row) : null;
  }

  async discoverDomains(
    query: DiscoveryQuery,
    timeCapMs: number,
  ): Promise<{ domains: Domain[]; timedOut: boolean }> {
    const pattern = {
      contains: `%${query.q ?? ''}%`,
      prefix: `${query.q ?? ''}%`,
      suffix: `%${query.q ?? ''}`,
    }[query.mode];
    try {
      const rows = await this.database.transaction(async (transaction) => {
        await transaction.query(`SELECT set_config('statement_timeout', $1, true)`, [`${timeCapMs}ms`]);
        return transaction.query<DomainRow>(
          `SELECT ${DOMAIN_COLUMNS} FROM domain
            WHERE available AND NOT hidden AND wayback >= $1 AND name LIKE $2
              AND (cardinality($3::text[]) = 0 OR tld = ANY ($3))
            ORDER BY wayback DESC, domain LIMIT $4`,
          [query.minWayback, pattern, query.suffixes, query.limit],
        );
      });
      return { domains: rows.map(toDomain), timedOut: false };
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === '57014')
        return { domains: [], timedOut: true };
      throw error;
    }
  }

  async recordAvailability(domain: string, available: boolean, checkedAt: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(`SELECT set_config('lock_timeout', $1, true)`, [LOCK_TIMEOUT]);
      const [before] = await transaction.query<{ available: boolean; hidden: boolean }>(
        `SELECT available, hidden FROM domain WHERE domain = $1 FOR UPDATE`,
        [domain],
      );
      if (!before) return;
      const changed = before.available !== available;
      await transaction.query(
        `UPDATE domain SET available = $2, checked_at = $3, dropped_at = CASE WHEN $4 THEN $3 ELSE dropped_at END WHERE domain = $1`,
        [domain, available, checkedAt, changed && available],
      );
      if (!changed || before.hidden) return;
      await transaction.query(
        `WITH ledger AS (
           UPDATE dataset SET last_event = last_event + 1, available_records = available_records + $2 RETURNING last_event
         )
         INSERT INTO domain_event (number, type, domain, occurred_at)
         SELECT last_event, $3, $1, clock_timestamp() FROM ledger`,
        [domain, available ? 1 : -1, available ? 'domain.dropped' : 'domain.taken'],
      );
    });
  }

  async readStats(): Promise<{ availableRecords: number; refreshed: Date | null }> {
    const [row] = await this.database.query<{ available_records: string; refreshed: Date | null }>(
      'SELECT available_records, refreshed FROM dataset',
    );
    return { availableRecords: Number(row?.available_records ?? 0), refreshed: row?.refreshed ?? null };
  }
}
