import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { lockAccount } from '../../access/api-key.repository.js';
import { Database, type Queryable } from '../../db/database.js';
import { MAX_EARLIER_SECRETS, MAX_WEBHOOKS, type Webhook, type WebhookSettings } from './webhook.js';

export interface StoredWebhook {
  readonly webhook: Webhook;
  readonly secret: Buffer;
}

const RESEALED_AT_ONCE = 500;

type Row = QueryResultRow & Webhook;
type Also = (transaction: Queryable) => Promise<void>;

/** Of a row of `webhook`: whether its account has proven its host, or its address alone. */
export const PROVEN = `EXISTS (SELECT FROM webhook_proof AS proof
  WHERE proof.account_id = webhook.account_id AND proof.place IN (webhook.host, webhook.url))`;

/** And whether its deliveries take turns with those to all that the account has not proven: one was taken lately. */
export const PACED = `(NOT ${PROVEN} AND EXISTS (SELECT FROM webhook_turn AS turn
  WHERE turn.account_id = webhook.account_id AND next_at > now() - interval '1 hour'))`;

const COLUMNS = `id, ${PROVEN} AS "isProven", account_id AS "accountId", url, description,
         event_types AS "eventTypes", watched_only AS "watchedOnly", suffixes, q, mode,
  min_wayback AS "minWayback", min_length AS "minLength", max_length AS "maxLength", batch_size AS "batchSize", enabled,
  disabled_reason AS "disabledReason", created_at AS "createdAt", updated_at AS "updatedAt"`;
const SETTINGS = {
  url: 'url',
  description: 'description',
  event_types: 'eventTypes',
  watched_only: 'watchedOnly',
  suffixes: 'suffixes',
  q: 'q',
  mode: 'mode',
  min_wayback: 'minWayback',
  min_length: 'minLength',
  max_length: 'maxLength',
  batch_size: 'batchSize',
  enabled: 'enabled',
} as const satisfies Record<string, keyof WebhookSettings>;
const SETTING_COLUMNS = Object.keys(SETTINGS);

const LIVE =
  'FROM unnest(earlier_secrets, earlier_until) AS earlier (sealed, ends) WHERE ends > now() ORDER BY ends DESC';
/** Of a row of `webhook`: the earlier secrets that still sign, the newest first. */
export const LIVE_SECRETS = `SELECT sealed ${LIVE}`;
const LIVE_UNTIL = `SELECT ends ${LIVE}`;

/** Wherever the secret is by now: its owner may rotate it meanwhile, or an earlier one ends. */
const RESEAL = `
  UPDATE webhook
     SET secret = CASE WHEN secret = $3 THEN $2 ELSE secret END,
         earlier_secrets = array_replace(earlier_secrets, $3, $2)
   WHERE id = $1 AND (secret = $3 OR $3 = ANY(earlier_secrets))
  RETURNING id`;

/** Hand over events from the first webhook on, even before a worker runs. */
const OPEN_OUTBOX =
  'INSERT INTO webhook_outbox (last_event) SELECT last_event FROM dataset ON CONFLICT DO NOTHING';

@Injectable()
export class WebhookRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param also done in the same transaction
   * @returns the new webhook; `too_many` when the account is at its limit, `no_account` when it was removed
   * meanwhile
   */
  async insertWebhook(
    id: string,
    accountId: string,
    settings: WebhookSettings,
    secret: Buffer,
    also: Also,
  ): Promise<Webhook | 'too_many' | 'no_account'> {
    return this.database.transaction(async (transaction) => {
      if (!(await lockAccount(transaction, accountId))) return 'no_account';
      await transaction.query(OPEN_OUTBOX);
      const places = SETTING_COLUMNS.map((_, place) => `$${4 + place}`).join(', ');
      const [row] = await transaction.query<Row>(
        `INSERT INTO webhook (id, account_id, secret, ${SETTING_COLUMNS.join(', ')}, after_event)
         SELECT $1, $2, $3, ${places}, last_event
           FROM dataset
          WHERE (SELECT count(*) FROM webhook WHERE account_id = $2) < ${MAX_WEBHOOKS}
         RETURNING ${COLUMNS}`,
        [id, accountId, secret, ...valuesOf(settings)],
      );
      if (!row) return 'too_many';
      await also(transaction);
      return row;
    });
  }

  async listWebhooks(accountId: string): Promise<Webhook[]> {
    return this.database.query<Row>(
      `SELECT ${COLUMNS} FROM webhook WHERE account_id = $1 ORDER BY created_at, id`,
      [accountId],
    );
  }

  async findWebhook(accountId: string, id: string): Promise<Webhook | null> {
    const [row] = await this.database.query<Row>(
      `SELECT ${COLUMNS} FROM webhook WHERE account_id = $1 AND id = $2`,
      [accountId, id],
    );
    return row ?? null;
  }

  async findWithSecret(accountId: string, id: string): Promise<StoredWebhook | null> {
    const [row] = await this.database.query<Row & { secret: Buffer }>(
      `SELECT ${COLUMNS}, secret FROM webhook WHERE account_id = $1 AND id = $2`,
      [accountId, id],
    );
    if (!row) return null;
    const { secret, ...webhook } = row;
    return { webhook, secret };
  }

  /**
   * Changes a webhook, one change after the other. Switching it on again clears the reason it was off, and
   * skips the events in between.
   *
   * @param change from the current settings to the new ones; if it throws, nothing changes
   */
  async updateWebhook(
    accountId: string,
    id: string,
    change: (webhook: Webhook) => WebhookSettings,
  ): Promise<Webhook | null> {
    const assignments = SETTING_COLUMNS.map((column, place) => `${column} = $${3 + place}`).join(', ');
    const parameterOf = (column: string) => `$${3 + SETTING_COLUMNS.indexOf(column)}`;
    const isSwitchedOn = `${parameterOf('enabled')} AND NOT enabled`;
    // Nothing is known of another address, and one that is asked again has another chance.
    const isNew = `${isSwitchedOn} OR ${parameterOf('url')} <> url`;
    // Watched names use another outbox, whose cursor may differ.
    const isOfAnother = `${parameterOf('watched_only')} <> watched_only`;
    return this.database.transaction(async (transaction) => {
      const [before] = await transaction.query<Row>(
        `SELECT ${COLUMNS} FROM webhook WHERE account_id = $1 AND id = $2 FOR UPDATE`,
        [accountId, id],
      );
      if (!before) return null;
      const [after] = await transaction.query<Row>(
        `UPDATE webhook
            SET ${assignments}, updated_at = now(),
                disabled_reason = CASE WHEN ${parameterOf('enabled')} THEN NULL ELSE disabled_reason END,
                tell_owner_after = CASE WHEN ${parameterOf('enabled')} THEN NULL ELSE tell_owner_after END,
                failing_since = CASE WHEN ${isNew} THEN NULL ELSE failing_since END,
                is_slow = is_slow AND NOT (${isNew}),
                not_before = CASE WHEN ${isNew} THEN NULL ELSE not_before END,
                after_event = CASE WHEN ${isSwitchedOn} OR ${isOfAnother}
                  THEN (SELECT last_event FROM dataset) ELSE after_event END
          WHERE account_id = $1 AND id = $2
        RETURNING ${COLUMNS}`,
        [accountId, id, ...valuesOf(change(before))],
      );
      return after ?? null;
    });
  }

  /**
   * Replaces the secret.
   *
   * @param overlapSeconds how long those until now sign beside the new one at most
   * @param also done in the same transaction, where it was replaced
   * @returns the webhook; null where it was not replaced, as as many sign as can sign
   */
  async replaceSecret(
    accountId: string,
    id: string,
    secret: Buffer,
    overlapSeconds: number,
    also: Also,
  ): Promise<Webhook | null> {
    return this.database.transaction(async (transaction) => {
      // By its request_hash, release 1.1.0 would answer the request that made the webhook with the new secret.
      const [row] = await transaction.query<Row>(
        `UPDATE webhook
            SET earlier_secrets = secret || ARRAY(${LIVE_SECRETS}),
                earlier_until = (now() + make_interval(secs => $4))
                  || ARRAY(SELECT least(ends, now() + make_interval(secs => $4)) ${LIVE}),
                secret = $3, request_hash = NULL, updated_at = now()
          WHERE account_id = $1 AND id = $2 AND ($4 = 0 OR cardinality(ARRAY(${LIVE_UNTIL})) < ${MAX_EARLIER_SECRETS})
        RETURNING ${COLUMNS}`,
        [accountId, id, secret, overlapSeconds],
      );
      if (!row) return null;
      await also(transaction);
      return row;
    });
  }

  /**
   * Replaces secrets by the result of `reseal`, including earlier ones that still sign; null leaves one as it
   * is.
   *
   * @returns how many
   */
  async resealSecrets(reseal: (sealed: Buffer, id: string) => Buffer | null): Promise<number> {
    let [count, after] = [0, '00000000-0000-0000-0000-000000000000'];
    for (;;) {
      const rows = await this.database.query<{ id: string; secrets: Buffer[] }>(
        'SELECT id, secret || earlier_secrets AS secrets FROM webhook WHERE id > $1 ORDER BY id LIMIT $2',
        [after, RESEALED_AT_ONCE],
      );
      for (const { id, secrets } of rows)
        for (const sealed of secrets) {
          const resealed = reseal(sealed, id);
          if (resealed) count += (await this.database.query(RESEAL, [id, resealed, sealed])).length;
        }
      const last = rows.at(-1);
      if (!last || rows.length < RESEALED_AT_ONCE) return count;
      after = last.id;
    }
  }

  async forgetEndedSecrets(): Promise<void> {
    await this.database.query(
      `UPDATE webhook SET earlier_secrets = ARRAY(${LIVE_SECRETS}), earlier_until = ARRAY(${LIVE_UNTIL})
        WHERE EXISTS (SELECT FROM unnest(earlier_until) AS ends WHERE ends <= now())`,
    );
  }

  async deleteWebhook(accountId: string, id: string): Promise<boolean> {
    const rows = await this.database.query(
      'DELETE FROM webhook WHERE account_id = $1 AND id = $2 RETURNING id',
      [accountId, id],
    );
    return rows.length > 0;
  }
}

function valuesOf(settings: WebhookSettings): unknown[] {
  return Object.values(SETTINGS).map((setting) => settings[setting]);
}
