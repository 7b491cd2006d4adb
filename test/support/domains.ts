import type { Database } from '../../src/database/database.js';
import { isSqlState, LOCK_NOT_AVAILABLE } from '../../src/database/sql-state.js';
import { DomainRepository } from '../../src/domains/domain.repository.js';

export interface DomainSeed {
  domain: string;
  wayback: number;
  first_seen: string | null;
  available: boolean;
  hidden: boolean;
}

let made = 0;

/** Puts a name into the dataset; only what matters to the test needs to be said. @returns the name */
export async function addDomain(database: Database, seed: Partial<DomainSeed> = {}): Promise<string> {
  const row: DomainSeed = {
    domain: `name-${++made}.com.au`,
    wayback: 0,
    first_seen: '2026-11-01',
    available: true,
    hidden: false,
    ...seed,
  };
  await addDomains(database, [row]);
  return row.domain;
}

/** The same for many names at once. */
export async function addDomains(database: Database, rows: DomainSeed[]): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(
      `INSERT INTO domain (domain, name, tld, wayback, first_seen, dropped_at, available, hidden)
       SELECT seed.domain, split_part(seed.domain, '.', 1), substr(seed.domain, strpos(seed.domain, '.') + 1),
              seed.wayback, seed.first_seen::date, now(), seed.available, seed.hidden
         FROM jsonb_to_recordset($1::jsonb)
           AS seed (domain text, wayback int, first_seen text, available boolean, hidden boolean)`,
      [JSON.stringify(rows)],
    );
    await transaction.query(
      `UPDATE dataset SET refreshed = now(), available_records = available_records + $1`,
      [rows.filter((row) => row.available && !row.hidden).length],
    );
  });
}

/** Writes down what a registry said, however long others hold the locks: the service itself gives up after a moment. */
export async function settle(
  database: Database,
  domain: string,
  available: boolean,
  at: Date,
): Promise<void> {
  for (;;)
    try {
      return await new DomainRepository(database).recordAvailability(domain, available, at);
    } catch (error) {
      if (!isSqlState(error, LOCK_NOT_AVAILABLE)) throw error;
    }
}
