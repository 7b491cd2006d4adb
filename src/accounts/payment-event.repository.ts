import { Injectable } from '@nestjs/common';
import { AuditRepository } from '../observe/audit/audit.repository.js';
import { Database, type Queryable } from '../db/database.js';
import type { TierName } from '../config/tiers.js';

/** The state of a subscription in an event of the provider. */
export interface SubscriptionNews {
  readonly eventId: string;
  readonly subscription: string;
  readonly accountId: string;
  readonly happenedAt: Date;
  /** Null: it has ended. */
  readonly tier: TierName | null;
}

/** `duplicate`: the event was applied before. */
export type PaymentOutcome = 'applied' | 'outdated' | 'no_account' | 'other_subscription' | 'duplicate';

/** The tier of an account without a paid subscription. */
const FREE: TierName = 'member';

/** Applies each event once, also if it is repeated, late, or received by two instances at once. */
@Injectable()
export class PaymentEventRepository {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditRepository,
  ) {}

  async take(news: SubscriptionNews, provider: string): Promise<PaymentOutcome> {
    return this.database.transaction(async (transaction) => {
      const [account] = await transaction.query<{ tier: TierName }>(
        'SELECT tier FROM account WHERE id = $1 FOR UPDATE',
        [news.accountId],
      );
      const outcome = account ? await judge(news, transaction) : 'no_account';
      const rows = await transaction.query(
        `INSERT INTO payment_event (id, subscription, account_id, happened_at, outcome) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO NOTHING RETURNING id`,
        [news.eventId, news.subscription, news.accountId, news.happenedAt, outcome],
      );
      if (rows.length === 0) return 'duplicate';
      const tier = news.tier ?? FREE;
      if (account && outcome === 'applied' && account.tier !== tier)
        await this.setTier(news, account.tier, tier, provider, transaction);
      return outcome;
    });
  }

  private async setTier(
    { accountId, eventId }: SubscriptionNews,
    before: TierName,
    tier: TierName,
    provider: string,
    transaction: Queryable,
  ): Promise<void> {
    await transaction.query('UPDATE account SET tier = $2, updated_at = now() WHERE id = $1', [
      accountId,
      tier,
    ]);
    const reason = `event ${eventId.slice(0, 255)} (${before} -> ${tier})`;
    const entry = {
      actor: provider,
      action: 'account.tier',
      subject: `account:${accountId}`,
      reason,
      from: null,
    };
    await this.audit.record(entry, transaction);
  }
}

/** Events arrive in any order, and the end of one subscription does not end a newer one. */
async function judge(
  { accountId, subscription, happenedAt, tier }: SubscriptionNews,
  transaction: Queryable,
): Promise<Exclude<PaymentOutcome, 'duplicate' | 'no_account'>> {
  const [last] = await transaction.query<{ subscription: string; happened_at: Date }>(
    `SELECT subscription, happened_at FROM payment_event WHERE account_id = $1 AND outcome = 'applied'
      ORDER BY happened_at DESC, received_at DESC LIMIT 1`,
    [accountId],
  );
  if (last && last.happened_at > happenedAt) return 'outdated';
  return last && tier === null && last.subscription !== subscription ? 'other_subscription' : 'applied';
}
