import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';
import { PERSONAL, type PersonalTable } from './personal-tables.js';

const whereOf = ({ where = 'account_id = $1::uuid' }: PersonalTable): string => where;

/** Deletes an account with all that does not go with it by itself; its own details in the audit log are emptied. */
export const ERASE_ACCOUNT = [
  ...Object.entries(PERSONAL)
    .filter(([name, { erased }]) => erased === 'by statement' && name !== 'account')
    .map(([name, table]) => `erased_${name} AS (DELETE FROM ${name} WHERE ${whereOf(table)})`),
  ...Object.entries(PERSONAL)
    .filter(([, { emptied }]) => emptied !== undefined)
    .map(
      ([name, table]) =>
        `emptied_${name} AS (UPDATE ${name} SET ${table.emptied ?? ''} WHERE ${whereOf(table)})`,
    ),
  `words AS (UPDATE audit_log SET reason = ''
              WHERE subject = 'account:' || $1::text AND actor = 'account:' || $1::text)`,
]
  .join(',\n')
  .replace(/^/, 'WITH ')
  .concat('\nDELETE FROM account WHERE id = $1::uuid');

type ReadList = (accountId: string) => Promise<readonly object[]>;

/** The data of an account for its owner. */
@Injectable()
export class AccountDataRepository {
  private readonly opened: [name: string, read: ReadList][] = [];

  constructor(private readonly database: Database) {}

  /** Of a table whose rows are encrypted: no statement can read them. */
  addList(name: string, read: ReadList): void {
    this.opened.push([name, read]);
  }

  async readAll(accountId: string): Promise<Record<string, readonly unknown[]>> {
    const exported = Object.entries(PERSONAL).filter(([, { list }]) => list !== null);
    const lists = await Promise.all(
      exported.map(async ([name, table]) => {
        const sql = `SELECT ${table.exported} FROM ${name} WHERE ${whereOf(table)} ORDER BY 1`;
        return [table.list ?? name, await this.database.query(sql, [accountId])] as const;
      }),
    );
    const opened = this.opened.map(async ([name, read]) => [name, await read(accountId)] as const);
    return Object.fromEntries([...lists, ...(await Promise.all(opened))]);
  }
}
