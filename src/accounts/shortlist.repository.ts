import { Injectable } from '@nestjs/common';
import { lockAccount } from '../access/api-key.repository.js';
import { Database } from '../db/database.js';
import { type DomainName, judgeDomainName } from '../domains/name/domain-name.js';

/** As many as site.js keeps on a device. */
export const MAX_SHORTLIST = 50;

/** The names in a form or an address, without repeats; other text is skipped. */
export function namesIn(text: string, most: number = MAX_SHORTLIST): DomainName[] {
  const judged = text.split(/[\s,]+/, most).map((one) => judgeDomainName(one));
  const names = judged.flatMap((judgement) => (judgement.ok ? [judgement.domain] : []));
  return [...new Map(names.map((name) => [name.domain, name])).values()];
}

/** The shortlist of an account. */
@Injectable()
export class ShortlistRepository {
  constructor(private readonly database: Database) {}

  /** The newest first. */
  async list(accountId: string): Promise<string[]> {
    const rows = await this.database.query<{ domain: string }>(
      'SELECT domain FROM shortlist_name WHERE account_id = $1 ORDER BY added_at DESC LIMIT $2',
      [accountId, MAX_SHORTLIST],
    );
    return rows.map(({ domain }) => domain);
  }

  /** Of more than MAX_SHORTLIST names the oldest are dropped. @param domains the newest first */
  async add(accountId: string, domains: readonly string[], now: Date): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await lockAccount(transaction, accountId))) return;
      await transaction.query(
        `INSERT INTO shortlist_name (account_id, domain, added_at)
         SELECT $1, domain, $3::timestamptz - place * interval '1 ms'
           FROM unnest($2::text[]) WITH ORDINALITY AS added (domain, place)
         ON CONFLICT DO NOTHING`,
        [accountId, domains, now],
      );
      await transaction.query(
        `DELETE FROM shortlist_name WHERE account_id = $1 AND domain IN
           (SELECT domain FROM shortlist_name WHERE account_id = $1 ORDER BY added_at DESC OFFSET $2)`,
        [accountId, MAX_SHORTLIST],
      );
    });
  }

  async remove(accountId: string, domains: readonly string[]): Promise<void> {
    await this.database.query(
      'DELETE FROM shortlist_name WHERE account_id = $1 AND domain = ANY ($2::text[])',
      [accountId, domains],
    );
  }
}
