import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import type { Remember } from '../../access/idempotent-requests.js';
import { Database, type Queryable } from '../../db/database.js';
import type { TierName } from '../../config/tiers.js';
import type { ReceiverAnswer } from './receiver-request.js';
import { type Delivery, type DeliveryState, type DueDelivery, SLOW_MS } from './webhook.js';
import { PACED, PROVEN } from './webhook.repository.js';

export type NewDelivery = Pick<Delivery, 'webhookId' | 'type' | 'events' | 'isBatch'>;

export interface Attempt {
  readonly delivery: Pick<Delivery, 'id' | 'attempts'>;
  readonly answer: ReceiverAnswer;
  readonly delivered: boolean;
  /** Until the next attempt; null when there is none. */
  readonly delaySeconds: number | null;
  /** For how long nothing at all is to be delivered to this address; null: no pause. */
  readonly pauseSeconds: number | null;
}

export interface Backlog {
  readonly webhooks: number;
  readonly enabled: number;
  readonly pending: number;
  /**
   * Deliveries blocked by a tier without webhooks or an unproven host: they wait for the owner, not for a
   * worker.
   */
  readonly held: number;
  readonly deliveredToday: number;
  readonly failedToday: number;
  /** When the oldest event happened, or the oldest delivery was made, that waits and is neither given up nor held. */
  readonly oldestWaiting: Date | null;
  /** Events that are not yet handed over. */
  readonly waitingEvents: number;
}

type Row = QueryResultRow & Delivery;

const INSERTED_AT_ONCE = 5_000;

const DUE_COLUMNS = `id, webhook_id AS "webhookId", type, events::float8[] AS events, is_batch AS "isBatch",
         data, attempts, created_at AS "createdAt"`;
const COLUMNS = `${DUE_COLUMNS}, status,
  greatest(due_at, (SELECT greatest(not_before, CASE WHEN NOT ${PROVEN} THEN next_at END)
                      FROM webhook LEFT JOIN webhook_turn USING (account_id) WHERE webhook.id = webhook_id)) AS "dueAt",
  response_status AS "responseStatus", response_text AS "responseText", problem, duration_ms AS "durationMs",
  attempted_at AS "attemptedAt"`;

// The states are written out, as the indexes are for one state each.
const IN_STATE: Readonly<Record<DeliveryState, string>> = {
  pending: `AND status = 'pending'`,
  delivered: `AND status = 'delivered'`,
  failed: `AND status = 'failed'`,
};
/** The queue of deliveries, which is their log as well. */
@Injectable()
export class DeliveryRepository {
  constructor(private readonly database: Database) {}

  async insertDeliveries(deliveries: readonly NewDelivery[], transaction: Queryable): Promise<void> {
    for (let start = 0; start < deliveries.length; start += INSERTED_AT_ONCE)
      await transaction.query(
        `INSERT INTO webhook_delivery (webhook_id, type, events, is_batch)
         SELECT made."webhookId", made.type, made.events, made."isBatch"
           FROM jsonb_to_recordset($1::jsonb)
             AS made ("webhookId" uuid, type text, events bigint[], "isBatch" boolean)`,
        [JSON.stringify(deliveries.slice(start, start + INSERTED_AT_ONCE))],
      );
  }

  insertTest(webhookId: string, remember?: Remember): Promise<Delivery> {
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.query<Row>(
        `INSERT INTO webhook_delivery (webhook_id, type, events) VALUES ($1, 'webhook.test', '{}') RETURNING ${COLUMNS}`,
        [webhookId],
      );
      if (!row) throw new Error('an inserted delivery has a row');
      await remember?.(row.id, transaction);
      return row;
    });
  }

  async find(webhookId: string, id: string): Promise<Delivery | null> {
    const [row] = await this.database.query<Row>(
      `SELECT ${COLUMNS} FROM webhook_delivery WHERE webhook_id = $1 AND id = $2`,
      [webhookId, id],
    );
    return row ?? null;
  }

  async listDue(webhookId: string, limit: number): Promise<DueDelivery[]> {
    return this.database.query<QueryResultRow & DueDelivery>(
      `SELECT ${DUE_COLUMNS} FROM webhook_delivery
        WHERE webhook_id = $1 AND status = 'pending' AND due_at <= now()
        ORDER BY due_at LIMIT $2`,
      [webhookId, limit],
    );
  }

  /**
   * Writes the results of attempts in order, except for deliveries settled meanwhile, and updates the
   * receiver's state unless the webhook's URL changed. One transaction, which begins with the fence of the
   * run.
   *
   * @param webhook.url where they were delivered to
   */
  async recordAttempts(
    { id, url }: { readonly id: string; readonly url: string },
    attempts: readonly Attempt[],
  ): Promise<void> {
    const last = attempts.at(-1);
    if (!last) return;
    const column = <Value>(read: (attempt: Attempt) => Value) => attempts.map(read);
    const pauses = attempts.flatMap(({ pauseSeconds }) => pauseSeconds ?? []);
    await this.database.transaction((transaction) =>
      transaction.query(
        `WITH attempt AS (
           UPDATE webhook_delivery
              SET status = made.status, attempts = webhook_delivery.attempts + 1, attempted_at = now(),
                  response_status = made.code, response_text = made.text, problem = made.problem,
                  duration_ms = made.duration_ms, due_at = now() + make_interval(secs => made.delay)
             FROM unnest($1::uuid[], $2::int[], $3::text[], $4::int[], $5::text[], $6::text[], $7::int[], $8::float8[])
               AS made (id, attempts, status, code, text, problem, duration_ms, delay)
            WHERE webhook_delivery.id = made.id
              AND (made.status = 'delivered'
                   OR webhook_delivery.status = 'pending' AND webhook_delivery.attempts = made.attempts)
         )
         UPDATE webhook
            SET failing_since = CASE WHEN $11 THEN NULL WHEN $12 THEN now() ELSE coalesce(failing_since, now()) END,
                is_slow = $13, not_before = greatest(not_before, now() + make_interval(secs => $14))
          WHERE id = $9 AND url = $10
            AND ((failing_since IS NULL) <> $11 OR is_slow <> $13 OR $14::float8 IS NOT NULL)`,
        [
          column(({ delivery }) => delivery.id),
          column(({ delivery }) => delivery.attempts),
          column(({ delivered, delaySeconds }): DeliveryState =>
            delivered ? 'delivered' : delaySeconds === null ? 'failed' : 'pending',
          ),
          column(({ answer }) => answer.status),
          column(({ answer }) => answer.text),
          column(({ answer }) => answer.problem),
          column(({ answer }) => answer.durationMs),
          column(({ delaySeconds }) => delaySeconds ?? 0),
          ...[id, url, last.delivered, attempts.some(({ delivered }) => delivered)],
          ...[last.answer.durationMs > SLOW_MS, pauses.length > 0 ? Math.max(...pauses) : null],
        ],
      ),
    );
  }

  /** Writes down that there was nothing to send, which tells nothing of the receiver. */
  async recordUnsent({ id, attempts }: DueDelivery, problem: string): Promise<void> {
    await this.database.transaction((transaction) =>
      transaction.query(
        `UPDATE webhook_delivery
          SET status = 'failed', attempts = attempts + 1, attempted_at = now(),
            response_status = NULL, response_text = NULL,
              problem = $2, duration_ms = 0
        WHERE id = $1 AND status = 'pending' AND attempts = $3`,
        [id, problem, attempts],
      ),
    );
  }

  /** Newest first. @param before the delivery to go on behind */
  async listDeliveries(
    webhookId: string,
    status: DeliveryState | undefined,
    before: { readonly at: string; readonly id: string } | null,
    limit: number,
  ): Promise<Delivery[]> {
    return this.database.query<Row>(
      `SELECT ${COLUMNS} FROM webhook_delivery
        WHERE webhook_id = $1 ${status ? IN_STATE[status] : ''}
          AND ($2::timestamptz IS NULL OR (created_at, id) < ($2::timestamptz, $3::uuid))
        ORDER BY created_at DESC, id DESC LIMIT $4`,
      [webhookId, before?.at, before?.id, limit],
    );
  }

  /** The time of a delivery to the microsecond, to go on behind it. */
  async placeOf(webhookId: string, id: string): Promise<{ at: string; id: string } | null> {
    const [row] = await this.database.query<{ at: string }>(
      `SELECT created_at::text AS at FROM webhook_delivery WHERE webhook_id = $1 AND id = $2`,
      [webhookId, id],
    );
    return row ? { at: row.at, id } : null;
  }

  /** How many wait, counted no further than `limit`. */
  async countPending(webhookId: string, limit: number, source: Queryable): Promise<number> {
    const [row] = await source.query<{ count: number }>(
      `SELECT count(*)::int AS count
         FROM (SELECT FROM webhook_delivery WHERE webhook_id = $1 AND status = 'pending' LIMIT $2) AS waiting`,
      [webhookId, limit],
    );
    return row?.count ?? 0;
  }

  /** Makes a delivery due again, as if it had never been tried; its id stays. */
  redeliver(webhookId: string, id: string, remember: Remember): Promise<Delivery | null> {
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.query<Row>(
        `UPDATE webhook_delivery SET status = 'pending', attempts = 0, due_at = now(), problem = NULL
          WHERE webhook_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
        [webhookId, id],
      );
      if (row) await remember(id, transaction);
      return row ?? null;
    });
  }

  async readBacklog(tiers: readonly TierName[]): Promise<Backlog> {
    const [row] = await this.database.query<QueryResultRow & Backlog>(
      `SELECT (SELECT count(*)::int FROM webhook) AS webhooks,
              (SELECT count(*)::int FROM webhook WHERE enabled) AS enabled,
              waiting.pending, waiting.held, lately.delivered AS "deliveredToday", lately.failed AS "failedToday",
              least(waiting.oldest, unseen.oldest) AS "oldestWaiting", unseen.events AS "waitingEvents"
         FROM (SELECT count(*) FILTER (WHERE is_free)::int AS pending, count(*) FILTER (WHERE NOT is_free)::int AS held,
                      min(created_at) FILTER (WHERE is_free) AS oldest
                 FROM (SELECT webhook_delivery.created_at,
                   tier = ANY ($1) AND disabled_at IS NULL AND NOT ${PACED} AS is_free
                         FROM webhook_delivery JOIN webhook ON webhook.id = webhook_id AND enabled
                              JOIN account ON account.id = account_id
                        WHERE status = 'pending') AS all_waiting) AS waiting,
              (SELECT count(*) FILTER (WHERE status = 'delivered')::int AS delivered,
                      count(*) FILTER (WHERE status = 'failed')::int AS failed
                 FROM webhook_delivery
                -- The age has an index, and the schedule takes three days. What was asked for again later is left out.
                WHERE attempted_at > now() - interval '1 day' AND created_at > now() - interval '5 days') AS lately,
              (SELECT count(*)::int AS events, min(occurred_at) AS oldest
                 FROM domain_event WHERE number > (SELECT last_event FROM webhook_outbox)) AS unseen`,
      [tiers],
    );
    if (!row) throw new Error('an aggregate gave no row');
    return row;
  }
}
