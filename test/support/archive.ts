import { createArchiveClient, ArchiveHealthReader } from '../../src/archive/archive.module.js';
import { ArchiveQueue } from '../../src/archive/archive-queue.repository.js';
import { ArchiveScoreRepository } from '../../src/archive/archive-score.repository.js';
import { ArchiveScorer } from '../../src/archive/archive-scorer.js';
import { ArchiveRateLimiter } from '../../src/archive/archive-rate-limiter.repository.js';
import { readConfig } from '../../src/config/read-config.js';
import type { Database } from '../../src/db/database.js';
import { type SandboxArchive, startSandboxArchive } from '../../src/demo/sandbox-archive.js';
import { createLifecycle } from '../../src/domains/domains.module.js';
import type { DomainState } from '../../src/domains/schema/states.js';
import { createTestDatabase, type TestDatabase } from './database.js';

/** What scores names in one process; several on one database are several instances. */
export interface Scoring {
  readonly scorer: ArchiveScorer;
  readonly turns: ArchiveRateLimiter;
  readonly queue: ArchiveQueue;
  readonly scores: ArchiveScoreRepository;
  readonly health: ArchiveHealthReader;
}

export interface ArchiveTest extends TestDatabase {
  readonly archive: SandboxArchive;
  instance(environment?: Record<string, string>): Scoring;
}

/** A dataset of one's own, and a web archive on loopback. */
export async function startArchiveTest(): Promise<ArchiveTest> {
  const [test, archive] = await Promise.all([createTestDatabase(), startSandboxArchive({ port: 0 })]);
  return {
    ...test,
    archive,
    instance: (environment = {}) =>
      createScoring(test.database, {
        ARCHIVE_CDX_URL: archive.url,
        ARCHIVE_SOURCE: 'sandbox',
        ...environment,
      }),
    async close() {
      await archive.close();
      await test.close();
    },
  };
}

/** Asks whom the environment says. */
export function createScoring(database: Database, environment: Record<string, string>): Scoring {
  const config = readConfig(environment);
  const turns = new ArchiveRateLimiter(database, config);
  const queue = new ArchiveQueue(database);
  const scores = new ArchiveScoreRepository(database);
  const client = createArchiveClient(config);
  const scorer = new ArchiveScorer(client, turns, queue, scores, createLifecycle(database, config), config);
  return { scorer, turns, queue, scores, health: new ArchiveHealthReader(turns, queue, config) };
}

export interface StatedSeed {
  readonly domain: string;
  readonly state: DomainState;
  readonly purgeAt?: Date;
  readonly hidden?: boolean;
  readonly wayback?: number;
}

/** Puts a name into the dataset that was never looked up in the archive. */
export async function addStated(database: Database, seed: StatedSeed): Promise<string> {
  const { domain, state, purgeAt = null, hidden = false, wayback = 0 } = seed;
  const available = state === 'available';
  await database.query(
    `INSERT INTO domain (domain, name, tld, state, available, purge_at, hidden, wayback, confirmed_by, checked_at,
                         dropped_at)
     VALUES ($1, split_part($1, '.', 1), substr($1, strpos($1, '.') + 1), $2, $3, $4, $5, $6,
             CASE WHEN $3 THEN 'vouched:test' END, CASE WHEN $3 THEN timestamptz '2026-01-01' END,
             CASE WHEN $3 THEN timestamptz '2026-01-01' END)`,
    [domain, state, available, purgeAt, hidden, wayback],
  );
  return domain;
}

export interface ArchiveColumns {
  readonly status: string;
  readonly wayback: number;
  readonly first: string | null;
  readonly last: string | null;
  readonly captures: number | null;
}

/** What the dataset's row of a name says of the archive. */
export async function archiveColumns(
  database: Database,
  domain: string,
): Promise<ArchiveColumns | undefined> {
  const [row] = await database.query<ArchiveColumns & Record<string, unknown>>(
    `SELECT archive_status AS status, wayback, to_char(archive_first_capture, 'YYYY-MM-DD') AS first,
            to_char(archive_last_capture, 'YYYY-MM-DD') AS last, archive_captures AS captures
       FROM domain WHERE domain = $1`,
    [domain],
  );
  return row;
}
