import { Injectable, Logger, Module } from '@nestjs/common';
import { Database, type Queryable } from '../db/database.js';
import { networkAround, readAddress } from '../validation/networks.js';
import { messageOf } from '../validation/unknown-values.js';

interface Deed {
  /** Who, such as `operator:alice`. */
  readonly actor: string;
  /** What, such as `domain.hide`. */
  readonly action: string;
  /** To what, such as `domain:surf.com.au`. */
  readonly subject: string;
  readonly reason: string;
  /** The network it came from, shortened; null where there is none. */
  readonly from: string | null;
}

export interface AuditEntry extends Deed {
  readonly id: number;
  readonly at: Date;
}

/** Which entries: a property that is left out does not filter. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  /** Older than the entry with this id. */
  readonly before?: number | undefined;
}

type Row = Omit<AuditEntry, 'id'> & { id: string };

/** The audit log: entries are added, and deleted by their age; those of an account go with the account. */
@Injectable()
export class AuditRepository {
  constructor(private readonly database: Database) {}

  /** @param transaction of the change itself, so that change and entry commit together */
  async record({ actor, action, subject, reason, from }: Deed, transaction?: Queryable): Promise<void> {
    await (transaction ?? this.database).query(
      `INSERT INTO audit_log (actor, action, subject, reason, "from") VALUES ($1, $2, $3, $4, $5)`,
      [actor, action, subject, reason, from],
    );
  }

  /**
   * Skips it when the hour has `most` such entries of this subject and actor. Concurrent calls do not see each
   * other.
   */
  async recordFew({ actor, action, subject, reason, from }: Deed, most: number): Promise<void> {
    await this.database.query(
      `INSERT INTO audit_log (actor, action, subject, reason, "from") SELECT $1, $2, $3, $4, $5
        WHERE (SELECT count(*) FROM audit_log
                WHERE subject = $3 AND action = $2 AND at > now() - interval '1 hour' AND actor = $1) < $6`,
      [actor, action, subject, reason, from, most],
    );
  }

  /** Skips it when the hour has the same entry from the same network. */
  async recordOnceAnHour({ actor, action, subject, reason, from }: Deed): Promise<void> {
    await this.database.query(
      `INSERT INTO audit_log (actor, action, subject, reason, "from") SELECT $1, $2, $3, $4, $5
        WHERE NOT EXISTS (SELECT FROM audit_log
                           WHERE subject = $3 AND action = $2 AND at > now() - interval '1 hour' AND reason = $4
                             AND "from" IS NOT DISTINCT FROM $5)`,
      [actor, action, subject, reason, from],
    );
  }

  /** The newest first. */
  async list({ actor, action, subject, before }: AuditFilter, limit: number): Promise<AuditEntry[]> {
    const rows = await this.database.query<Row>(
      `SELECT id, at, actor, action, subject, reason, "from" FROM audit_log
        WHERE ($1::text IS NULL OR actor = $1) AND ($2::text IS NULL OR action = $2)
          AND ($3::text IS NULL OR subject = $3) AND ($4::bigint IS NULL OR id < $4)
        ORDER BY id DESC LIMIT $5`,
      [actor, action, subject, before, limit],
    );
    return rows.map((row) => ({ ...row, id: Number(row.id) }));
  }

  async deleteBefore(at: Date): Promise<void> {
    await this.database.query('DELETE FROM audit_log WHERE at < $1', [at]);
  }
}

const IPV4_BITS = 24;
const IPV6_BITS = 48;

/**
 * The network of an address, which may have a port, /24 or /48; the address itself is not stored.
 *
 * @returns null for an invalid address
 */
export function networkOf(text: string | null | undefined): string | null {
  const address = readAddress(text ?? undefined);
  return address && networkAround(address, address.kind() === 'ipv4' ? IPV4_BITS : IPV6_BITS);
}

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
  'key.elsewhere': 'A key was refused outside its networks',
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
  'registrant.add': 'A registrant was added',
  'registrant.change': 'A registrant was changed',
  'registrant.remove': 'A registrant was removed',
  'mandate.create': 'A mandate for orders was made',
  'mandate.accept': 'The agreements of a mandate were accepted',
  'mandate.end': 'A mandate for orders was ended',
  'export.links': 'Links to an export were made',
  'export.download': 'An export was fetched',
} as const;

export type AccountAction = keyof typeof ACCOUNT_ACTIONS;

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
const FREQUENT = /^(watch|webhook|registrant)\./;
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

@Module({
  providers: [AuditRepository, AccountAuditLog],
  exports: [AuditRepository, AccountAuditLog],
})
export class AuditModule {}
