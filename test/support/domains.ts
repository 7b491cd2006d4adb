import type { Database } from '../../src/db/database.js';
import { countNames } from '../../src/domains/search/cube/cube.repository.js';
import { wordsText } from '../../src/domains/words/label-words.js';
import { lexicon } from '../../src/domains/words/lexicon.js';
import { isSqlState, LOCK_NOT_AVAILABLE } from '../../src/errors/database-failure.js';
import type { RegistryState, DomainState } from '../../src/domains/schema/states.js';
import { lifecycleOn } from './lifecycle.js';

export interface DomainSeed {
  domain: string;
  wayback: number;
  first_seen: string | null;
  available: boolean;
  hidden: boolean;
}

/** When somebody vouched for the names: before whatever the tests have a registry say. */
export const VOUCHED_AT = new Date('2025-12-01T00:00:00Z');

let made = 0;

/**
 * Adds a confirmed name to the dataset, available or taken. A test gives only the values that matter to it.
 *
 * @returns the name
 */
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
      `INSERT INTO domain (domain, name, tld, wayback, first_seen, dropped_at, state, available, hidden,
                           confirmed_by, checked_at, announced, words)
       SELECT seed.domain, split_part(seed.domain, '.', 1), substr(seed.domain, strpos(seed.domain, '.') + 1),
              seed.wayback, seed.first_seen::date, now(), CASE WHEN seed.available THEN 'available' ELSE 'taken' END,
              seed.available, seed.hidden, 'vouched:test', $2, seed.available AND NOT seed.hidden, seed.words::integer[]
         FROM jsonb_to_recordset($1::jsonb)
           AS seed (domain text, wayback int, first_seen text, available boolean, hidden boolean, words text)`,
      [JSON.stringify(rows.map((row) => ({ ...row, words: wordsOf(row.domain) }))), VOUCHED_AT],
    );
    await transaction.query(
      `UPDATE dataset SET refreshed = now(), available_records = available_records + $1`,
      [rows.filter((row) => row.available && !row.hidden).length],
    );
    await countNames(
      transaction,
      rows.filter((row) => row.available && !row.hidden).map(({ domain }) => domain),
      1,
    );
  });
}

/** As an import writes them. */
function wordsOf(domain: string): string {
  return wordsText(domain.slice(0, domain.indexOf('.')), lexicon());
}

/**
 * Has a registry call a name held or free, however long others hold the locks: the service itself gives up after a
 * moment. A name becomes free as most do, by way of being deleted, so one answer is enough.
 */
export async function settle(
  database: Database,
  domain: string,
  available: boolean,
  at: Date = new Date(),
): Promise<void> {
  const lifecycle = lifecycleOn(database);
  const states: RegistryState[] = available ? ['pending_delete', 'available'] : ['registered'];
  for (const state of states) {
    const answer = { state, source: 'rdap', checkedAt: at, registeredAt: null };
    await whenUnlocked(() => lifecycle.observeAnswer(domain, answer));
  }
}

/** Does what finds the dataset locked again, as those do who ask registries. */
export async function whenUnlocked<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!isSqlState(error, LOCK_NOT_AVAILABLE)) throw error;
    }
}

export interface StateSeed {
  readonly domain: string;
  readonly state: DomainState;
  readonly wayback?: number;
  readonly confirmedBy?: string | null;
  readonly checkedAt?: Date | null;
}

/** Puts names into the dataset that are in any state, with no more evidence than is said. */
export async function addInState(database: Database, seeds: readonly StateSeed[]): Promise<void> {
  for (const { domain, state, wayback = 0, confirmedBy = null, checkedAt = null } of seeds)
    await database.query(
      `INSERT INTO domain (domain, name, tld, wayback, first_seen, state, available, confirmed_by, checked_at,
                           dropped_at, purge_at, listed_at, list_kind)
       VALUES ($1, split_part($1, '.', 1), substr($1, strpos($1, '.') + 1), $2, '2026-11-01', $3, $3 = 'available', $4,
               $5, CASE WHEN $3 IN ('available', 'stale', 'taken') THEN now() END,
               CASE WHEN $3 IN ('listed', 'delisted', 'purged') THEN timestamptz '2026-11-20T03:00:00Z' END,
               CASE WHEN $3 IN ('listed', 'delisted', 'purged') THEN timestamptz '2026-11-19T04:00:00Z' END,
               CASE WHEN $3 IN ('listed', 'delisted', 'purged') THEN 'deleted' END)`,
      [domain, wayback, state, confirmedBy, checkedAt],
    );
  const offered = seeds.filter(({ state }) => state === 'available').map(({ domain }) => domain);
  await database.transaction((transaction) => countNames(transaction, offered, 1));
}
