import { Injectable } from '@nestjs/common';
import { AuditRepository } from '../observe/audit.repository.js';
import { Database, type Queryable } from '../db/database.js';
import { TIER_NAMES, type TierName } from '../config/tiers.js';

/** What a subscription pays for, by the latest event about it. */
export interface SubscriptionState {
  readonly subscription: string;
  readonly eventId: string;
  readonly happenedAt: Date;
  /** Whether it ended for good: it cannot begin again. */
  readonly isEnded: boolean;
  /** Null: it pays for nothing now. */
  readonly tier: TierName | null;
}

/** An event of the provider about a subscription. */
export interface SubscriptionNews extends SubscriptionState {
  readonly accountId: string;
}

/** `outdated`: the stored state is later. `duplicate`: the event was applied before. */
export type PaymentOutcome = 'applied' | 'outdated' | 'no_account' | 'duplicate';

/** The tier of an account without a paid subscription. */
const FREE: TierName = 'member';

/**
 * Whether an event replaces the stored state. This is a total order, so events give the same result in any order: an
 * end is final; then the later event counts; of one second (the provider's resolution) the better tier.
 */
export function isLater(news: SubscriptionState, known: SubscriptionState): boolean {
  if (news.isEnded !== known.isEnded) return news.isEnded;
  const elapsedMs = news.happenedAt.getTime() - known.happenedAt.getTime();
  if (elapsedMs !== 0) return elapsedMs > 0;
  if (news.tier !== known.tier) return rankOf(news.tier) > rankOf(known.tier);
  return news.eventId > known.eventId;
}

/** The best tier that the subscriptions, or items of one, pay for; null if none does. */
export function bestTier(subscriptions: Iterable<Pick<SubscriptionState, 'tier'>>): TierName | null {
  let best: TierName | null = null;
  for (const { tier } of subscriptions) if (rankOf(tier) > rankOf(best)) best = tier;
  return best;
}

const rankOf = (tier: TierName | null): number => (tier === null ? -1 : TIER_NAMES.indexOf(tier));

/** Applies each event once, also if it is repeated, late, or received by two instances at once. */
@Injectable()
export class PaymentEventRepository {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditRepository,
  ) {}

  async take(news: SubscriptionNews, provider: string): Promise<PaymentOutcome> {
    return this.database.transaction(async (transaction) => {
      // The lock serialises the events of an account.
      const [account] = await transaction.query<{ tier: TierName }>(
        'SELECT tier FROM account WHERE id = $1 FOR UPDATE',
        [news.accountId],
      );
      const known = account ? await listSubscriptions(news.accountId, transaction) : [];
      const stored = known.find(({ subscription }) => subscription === news.subscription);
      const isApplied = account !== undefined && (!stored || isLater(news, stored));
      const outcome = !account ? 'no_account' : isApplied ? 'applied' : 'outdated';
      const rows = await transaction.query(
        `INSERT INTO payment_event (id, subscription, account_id, happened_at, outcome) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO NOTHING RETURNING id`,
        [news.eventId, news.subscription, news.accountId, news.happenedAt, outcome],
      );
      if (rows.length === 0) return 'duplicate';
      if (!isApplied) return outcome;
      await storeSubscription(news, transaction);
      // Compared with the best until now, so that a tier set by an operator stays until a subscription changes.
      const best = bestTier([...known.filter((one) => one !== stored), news]);
      const tier = best ?? FREE;
      if (best !== bestTier(known) && account.tier !== tier)
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

async function listSubscriptions(accountId: string, transaction: Queryable): Promise<SubscriptionState[]> {
  return transaction.query<SubscriptionState>(
    `SELECT subscription, event_id AS "eventId", happened_at AS "happenedAt", is_ended AS "isEnded", tier
       FROM payment_subscription WHERE account_id = $1`,
    [accountId],
  );
}

async function storeSubscription(
  { accountId, subscription, eventId, happenedAt, isEnded, tier }: SubscriptionNews,
  transaction: Queryable,
): Promise<void> {
  await transaction.query(
    `INSERT INTO payment_subscription (account_id, subscription, event_id, happened_at, is_ended, tier)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (account_id, subscription) DO UPDATE
     SET event_id = excluded.event_id, happened_at = excluded.happened_at, is_ended = excluded.is_ended,
         tier = excluded.tier`,
    [accountId, subscription, eventId, happenedAt, isEnded, tier],
  );
}
