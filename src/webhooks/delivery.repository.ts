import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { Database, type Queryable } from '../database/database.js';
import type { ReceiverAnswer } from './receiver-request.js';
import { type Delivery, type DeliveryState, LOG_DAYS, PATIENCE_DAYS } from './webhook.js';

/** A delivery to be made. */
export type NewDelivery = Pick<Delivery, 'webhookId' | 'type' | 'events'>;

/** A webhook that is held for delivering to it. */
export interface HeldWebhook {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  /** Most events in one delivery. */
  readonly batchSize: number;
  readonly secret: Buffer;
  /** Null once its time is up. */
  readonly previousSecret: Buffer | null;
}

export interface Backlog {
  readonly webhooks: number;
  readonly enabled: number;
  readonly pending: number;
  readonly deliveredToday: number;
  readonly failedToday: number;
  /** When the oldest delivery was made that has not been delivered and is still tried. */
  readonly oldestPending: Date | null;
  /** Events that nobody has handed over yet. */
  readonly waitingEvents: number;
}

type Row = QueryResultRow & Delivery;

const COLUMNS = `id, webhook_id AS "webhookId", type, events::float8[] AS events, status, attempts, due_at AS "dueAt",
  response_status AS "responseStatus", response_text AS "responseText", problem, duration_ms AS "durationMs",
  created_at AS "createdAt", attempted_at AS "attemptedAt"`;

/** The queue of deliveries, which is their log as well. */
@Injectable()
export class DeliveryRepository {
  constructor(private readonly database: Database) {}

  async insertDeliveries(deliveries: readonly NewDelivery[], transaction: Queryable): Promise<void> {
    await transaction.query(
      `INSERT INTO webhook_delivery (webhook_id, type, events)
       SELECT made."webhookId", made.type, made.events
         FROM jsonb_to_recordset($1::jsonb) AS made ("webhookId" uuid, type text, events bigint[])`,
      [JSON.stringify(deliveries)],
    );
  }

  async insertTest(webhookId: string): Promise<Delivery> {
    const [row] = await this.database.query<Row>(
      `INSERT INTO webhook_delivery (webhook_id, type, events) VALUES ($1, 'webhook.test', '{}') RETURNING ${COLUMNS}`,
      [webhookId],
    );
    if (!row) throw new Error('an inserted delivery has a row');
    return row;
  }

  /**
   * Takes webhooks that have something due and that nobody delivers to; those served longest ago first. They are held for
   * `seconds`, unless released before, so that a process that dies holds nothing up for longer.
   *
   * @param failing whether those that last failed are wanted, or the others
   */
  async holdWebhooks(limit: number, seconds: number, failing: boolean): Promise<HeldWebhook[]> {
    return this.database.query<QueryResultRow & HeldWebhook>(
      `UPDATE webhook SET held_until = now() + make_interval(secs => $2)
        WHERE id IN (
          SELECT id FROM webhook AS candidate
           WHERE enabled AND (held_until IS NULL OR held_until <= now()) AND (failing_since IS NOT NULL) = $3
             AND EXISTS (SELECT FROM webhook_delivery
                          WHERE webhook_id = candidate.id AND status = 'pending' AND due_at <= now())
           ORDER BY held_until NULLS FIRST
           LIMIT $1
             FOR UPDATE SKIP LOCKED)
      RETURNING id, account_id AS "accountId", url, batch_size AS "batchSize", secret,
                CASE WHEN previous_until > now() THEN previous_secret END AS "previousSecret"`,
      [limit, seconds, failing],
    );
  }

  /** Goes on holding a webhook. @returns false when it is not there any more, or was switched off */
  async keepHolding(id: string, seconds: number): Promise<boolean> {
    const rows = await this.database.query(
      'UPDATE webhook SET held_until = now() + make_interval(secs => $2) WHERE id = $1 AND enabled RETURNING id',
      [id, seconds],
    );
    return rows.length > 0;
  }

  async release(id: string): Promise<void> {
    // The time stays, as the place in the row of those who wait.
    await this.database.query('UPDATE webhook SET held_until = now() WHERE id = $1', [id]);
  }

  async listDue(webhookId: string, limit: number): Promise<Delivery[]> {
    return this.database.query<Row>(
      `SELECT ${COLUMNS} FROM webhook_delivery
        WHERE webhook_id = $1 AND status = 'pending' AND due_at <= now()
        ORDER BY due_at, id LIMIT $2`,
      [webhookId, limit],
    );
  }

  /** Writes down what came of an attempt. @param delaySeconds until the next one; null when there is none */
  async recordAttempt(
    { id, webhookId }: Delivery,
    answer: ReceiverAnswer,
    outcome: { readonly delivered: boolean; readonly delaySeconds: number | null },
  ): Promise<void> {
    const status: DeliveryState = outcome.delivered
      ? 'delivered'
      : outcome.delaySeconds === null
        ? 'failed'
        : 'pending';
    await this.database.query(
      `WITH attempt AS (
         UPDATE webhook_delivery
            SET status = $2, attempts = attempts + 1, attempted_at = now(), response_status = $3, response_text = $4,
                problem = $5, duration_ms = $6, due_at = now() + make_interval(secs => $7)
          WHERE id = $1
       )
       UPDATE webhook SET failing_since = CASE WHEN $2 = 'delivered' THEN NULL ELSE coalesce(failing_since, now()) END
        WHERE id = $8 AND (failing_since IS NULL) <> ($2 = 'delivered')`,
      [
        id,
        status,
        answer.status,
        answer.text,
        answer.problem,
        answer.durationMs,
        outcome.delaySeconds ?? 0,
        webhookId,
      ],
    );
  }

  /** Switches a webhook off. @returns the address of its owner, unless it was off already */
  async disable(webhookId: string, reason: string): Promise<string | null> {
    const [row] = await this.database.query<{ email: string }>(
      `UPDATE webhook SET enabled = false, disabled_reason = $2, updated_at = now()
         FROM account WHERE webhook.id = $1 AND enabled AND account.id = account_id
       RETURNING account.email`,
      [webhookId, reason],
    );
    return row?.email ?? null;
  }

  /** Whether nothing has succeeded for longer than anybody's patience. */
  async isHopeless(webhookId: string): Promise<boolean> {
    const [row] = await this.database.query<{ hopeless: boolean | null }>(
      'SELECT failing_since < now() - make_interval(days => $2) AS hopeless FROM webhook WHERE id = $1',
      [webhookId, PATIENCE_DAYS],
    );
    return row?.hopeless ?? false;
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
        WHERE webhook_id = $1 AND ($2::text IS NULL OR status = $2)
          AND ($3::timestamptz IS NULL OR (created_at, id) < ($3::timestamptz, $4::uuid))
        ORDER BY created_at DESC, id DESC LIMIT $5`,
      [webhookId, status, before?.at, before?.id, limit],
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
  async redeliver(webhookId: string, id: string): Promise<Delivery | null> {
    const [row] = await this.database.query<Row>(
      `UPDATE webhook_delivery SET status = 'pending', attempts = 0, due_at = now()
        WHERE webhook_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
      [webhookId, id],
    );
    return row ?? null;
  }

  async deleteOld(): Promise<number> {
    const rows = await this.database.query(
      `DELETE FROM webhook_delivery WHERE created_at < now() - make_interval(days => $1) RETURNING id`,
      [LOG_DAYS],
    );
    return rows.length;
  }

  async readBacklog(accountId: string | null = null): Promise<Backlog> {
    const [row] = await this.database.query<QueryResultRow & Backlog>(
      `SELECT (SELECT count(*)::int FROM webhook WHERE $1::uuid IS NULL OR account_id = $1) AS webhooks,
              (SELECT count(*)::int FROM webhook WHERE enabled AND ($1::uuid IS NULL OR account_id = $1)) AS enabled,
              count(*) FILTER (WHERE status = 'pending')::int AS pending,
              count(*) FILTER (WHERE status = 'delivered' AND attempted_at > now() - interval '1 day')::int AS "deliveredToday",
              count(*) FILTER (WHERE status = 'failed' AND attempted_at > now() - interval '1 day')::int AS "failedToday",
              min(webhook_delivery.created_at) FILTER (WHERE status = 'pending') AS "oldestPending",
              (SELECT (dataset.last_event - coalesce(webhook_outbox.last_event, dataset.last_event))::float8
                 FROM dataset LEFT JOIN webhook_outbox ON true) AS "waitingEvents"
         FROM webhook_delivery
         JOIN webhook ON webhook.id = webhook_id AND ($1::uuid IS NULL OR account_id = $1)`,
      [accountId],
    );
    if (!row) throw new Error('an aggregate gave no row');
    return row;
  }
}
