import { Injectable } from '@nestjs/common';
import { ACCOUNT_DEEDS, type AccountDeed, AccountDeeds } from '../observe/audit/account-deeds.js';
import { type AuditEntry, AuditRepository } from '../observe/audit/audit.repository.js';
import { networkOf } from '../observe/audit/network.js';
import { AccountMails } from './account-mails.js';
import { AccountRepository } from './account.repository.js';

const MAX_SHOWN = 100;

/** The part of the audit log that is about accounts: their owners read it as well. */
@Injectable()
export class AccountActivity {
  constructor(
    private readonly deeds: AccountDeeds,
    private readonly audit: AuditRepository,
    private readonly mails: AccountMails,
    private readonly accounts: AccountRepository,
  ) {}

  /** @param what it was done with, such as the name of a key */
  async note(accountId: string, deed: AccountDeed, address: string, what = ''): Promise<void> {
    await this.deeds.note({ accountId, address }, deed, what);
  }

  /** The same of what is done already, whether or not it can be noted. */
  async noteDone(accountId: string, deed: AccountDeed, address: string, what = ''): Promise<void> {
    await this.deeds.noteDone({ accountId, address }, deed, what);
  }

  /** Somebody did not get in. It takes as long for an address without an account: the statement is the same. */
  async noteFailure(email: string, why: 'wrong password' | 'wrong code', address: string): Promise<void> {
    await this.accounts.noteFailedSignIn(email, why, networkOf(address));
  }

  /** The same of a key, whose owner gets a mail: whoever has somebody's session could make one to stay. */
  async noteKey(
    { id, email }: { readonly id: string; readonly email: string },
    deed: 'key.create' | 'key.replace' | 'key.revoke',
    address: string,
    name: string,
  ): Promise<void> {
    await this.note(id, deed, address, name);
    this.mails.keyChanged(email, `${ACCOUNT_DEEDS[deed]}: ${name}`);
  }

  /** A page, the newest first, also what operators did to it. @param before the entry that the page before ended with */
  async list(accountId: string, before?: number): Promise<{ entries: AuditEntry[]; next: number | null }> {
    // One more than is shown tells whether there is more.
    const found = await this.audit.list({ subject: subjectOf(accountId), before }, MAX_SHOWN + 1);
    const entries = found.slice(0, MAX_SHOWN);
    return { entries, next: found.length > MAX_SHOWN ? (entries.at(-1)?.id ?? null) : null };
  }
}

const subjectOf = (accountId: string): string => `account:${accountId}`;
