import { createHash, randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { AccountAuditLog } from '../../observe/audit.repository.js';
import { type Caller, actorOf, ownerOf } from '../../access/caller.js';
import { keyInvalid } from '../../access/bearer.js';
import { IdempotentRequests, type Remember, senderOf } from '../../access/idempotent-requests.js';
import { Config } from '../../config/config.js';
import { ApiError } from '../../errors/api-error.js';
import { assertMatchesAnswer } from '../../errors/conditions.js';
import { openSecret, resealSecret, sealSecret } from '../../validation/sealing.js';
import { messageOf } from '../../validation/unknown-values.js';
import { DeliveryCleanupRepository } from './delivery-cleanup.repository.js';
import { judgeNewReceiver } from './receiver-address.js';
import { MAX_EARLIER_SECRETS, MAX_WEBHOOKS, type Webhook, type WebhookSettings } from './webhook.js';
import {
  type NewWebhook,
  type SecretRotation,
  type WebhookChanges,
  toWebhookDto,
  type WebhookList,
  type WebhookResult,
  type WebhookWithSecret,
  WEBHOOK_DEFAULTS,
  type WebhookDto,
} from './webhook.dto.js';
import { WebhookRepository } from './webhook.repository.js';
import { makeSecret } from './webhook-message.js';
import { FEED_TYPES, LIFE_TYPES } from '../../domains/schema/events.js';
import { isAccountEvent, type WebhookEventType } from './account-events.js';

/** What account holders do with their webhooks. Those of others are not there for them. */
@Injectable()
export class WebhooksService implements OnApplicationBootstrap {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryCleanupRepository,
    private readonly config: Config,
    private readonly auditLog: AccountAuditLog,
    private readonly requests: IdempotentRequests,
  ) {}

  /**
   * Makes a webhook. The same request with the same key makes it once, and is answered alike for a day.
   *
   * @throws {ApiError} invalid_parameter, limit_reached, idempotency_conflict, key_invalid
   */
  async createWebhook(
    body: NewWebhook,
    idempotencyKey: string | undefined,
    caller: Caller,
  ): Promise<WebhookWithSecret> {
    this.checkAddress(body.url);
    this.assertServed(body.events);
    const settings = settingsOf(withDefaults(body));
    return this.requests.once(
      { by: senderOf(caller), key: idempotencyKey, content: ['webhook', settings] },
      (remember) => this.make(caller, settings, remember),
      (reference) => this.findMade(reference, caller),
    );
  }

  async listWebhooks(caller: Caller): Promise<WebhookList> {
    return {
      ok: true,
      results: (await this.webhooks.listWebhooks(ownerOf(caller))).map(toWebhookDto),
    };
  }

  async readWebhook(id: string, caller: Caller): Promise<WebhookResult> {
    return resultOf(await this.find(id, caller));
  }

  /** @throws {ApiError} bad_request, with status 412, where it is another than If-Match names; not_found */
  async changeWebhook(
    id: string,
    changes: WebhookChanges,
    caller: Caller,
    ifMatch?: string,
  ): Promise<WebhookResult> {
    const accountId = ownerOf(caller);
    this.assertServed(changes.events);
    // An existing address stays valid when the rules change.
    if (changes.url !== undefined) this.checkAddress(changes.url);
    const found = await this.find(id, caller);
    assertMatchesAnswer(ifMatch, () => resultOf(found));
    // What waited when it was switched off is not delivered once it is on again: that is what a replay is for.
    if (changes.enabled === true && !found.enabled) await this.deliveries.cancel(id);
    let changed: string[] = [];
    const webhook = await this.webhooks.updateWebhook(accountId, id, (before) => {
      assertMatchesAnswer(ifMatch, () => resultOf(before));
      const settings = settingsOf({ ...toWebhookDto(before), ...definedFields(changes) });
      changed = differencesOf(before, settings);
      return settings;
    });
    if (!webhook) throw notFound();
    if (!webhook.enabled) await this.deliveries.cancel(id);
    await this.noteChange(webhook, changed, caller);
    return resultOf(webhook);
  }

  /** @throws {ApiError} bad_request, with status 412, where it is another than If-Match names; not_found */
  async deleteWebhook(id: string, caller: Caller, ifMatch?: string): Promise<void> {
    const accountId = ownerOf(caller);
    const found = await this.find(id, caller);
    assertMatchesAnswer(ifMatch, () => resultOf(found));
    if (!(await this.webhooks.deleteWebhook(accountId, id))) throw notFound();
    await this.auditLog.recordBestEffort(actorOf(caller, accountId), 'webhook.remove', id);
  }

  /**
   * A new secret; those until now sign as well for so long. The same request with the same key makes one.
   *
   * @throws {ApiError} not_found, limit_reached, idempotency_conflict
   */
  async rotateSecret(
    id: string,
    rotation: SecretRotation,
    caller: Caller,
    idempotencyKey?: string,
  ): Promise<WebhookWithSecret> {
    return this.requests.once(
      {
        by: senderOf(caller),
        key: idempotencyKey,
        content: ['webhook.rotate', id, rotation.overlap_seconds],
      },
      (remember) => this.rotate(id, rotation, caller, remember),
      (reference) => this.findMade(reference, caller),
    );
  }

  private async rotate(
    id: string,
    { overlap_seconds }: SecretRotation,
    caller: Caller,
    remember: Remember,
  ): Promise<WebhookWithSecret> {
    const { accountId } = await this.find(id, caller);
    const secret = makeSecret();
    const sealed = sealSecret(secret, id, this.config.webhooks.secretKey);
    const rotated = await this.webhooks.replaceSecret(accountId, id, sealed, overlap_seconds, (transaction) =>
      remember(referenceOf(id, secret), transaction),
    );
    if (!rotated)
      throw new ApiError(
        'limit_reached',
        `${MAX_EARLIER_SECRETS} earlier secrets of this webhook still sign; rotate when the first ` +
          'has ended, or with "overlap_seconds": 0, which ends them all at once',
      );
    await this.auditLog.recordBestEffort(actorOf(caller, accountId), 'webhook.rotate', id);
    return { ok: true, webhook: toWebhookDto(rotated), secret };
  }

  private assertServed(events: readonly WebhookEventType[] = []): void {
    if (this.config.orders.enabled || !events.some(isAccountEvent)) return;
    throw new ApiError('invalid_parameter', `events must be of ${FEED_TYPES.join(', ')}`);
  }

  private async noteChange({ id, enabled }: Webhook, changed: string[], caller: Caller): Promise<void> {
    const actor = actorOf(caller, ownerOf(caller));
    if (changed.includes('enabled'))
      await this.auditLog.recordBestEffort(actor, enabled ? 'webhook.resume' : 'webhook.pause', id);
    const others = changed.filter((setting) => setting !== 'enabled');
    if (others.length > 0)
      await this.auditLog.recordBestEffort(actor, 'webhook.change', `${id}: ${others.join(', ')}`);
  }

  /** During a rotation of the operator's key: once no secret uses the previous key, it can be removed. */
  async onApplicationBootstrap(): Promise<void> {
    const { openingKeys } = this.config.webhooks;
    if (openingKeys.length < 2) return;
    try {
      const count = await this.webhooks.resealSecrets((sealed, id) => resealSecret(sealed, id, openingKeys));
      this.logger.log(`${count} secrets of webhooks were re-encrypted with WEBHOOK_SECRET_KEY`);
    } catch (error) {
      this.logger.warn(
        `Secrets of webhooks were not re-encrypted, the next start will try again: ${messageOf(error)}`,
      );
    }
  }

  /** @throws {ApiError} not_found */
  async find(id: string, caller: Caller): Promise<Webhook> {
    const webhook = await this.webhooks.findWebhook(ownerOf(caller), id);
    if (!webhook) throw notFound();
    return webhook;
  }

  /** @throws {ApiError} not_found, webhook_disabled */
  async findEnabled(id: string, caller: Caller): Promise<Webhook> {
    const webhook = await this.find(id, caller);
    if (!webhook.enabled)
      throw new ApiError(
        'webhook_disabled',
        'This webhook is switched off; switch it on with "enabled": true',
      );
    return webhook;
  }

  private async make(
    caller: Caller,
    settings: WebhookSettings,
    remember: Remember,
  ): Promise<WebhookWithSecret> {
    const accountId = ownerOf(caller);
    const id = randomUUID();
    const secret = makeSecret();
    const sealed = sealSecret(secret, id, this.config.webhooks.secretKey);
    const webhook = await this.webhooks.insertWebhook(id, accountId, settings, sealed, (transaction) =>
      remember(referenceOf(id, secret), transaction),
    );
    // Its key was looked at a moment ago, and has ended with it.
    if (webhook === 'no_account') throw keyInvalid();
    if (webhook === 'too_many')
      throw new ApiError('limit_reached', `An account can have ${MAX_WEBHOOKS} webhooks; delete one first`);
    await this.auditLog.recordBestEffort(
      actorOf(caller, accountId),
      'webhook.create',
      `${id} to ${settings.url}`,
    );
    return { ok: true, webhook: toWebhookDto(webhook), secret };
  }

  /** What an earlier request made, with its secret; null where the webhook was removed. */
  private async findMade(reference: string, caller: Caller): Promise<WebhookWithSecret | null> {
    const [id = ''] = reference.split(' ');
    const found = await this.webhooks.findWithSecret(ownerOf(caller), id);
    if (!found) return null;
    const secret = openSecret(found.secret, id, this.config.webhooks.openingKeys);
    if (secret === null)
      throw new ApiError(
        'idempotency_conflict',
        'The secret of this webhook cannot be read any more; rotate it',
      );
    if (referenceOf(id, secret) !== reference)
      throw new ApiError(
        'idempotency_conflict',
        'This Idempotency-Key made a secret that was replaced since; nothing more can be told of it',
      );
    return { ...resultOf(found.webhook), secret };
  }

  private checkAddress(url: string): void {
    const problem = judgeNewReceiver(url, this.config.webhooks.allowsLoopback);
    if (problem !== null) throw new ApiError('invalid_parameter', `url ${problem}`);
  }
}

/** A secret is not told once more after it was replaced: its hash says which one a request made. */
function referenceOf(id: string, secret: string): string {
  return `${id} ${createHash('sha256').update(secret).digest('base64url')}`;
}

function resultOf(webhook: Webhook): WebhookResult {
  return { ok: true, webhook: toWebhookDto(webhook) };
}

/** The same error for a missing webhook and another account's. */
export function notFound(): ApiError {
  return new ApiError('not_found', 'You have no such webhook or delivery.');
}

type Settings = Pick<WebhookDto, keyof NewWebhook>;

/** A new webhook with defaults filled in. Watched-only webhooks may subscribe to every life-cycle event. */
function withDefaults(body: NewWebhook): Settings {
  const events = body.watched_only ? [...LIFE_TYPES] : WEBHOOK_DEFAULTS.events;
  return { ...WEBHOOK_DEFAULTS, events, ...definedFields(body) };
}

/** What a body sets. @throws {ApiError} invalid_parameter */
function settingsOf(body: Settings): WebhookSettings {
  if (body.min_length !== null && body.max_length !== null && body.min_length > body.max_length)
    throw new ApiError('invalid_parameter', 'min_length must not be greater than max_length');
  const unwatched = body.events.filter((type) => !LIFE_TYPES.some((one) => one === type));
  if (body.watched_only && unwatched.length > 0)
    throw new ApiError(
      'invalid_parameter',
      `events must not have ${unwatched.join(', ')} with watched_only: no watch tells of it`,
    );
  return {
    url: new URL(body.url).href,
    description: body.description,
    eventTypes: body.events,
    watchedOnly: body.watched_only,
    suffixes: body.tld,
    q: body.q,
    mode: body.mode,
    minWayback: body.min_wayback,
    minLength: body.min_length,
    maxLength: body.max_length,
    batchSize: body.batch_size,
    enabled: body.enabled,
  };
}

function differencesOf(before: WebhookSettings, after: WebhookSettings): string[] {
  const settings = Object.keys(after) as (keyof WebhookSettings)[];
  return settings.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

function definedFields<Body extends object>(body: Body): Body {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Body;
}
