import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Config } from '../../config/config.js';
import { ADVISORY_LOCKS } from '../../config/product.js';
import { Database, type Queryable } from '../../db/database.js';
import type { ListedEvent } from '../../domains/feed/domain-event.repository.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { type TierName, Tiers } from '../../config/tiers.js';
import { WebhookLanes } from './webhook-lanes.js';
import { DeliveryRepository } from './delivery.repository.js';
import { MAX_PENDING, tiersWithWebhooks, type Webhook } from './webhook.js';
import { type BatchSubscriber, deliveriesOf, SUBSCRIBER } from './event-deliveries.js';
import { FEED_TYPES } from '../../domains/schema/events.js';

const EVENTS_AT_ONCE = 500;
/** Events looked at for one replay; each is one delivery at most. */
const MAX_REPLAYED = 10_000;

/** What a replay came to: the last event looked at, and whether there are more than are looked at at once. */
export interface Replayed {
  readonly deliveries: number;
  readonly last: number;
  readonly hasMore: boolean;
}

type SubscriberRow = QueryResultRow & BatchSubscriber;

/**
 * Hands events over to subscribed webhooks. An event is written in the transaction of its change, and the
 * cursor in the transaction of the deliveries, so each event is handed over once even after a kill. It costs
 * the change nothing.
 */
@Injectable()
export class WebhookOutbox {
  private readonly tiers: readonly TierName[];

  constructor(
    private readonly database: Database,
    private readonly domains: DomainRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly reads: ReadDatabase,
    private readonly lanes: WebhookLanes,
    { table }: Tiers,
  ) {
    this.tiers = tiersWithWebhooks(table);
  }

  /**
   * Hands over the next events.
   * @returns the number of deliveries made, and whether more events wait; does nothing while another process
   * is handing over
   */
  async handOver(): Promise<{ made: number; isMore: boolean }> {
    return this.database.transaction(async (transaction) => {
      const [outbox] = await transaction.query<{ last: number }>(
        'SELECT last_event::float8 AS last FROM webhook_outbox FOR UPDATE SKIP LOCKED',
      );
      // Read the high-water mark under the lock, or the cursor might pass it; and before the webhooks, so
      // later subscriptions start after it.
      const [dataset] = await transaction.query<{ newest: number }>(
        'SELECT last_event::float8 AS newest FROM dataset',
      );
      if (!outbox || !dataset || outbox.last >= dataset.newest) return { made: 0, isMore: false };
      const subscribers = await this.listSubscribers(transaction);
      // A receiver may query the name at once.
      if (subscribers.length > 0) await this.reads.untilReadable();
      const events = subscribers.length
        ? await this.domains.feed.listAllAfter(
            outbox.last,
            EVENTS_AT_ONCE,
            FEED_TYPES,
            transaction,
            dataset.newest,
          )
        : [];
      const { made, last } = deliveriesOf(events, subscribers);
      await this.deliveries.insertDeliveries(made, transaction);
      const isMore = events.length === EVENTS_AT_ONCE || last !== events.at(-1)?.number;
      await transaction.query('UPDATE webhook_outbox SET last_event = $1', [isMore ? last : dataset.newest]);
      await this.lanes.wake(
        made.map(({ webhookId }) => webhookId),
        transaction,
      );
      return { made: made.length, isMore };
    });
  }

  /**
   * Delivers past events to one webhook again, if its filter matches and they were handed over; later ones
   * follow without a replay.
   *
   * @returns 'busy' while another replay of the account is under way, 'full' when the queue is full
   */
  async replay(
    { id, accountId }: Webhook,
    after: number,
    remember: (replayed: Replayed, transaction: Queryable) => Promise<void>,
  ): Promise<Replayed | 'busy' | 'full'> {
    return this.database.transaction(async (transaction) => {
      // One at a time for each account, so that the count holds, and replays do not take all connections.
      const [lock] = await transaction.query<{ taken: boolean }>(
        'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS taken',
        [ADVISORY_LOCKS.replay, accountId],
      );
      if (!lock?.taken) return 'busy';
      const [row] = await transaction.query<SubscriberRow & { upTo: number; watchedOnly: boolean }>(
        `SELECT ${SUBSCRIBER}, watched_only AS "watchedOnly",
                greatest(after_event, CASE WHEN watched_only THEN (SELECT last_event FROM watch_outbox)
                                           ELSE (SELECT last_event FROM webhook_outbox) END)::float8 AS "upTo"
           FROM webhook WHERE id = $1`,
        [id],
      );
      if (!row || (await this.deliveries.countPending(id, MAX_PENDING, transaction)) === MAX_PENDING)
        return 'full';
      const events = await this.domains.feed.listAllAfter(
        after,
        MAX_REPLAYED,
        FEED_TYPES,
        transaction,
        row.upTo,
      );
      const told = row.watchedOnly ? await toldOf(accountId, events, transaction) : events;
      const { made } = deliveriesOf(told, [{ ...row, afterEvent: 0 }]);
      const last = events.at(-1)?.number ?? after;
      await this.deliveries.insertDeliveries(made, transaction);
      const replayed = { deliveries: made.length, last, hasMore: events.length === MAX_REPLAYED };
      await remember(replayed, transaction);
      return replayed;
    });
  }

  private async listSubscribers(transaction: Queryable): Promise<SubscriberRow[]> {
    return transaction.query<SubscriberRow>(
      `SELECT ${SUBSCRIBER} FROM webhook JOIN account ON account.id = account_id
        WHERE enabled AND NOT watched_only AND account.tier = ANY ($1) AND account.disabled_at IS NULL`,
      [this.tiers],
    );
  }
}

/** The events that match the account's watched names or searches. */
async function toldOf(
  accountId: string,
  events: readonly ListedEvent[],
  transaction: Queryable,
): Promise<ListedEvent[]> {
  const rows = await transaction.query<{ event: number }>(
    'SELECT event::float8 AS event FROM watch_notice WHERE account_id = $1 AND event = ANY ($2)',
    [accountId, events.map(({ number }) => number)],
  );
  const told = new Set(rows.map(({ event }) => event));
  return events.filter(({ number }) => told.has(number));
}

type WatchingRow = SubscriberRow & { accountId: string };

/**
 * Webhooks limited to their account's watches. The notice matcher hands over accounts' events here, in the
 * transaction that records them: once, and never lost. The deliveries are made like all others.
 */
@Injectable()
export class WatchedWebhooks {
  private readonly tiers: readonly TierName[];

  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryRepository,
    private readonly lanes: WebhookLanes,
    private readonly reads: ReadDatabase,
    private readonly config: Config,
    { table }: Tiers,
  ) {
    this.tiers = tiersWithWebhooks(table);
  }

  /**
   * Wait for this before handing over events, outside any transaction: a receiver may query the name at once.
   */
  async untilReadable(): Promise<void> {
    const [any] = this.config.webhooks.enabled
      ? await this.database.query('SELECT FROM webhook WHERE watched_only AND enabled LIMIT 1')
      : [];
    if (any) await this.reads.untilReadable();
  }

  /** Subscribed webhooks per account: the most deliveries one notice can make. */
  async countByAccount(transaction: Queryable): Promise<Map<string, number>> {
    if (!this.config.webhooks.enabled) return new Map();
    const rows = await transaction.query<{ accountId: string; count: number }>(
      'SELECT account_id AS "accountId", count(*)::int AS count FROM webhook WHERE watched_only ' +
        'AND enabled GROUP BY account_id',
    );
    return new Map(rows.map(({ accountId, count }) => [accountId, count]));
  }

  wake(ids: readonly string[], transaction: Queryable): Promise<void> {
    return this.lanes.wake(ids, transaction);
  }

  /**
   * @param told by account, in the order of the feed
   * @returns the webhooks to wake, as the last statement of the transaction
   */
  async handOver(
    told: ReadonlyMap<string, readonly ListedEvent[]>,
    transaction: Queryable,
  ): Promise<string[]> {
    if (!this.config.webhooks.enabled || told.size === 0) return [];
    const subscribers = await transaction.query<WatchingRow>(
      `SELECT ${SUBSCRIBER}, account_id AS "accountId" FROM webhook JOIN account ON account.id = account_id
        WHERE watched_only AND enabled AND account_id = ANY ($1)
          AND account.tier = ANY ($2) AND account.disabled_at IS NULL`,
      [[...told.keys()], this.tiers],
    );
    const made = subscribers.flatMap(
      (subscriber) => deliveriesOf(told.get(subscriber.accountId) ?? [], [subscriber]).made,
    );
    await this.deliveries.insertDeliveries(made, transaction);
    return made.map(({ webhookId }) => webhookId);
  }
}
