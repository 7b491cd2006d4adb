import { Injectable, Logger, Module } from '@nestjs/common';
import { messageOf } from '../../validation/unknown-values.js';
import { AuditRepository, networkOf } from './audit.repository.js';

/** Actions of account holders, with the words that the activity page shows. */
export const ACCOUNT_ACTIONS = {
  'account.confirm': 'The account was made',
  'account.sign-in': 'Signed in',
  'account.sign-in-failed': 'A sign-in failed',
  'account.password-change': 'The password was changed',
  'account.password-reset': 'The password was reset with a mailed link',
  'account.delete': 'The account was deleted',
  'factor.add': 'A second factor was set up',
  'factor.remove': 'The second factor was removed',
  'passkey.add': 'A passkey was added',
  'passkey.remove': 'A passkey was removed',
  'key.create': 'A key was made',
  'key.replace': 'A key was replaced',
  'key.revoke': 'A key was revoked',
  'app.connect': 'An app was connected',
  'app.disconnect': 'An app was disconnected',
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

export type AccountAction = keyof typeof ACCOUNT_ACTIONS;

/** The account that acts. */
export interface Actor {
  readonly accountId: string;
  /** The caller's IP address; only its network is stored. */
  readonly address?: string | undefined;
  /** The key of the request; null: a signed-in session. */
  readonly keyId?: string | null;
}

/** Details are cut to this length: a caller chooses some of them, such as the URL of a webhook. */
const MAX_DETAILS_LENGTH = 500;

/** A key can repeat these actions without limit, so only this many of each are recorded per hour. */
const FREQUENT = /^(watch|webhook)\./;
const MAX_FREQUENT_AN_HOUR = 20;

/** The entries of the audit log that are about accounts; their owners can read them. */
@Injectable()
export class AccountAuditLog {
  private readonly logger = new Logger('Audit');

  constructor(private readonly audit: AuditRepository) {}

  /** Watch and webhook actions are recorded 20 times an hour at most. @param details such as the name of a key */
  async record(actor: Actor, action: AccountAction, details = ''): Promise<void> {
    const entry = entryOf(actor, action, details);
    if (FREQUENT.test(action)) await this.audit.recordFew(entry, MAX_FREQUENT_AN_HOUR);
    else await this.audit.record(entry);
  }

  /**
   * For an action that is complete and whose answer cannot be repeated, such as a new secret. If the entry cannot be
   * written, it goes to the service's log and the request still succeeds.
   */
  async recordBestEffort(actor: Actor, action: AccountAction, details = ''): Promise<void> {
    try {
      await this.record(actor, action, details);
    } catch (error) {
      const done = details.slice(0, MAX_DETAILS_LENGTH);
      this.logger.error(
        `Not in the audit log: ${action} by account ${actor.accountId}: ${done}: ${messageOf(error)}`,
      );
    }
  }

  /** For frequent actions: one entry per hour and network. */
  async recordOnceAnHour(actor: Actor, action: AccountAction, details: string): Promise<void> {
    await this.audit.recordOnceAnHour(entryOf(actor, action, details));
  }
}

function entryOf({ accountId, address, keyId }: Actor, action: AccountAction, details: string) {
  const account = `account:${accountId}`;
  const done = details.slice(0, MAX_DETAILS_LENGTH);
  const reason = keyId ? `${done} (key ${keyId})` : done;
  return { actor: account, action, subject: account, reason, from: networkOf(address) };
}

/** Who changed what, and why. */
@Module({
  providers: [AuditRepository, AccountAuditLog],
  exports: [AuditRepository, AccountAuditLog],
})
export class AuditModule {}
