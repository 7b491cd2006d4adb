import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../database/database.js';
import { DOMAIN_COLUMNS, type DomainRow, toDomain } from './domain-row.js';
import { NEXT_EVENT_TIME } from './feed/domain-event.repository.js';
import type { Domain } from './domain.js';

// Whoever checked a name waits as well. An import that builds the dataset anew holds the locks for minutes, others mostly
// for the milliseconds before their commit.
const LOCK_TIMEOUT = '200ms';

/** What is known of single names, and of the dataset as a whole. Ranked search: discovery/discovery.repository.ts. */
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

  /**
   * Writes down what a registry said of a name, if the dataset has it and knows nothing newer. A change is an event, in the
   * same transaction; a name that the operator withholds has none.
   *
   * @throws when an import holds the locks for longer than LOCK_TIMEOUT
   */
  async recordAvailability(domain: string, available: boolean, checkedAt: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(`SELECT set_config('lock_timeout', $1, true)`, [LOCK_TIMEOUT]);
      const [before] = await transaction.query<{ available: boolean; hidden: boolean }>(
        `SELECT available, hidden FROM domain
          WHERE domain = $1 AND (checked_at IS NULL OR checked_at <= $2)
            FOR UPDATE`,
        [domain, checkedAt],
      );
      if (!before) return;
      const isChange = before.available !== available;
      await transaction.query(
        `UPDATE domain
            SET available = $2, checked_at = $3, dropped_at = CASE WHEN $4 THEN $3 ELSE dropped_at END
          WHERE domain = $1`,
        [domain, available, checkedAt, isChange && available],
      );
      if (isChange && !before.hidden) await publish(transaction, domain, available);
    });
  }

  async readStats(): Promise<{ availableRecords: number; refreshed: Date | null }> {
    const [row] = await this.database.query<{ available_records: string; refreshed: Date | null }>(
      'SELECT available_records, refreshed FROM dataset',
    );
    return { availableRecords: Number(row?.available_records ?? 0), refreshed: row?.refreshed ?? null };
  }
}

/** Last in its transaction: from here to the commit it holds the dataset row, which keeps events in order. */
async function publish(transaction: Queryable, domain: string, available: boolean): Promise<void> {
  await transaction.query(
    `WITH ledger AS (
       UPDATE dataset
          SET last_event = last_event + 1, available_records = available_records + $2, last_event_at = ${NEXT_EVENT_TIME}
       RETURNING last_event, last_event_at
     )
     INSERT INTO domain_event (number, type, domain, occurred_at)
     SELECT last_event, $3, $1, last_event_at FROM ledger`,
    [domain, available ? 1 : -1, available ? 'domain.dropped' : 'domain.taken'],
  );
}
