import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';
import { titleWordsOf } from '../../domains/schema/filters/title-filter.js';

/** A page that was read. */
export interface ReadPage {
  readonly year: number;
  readonly title: string;
  readonly text: string;
}

/** A capture of the home page, one a year, and what it says once it was read. */
export interface SitePage {
  readonly year: number;
  /** YYYYMMDDhhmmss, and the address as the archive has it: together they name the capture. */
  readonly timestamp: string;
  readonly url: string;
  /** Left out: not read yet. Null: it could not be read. */
  readonly read?: Omit<ReadPage, 'year'> | null;
}

export interface FormerSite {
  readonly domain: string;
  readonly state: 'waiting' | 'read' | 'removed';
  /** When a visitor requested its pages; null: only the title of the last page is needed. */
  readonly wantedAt: Date | null;
  readonly failures: number;
  /** Null until the archive has said which there are. */
  readonly pages: readonly SitePage[] | null;
}

const COLUMNS = 'domain, state, wanted_at AS "wantedAt", failures::int, pages';

/** Former sites as they were read, and the queue of those to read. */
@Injectable()
export class FormerSiteRepository {
  constructor(private readonly database: Database) {}

  async find(domain: string, source: Queryable = this.database): Promise<FormerSite | null> {
    const [site] = await source.query<FormerSite & Record<string, unknown>>(
      `SELECT ${COLUMNS} FROM former_site WHERE domain = $1`,
      [domain],
    );
    return site ?? null;
  }

  /** The next to be read: what people asked for, and then the others. */
  async next(now: Date): Promise<FormerSite | null> {
    const [site] = await this.database.query<FormerSite & Record<string, unknown>>(
      `SELECT ${COLUMNS} FROM former_site WHERE state = 'waiting' AND next_at <= $1
        ORDER BY wanted_at, next_at LIMIT 1`,
      [now],
    );
    return site ?? null;
  }

  /** Sites that visitors requested, counted to the limit. */
  async countWanted(limit: number): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count
         FROM (SELECT FROM former_site WHERE state = 'waiting' AND wanted_at IS NOT NULL LIMIT $1) AS wanted`,
      [limit],
    );
    return row?.count ?? 0;
  }

  /** Requests all pages of a site. A waiting site keeps its place; a removed one stays removed. */
  async want(domain: string, now: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO former_site (domain, state, wanted_at, next_at) VALUES ($1, 'waiting', $2, $2)
         ON CONFLICT (domain) DO UPDATE
           SET state = 'waiting', wanted_at = $2, next_at = least(former_site.next_at, $2)
         WHERE former_site.state <> 'removed' AND former_site.wanted_at IS NULL`,
        [domain, now],
      );
      await transaction.query(`SELECT pg_notify('former_site', '')`);
    });
  }

  /** Queues the archived ones of the next names. @returns false at the end of the dataset */
  async enlist(limit: number, now: Date): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const [fill] = await transaction.query<{ after: string }>('SELECT after FROM former_site_fill');
      const rows = await transaction.query<{ domain: string; isArchived: boolean }>(
        `SELECT domain, archive_status = 'ok' AND NOT hidden AS "isArchived"
           FROM domain WHERE domain > $1 ORDER BY domain LIMIT $2`,
        [fill?.after ?? '', limit],
      );
      await transaction.query(
        `INSERT INTO former_site (domain, state, next_at) SELECT unnest($1::text[]), 'waiting', $2
         ON CONFLICT (domain) DO NOTHING`,
        [rows.flatMap(({ domain, isArchived }) => (isArchived ? [domain] : [])), now],
      );
      const last = rows.at(-1)?.domain;
      // Start again at the end: the archive may have scored earlier names since.
      await transaction.query('UPDATE former_site_fill SET after = $1, is_complete = is_complete OR $2', [
        last ?? '',
        last === undefined,
      ]);
      return last !== undefined;
    });
  }

  /** Keeps an answer about a site. */
  async save(
    { domain, wantedAt, pages, failures }: Omit<FormerSite, 'state'>,
    state: 'waiting' | 'read',
    nextAt: Date,
  ): Promise<void> {
    // A visitor may have requested all pages since the site was read from the queue.
    await this.database.query(
      `UPDATE former_site
          SET state = CASE WHEN wanted_at IS DISTINCT FROM $7 THEN 'waiting' ELSE $2 END,
              pages = $3, failures = $4, next_at = $5, title_words = $6
        WHERE domain = $1 AND state = 'waiting'`,
      [
        domain,
        state,
        pages && JSON.stringify(pages),
        failures,
        nextAt,
        titleWordsOfPages(pages ?? []),
        wantedAt,
      ],
    );
  }

  /** Ends what a visitor asked for, as the archive did not answer; an answer in between stays. */
  async giveUp(domain: string, now: Date): Promise<void> {
    await this.database.query(
      `UPDATE former_site SET state = 'read', wanted_at = NULL, pages = '[]', failures = 0, next_at = $2
        WHERE domain = $1 AND state = 'waiting' AND pages IS NULL`,
      [domain, now],
    );
  }

  /** Deletes the text of a site, and keeps it from being read. */
  async remove(domain: string, transaction: Queryable): Promise<boolean> {
    const rows = await transaction.query(
      `INSERT INTO former_site (domain, state, next_at) VALUES ($1, 'removed', 'infinity')
       ON CONFLICT (domain) DO UPDATE
         SET state = 'removed', pages = NULL, title_words = '{}', wanted_at = NULL, next_at = 'infinity'
       WHERE former_site.state <> 'removed'
       RETURNING true`,
      [domain],
    );
    return rows.length > 0;
  }

  /** Lets a site that was removed be read again. */
  async restore(domain: string, transaction: Queryable): Promise<boolean> {
    const rows = await transaction.query(
      `DELETE FROM former_site WHERE domain = $1 AND state = 'removed' RETURNING true`,
      [domain],
    );
    return rows.length > 0;
  }
}

function titleWordsOfPages(pages: readonly SitePage[]): string[] {
  return titleWordsOf(pages.map(({ read }) => read?.title ?? '').join(' '));
}
