import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { DOMAIN_COLUMNS, type DomainRow, toDomain } from './domain-row.js';
import type { Domain } from './domain.js';

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
