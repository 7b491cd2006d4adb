import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';

/** A name that the registry holds back from registration. */
export interface NameHold {
  readonly domain: string;
  /** As it follows on "It is". */
  readonly what: string;
  /** Which list has it. */
  readonly source: string;
  /** The day of that list, YYYY-MM-DD. */
  readonly asOf: string;
}

/** All SQL on the names that are held back. */
@Injectable()
export class NameHoldRepository {
  constructor(private readonly database: Database) {}

  /** By name. */
  list(): Promise<NameHold[]> {
    return this.database.query<NameHold & Record<string, unknown>>(
      `SELECT domain, what, source, to_char(as_of, 'YYYY-MM-DD') AS "asOf" FROM name_hold
        ORDER BY domain, as_of, source`,
    );
  }

  /**
   * Puts a list in the place of the former one of its source.
   *
   * @returns the names that no list has any more
   */
  async replace(
    domains: readonly string[],
    { what, source, asOf }: Omit<NameHold, 'domain'>,
    transaction: Queryable,
  ): Promise<string[]> {
    const gone = await transaction.query<{ domain: string }>(
      'DELETE FROM name_hold WHERE source = $2 AND domain <> ALL ($1) RETURNING domain',
      [domains, source],
    );
    await transaction.query(
      `INSERT INTO name_hold (domain, what, source, as_of) SELECT domain, $2, $3, $4 FROM unnest($1::text[]) AS domain
       ON CONFLICT (domain, source) DO UPDATE SET what = excluded.what, as_of = excluded.as_of`,
      [domains, what, source, asOf],
    );
    const released = await transaction.query<{ domain: string }>(
      `SELECT domain FROM unnest($1::text[]) AS gone (domain)
        WHERE NOT EXISTS (SELECT FROM name_hold WHERE name_hold.domain = gone.domain)`,
      [gone.map(({ domain }) => domain)],
    );
    return released.map(({ domain }) => domain);
  }

  /** @returns whether it was held */
  async release(domain: string, transaction: Queryable): Promise<boolean> {
    const rows = await transaction.query('DELETE FROM name_hold WHERE domain = $1 RETURNING domain', [
      domain,
    ]);
    return rows.length > 0;
  }

  /** Those of the names that the dataset has. */
  async listInDataset(domains: readonly string[]): Promise<{ domain: string; isOffered: boolean }[]> {
    return this.database.query(
      'SELECT domain, available AS "isOffered" FROM domain WHERE domain = ANY ($1)',
      [domains],
    );
  }
}
