import { Injectable } from '@nestjs/common';
import { type AuditEntry, AuditRepository } from '../audit/audit.repository.js';
import { networkOf } from '../audit/network.js';
import { AccountMails } from './account-mails.js';

const MAX_SHOWN = 100;

/** What holders do with their accounts, in the words that they read it in. */
export const ACCOUNT_DEEDS = {
  'account.confirm': 'The account was made',
  'account.sign-in': 'Signed in',
  'account.password-change': 'The password was changed',
  'account.password-reset': 'The password was set anew with a mailed link',
  'account.delete': 'The account was deleted',
  'factor.add': 'A second factor was set up',
  'factor.remove': 'The second factor was removed',
  'passkey.add': 'A passkey was added',
  'passkey.remove': 'A passkey was removed',
  'key.create': 'A key was made',
  'key.replace': 'A key was replaced',
  'key.revoke': 'A key was revoked',
} as const;

export type AccountDeed = keyof typeof ACCOUNT_DEEDS;

/** The part of the audit log that is about accounts: their owners read it as well. */
@Injectable()
export class AccountTrail {
  constructor(
    private readonly audit: AuditRepository,
    private readonly mails: AccountMails,
  ) {}

  /** @param what it was done with, such as the name of a key */
  async note(accountId: string, deed: AccountDeed, address: string, what = ''): Promise<void> {
    const account = subjectOf(accountId);
    await this.audit.record({
      actor: account,
      action: deed,
      subject: account,
      reason: what,
      from: networkOf(address),
    });
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

  /** The newest first, also what operators did to it. */
  list(accountId: string): Promise<AuditEntry[]> {
    return this.audit.list({ subject: subjectOf(accountId) }, MAX_SHOWN);
  }
}

const subjectOf = (accountId: string): string => `account:${accountId}`;
