import { Injectable } from '@nestjs/common';
import { Database } from '../../db/database.js';
import { WEBHOOK_KIND } from './webhook-lanes.js';
import { LOG_DAYS } from './webhook.js';

/** Deliveries changed or removed by one statement, so that none takes long. */
const MAX_AT_ONCE = 10_000;

const LOG_BEGINS = 'now() - make_interval(days => $1)';

@Injectable()
export class DeliveryCleanupRepository {
  constructor(private readonly database: Database) {}

  /** What waits for a webhook that is off is not delivered: its owner has it replayed if it is wanted. */
  async cancel(webhookId: string): Promise<void> {
    await inSteps(() =>
      this.database.query(
        `UPDATE webhook_delivery SET status = 'failed', problem = 'the webhook was switched off'
          WHERE id = ANY (ARRAY(
                  SELECT id FROM webhook_delivery
                   WHERE webhook_id = $1 AND status = 'pending'
                     AND EXISTS (SELECT FROM webhook WHERE webhook.id = $1 AND NOT enabled)
                   LIMIT ${MAX_AT_ONCE}))
            -- What was delivered while this waited for it is not given up.
            AND status = 'pending'
        RETURNING id`,
        [webhookId],
      ),
    );
  }

  /**
   * Cancels for every disabled webhook, after an interrupted run or deliveries that arrived during the
   * switch.
   */
  async cancelWhereOff(): Promise<void> {
    const off = await this.database.query<{ id: string }>(
      `SELECT id FROM webhook
        WHERE NOT enabled
          AND EXISTS (SELECT FROM webhook_delivery WHERE webhook_id = webhook.id AND status = 'pending')`,
    );
    for (const { id } of off) await this.cancel(id);
  }

  /**
   * Deletes deliveries older than the log, unless retried since.
   * @returns how many deliveries
   */
  async deleteOld(): Promise<number> {
    // Waiting deliveries stay for the same time, not for ever: those blocked by the tier are never attempted.
    return this.deleteInSteps(
      `created_at < ${LOG_BEGINS} AND (status <> 'pending' OR due_at < ${LOG_BEGINS})`,
      LOG_DAYS,
    );
  }

  /** Removes the logs of webhooks that are there no more. @returns how many deliveries */
  async deleteOfRemovedWebhooks(): Promise<number> {
    // From one webhook to the next in the index of the log: a step a webhook, however much each has.
    const removed = await this.database.query<{ id: string }>(
      `WITH RECURSIVE logged AS (
         (SELECT webhook_id FROM webhook_delivery ORDER BY webhook_id LIMIT 1)
         UNION ALL
         SELECT (SELECT next.webhook_id FROM webhook_delivery AS next
                  WHERE next.webhook_id > logged.webhook_id ORDER BY next.webhook_id LIMIT 1)
           FROM logged WHERE webhook_id IS NOT NULL
       )
       SELECT webhook_id AS id FROM logged
        WHERE webhook_id IS NOT NULL AND NOT EXISTS (SELECT FROM webhook WHERE id = webhook_id)`,
    );
    await this.database.query(
      `DELETE FROM work WHERE kind = $1 AND holder IS NULL AND NOT EXISTS (SELECT FROM webhook WHERE id::text = key)`,
      [WEBHOOK_KIND],
    );
    let count = 0;
    for (const { id } of removed) count += await this.deleteInSteps('webhook_id = $1', id);
    return count;
  }

  private async deleteInSteps(condition: string, value: unknown): Promise<number> {
    return inSteps(() =>
      this.database.query(
        `DELETE FROM webhook_delivery
          WHERE id = ANY (ARRAY(SELECT id FROM webhook_delivery WHERE ${condition} LIMIT ${MAX_AT_ONCE}))
        RETURNING id`,
        [value],
      ),
    );
  }
}

/**
 * Repeats a statement until it finds nothing. Each picks its rows by an array: for IN with a limited
 * subquery, the planner may run the subquery again for each row.
 *
 * @returns how many rows it found in all
 */
async function inSteps(step: () => Promise<unknown[]>): Promise<number> {
  for (let count = 0; ;) {
    const { length } = await step();
    if (length === 0) return count;
    count += length;
  }
}
