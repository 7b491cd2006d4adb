import { Injectable, Logger } from '@nestjs/common';
import { messageOf } from '../../validation/thrown.js';
import { AuditRepository } from './audit.repository.js';
import { networkOf } from './network.js';

/** What holders do with their accounts, in the words that they read it in. */
export const ACCOUNT_DEEDS = {
  'account.confirm': 'The account was made',
  'account.sign-in': 'Signed in',
  'account.sign-in-failed': 'A sign-in failed',
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
  'webhook.create': 'A webhook was made',
  'webhook.change': 'A webhook was changed',
  'webhook.pause': 'A webhook was paused',
  'webhook.resume': 'A webhook was switched on again',
  'webhook.rotate': 'A webhook got a new secret',
  'webhook.prove': "A webhook's host was proven",
  'webhook.remove': 'A webhook was removed',
  'watch.add': 'A watch was set',
  'watch.remove': 'A watch was removed',
  'watch.mails': 'How often watches mail was changed',
  'watch.feed': 'The feed of watches got a new address',
  'export.links': 'Links to an export were made',
  'export.download': 'An export was fetched',
} as const;

export type AccountDeed = keyof typeof ACCOUNT_DEEDS;

/** Who does something with an account. */
export interface Doer {
  readonly accountId: string;
  /** Where from; only its network is kept. */
  readonly address?: string | undefined;
  /** The key that it was done with; null: on the pages. */
  readonly keyId?: string | null;
}

/** What was done with, such as an address that somebody chose, is kept up to here. */
const MAX_WHAT_LENGTH = 500;

/** What a key can do as often as it likes must not bury the rest: of an hour this many of each are on record. */
const FREQUENT = /^(watch|webhook)\./;
const MAX_FREQUENT_AN_HOUR = 20;

/** The part of the audit log that is about accounts: their owners read it as well. */
@Injectable()
export class AccountDeeds {
  private readonly logger = new Logger('Audit');

  constructor(private readonly audit: AuditRepository) {}

  /** Of watches and webhooks, 20 of a kind in an hour. @param what it was done with, such as the name of a key */
  async note(doer: Doer, deed: AccountDeed, what = ''): Promise<void> {
    const entry = entryOf(doer, deed, what);
    if (FREQUENT.test(deed)) await this.audit.recordFew(entry, MAX_FREQUENT_AN_HOUR);
    else await this.audit.record(entry);
  }

  /**
   * The same of what is done already, and whose answer cannot be had again, such as a secret: a note that cannot be written is in the log of
   * the service instead, and nobody is told that it was not done.
   */
  async noteDone(doer: Doer, deed: AccountDeed, what = ''): Promise<void> {
    try {
      await this.note(doer, deed, what);
    } catch (error) {
      this.logger.error(
        `Not noted: ${deed} by account ${doer.accountId}: ${what.slice(0, MAX_WHAT_LENGTH)}: ${messageOf(error)}`,
      );
    }
  }

  /** The same of what is done often: of an hour and a network it is one entry. */
  async noteOnceAnHour(doer: Doer, deed: AccountDeed, what: string): Promise<void> {
    await this.audit.recordOnceAnHour(entryOf(doer, deed, what));
  }
}

function entryOf({ accountId, address, keyId }: Doer, action: AccountDeed, what: string) {
  const account = `account:${accountId}`;
  const done = what.slice(0, MAX_WHAT_LENGTH);
  const reason = keyId ? `${done} (key ${keyId})` : done;
  return { actor: account, action, subject: account, reason, from: networkOf(address) };
}
