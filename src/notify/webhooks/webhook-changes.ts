import { ApiError } from '../../errors/api-error.js';
import { type NewWebhook, WEBHOOK_DEFAULTS } from './webhook-settings.dto.js';
import type { WebhookDto } from './webhook.dto.js';
import type { WebhookSettings } from './webhook.js';
import { LIFE_TYPES } from '../../domains/schema/events.js';

type Settings = Pick<WebhookDto, keyof NewWebhook>;

/** A new webhook with defaults filled in. Watched-only webhooks may subscribe to every life-cycle event. */
export function withDefaults(body: NewWebhook): Settings {
  const events = body.watched_only ? [...LIFE_TYPES] : WEBHOOK_DEFAULTS.events;
  return { ...WEBHOOK_DEFAULTS, events, ...definedFields(body) };
}

/** What a body sets. @throws {ApiError} invalid_parameter */
export function settingsOf(body: Settings): WebhookSettings {
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

/** The names of the settings that are others now. */
export function differencesOf(before: WebhookSettings, after: WebhookSettings): string[] {
  const settings = Object.keys(after) as (keyof WebhookSettings)[];
  return settings.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

/** The fields that were sent. */
export function definedFields<Body extends object>(body: Body): Body {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Body;
}
