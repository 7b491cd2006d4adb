import type { DeliveryDto } from '../../notify/webhooks/deliveries/delivery.dto.js';
import type { WebhookDto } from '../../notify/webhooks/webhook.dto.js';
import { questionInWords } from './question-words.js';

export const EVENT_WORDS: Readonly<Record<string, string>> = {
  'domain.dropped': 'a name is confirmed as free',
  'domain.taken': 'a name is registered again',
  'domain.listed': 'a name is about to be purged',
  'domain.purged': 'a name dropped, by the official list',
  'domain.rescued': 'a name was kept by its holder',
  'domain.removed': 'a name is to be left out of your copy',
  'domain.restored': 'a name belongs in your copy again',
  'webhook.test': 'a test',
};

const STATE_WORDS: Readonly<Record<DeliveryDto['status'], { words: string; tone: string }>> = {
  pending: { words: 'waits', tone: 'wait' },
  delivered: { words: 'delivered', tone: 'free' },
  failed: { words: 'given up', tone: 'gone' },
};

/** What lets names through: `with “cafe”, .com.au`. */
export function filterInWords(webhook: WebhookDto): string {
  const { q, mode, tld, min_wayback, min_length, max_length } = webhook;
  const fields = {
    ...(q !== null && { q, mode }),
    ...(tld.length > 0 && { tld: tld.join(',') }),
    ...(min_wayback > 0 && { min_wayback: String(min_wayback) }),
    ...(min_length !== null && { min_length: String(min_length) }),
    ...(max_length !== null && { max_length: String(max_length) }),
  };
  const words = questionInWords(new URLSearchParams(fields).toString());
  if (!webhook.watched_only) return words || 'every name';
  return `what you watch${words && `, as far as it is ${words}`}`;
}

/** A webhook of a list. */
export interface WebhookRow {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly told: string;
  readonly state: { readonly words: string; readonly tone: string };
}

export function toWebhookRow(webhook: WebhookDto): WebhookRow {
  const { id, url, description, enabled, disabled_reason: reason } = webhook;
  return {
    id,
    title: description === '' ? new URL(url).hostname : description,
    url,
    told: `${webhook.events.map((event) => EVENT_WORDS[event] ?? event).join('; ')}: ${filterInWords(webhook)}`,
    state: enabled
      ? { words: 'on', tone: 'free' }
      : { words: reason === null ? 'paused' : 'switched off', tone: reason === null ? 'wait' : 'gone' },
  };
}

/** A delivery of the log. */
export interface LogRow {
  readonly id: string;
  readonly what: string;
  readonly at: string;
  readonly state: { readonly words: string; readonly tone: string };
  /** What the receiver said, or why it said nothing. */
  readonly answer: string;
  readonly text: string | null;
  readonly attempts: number;
}

export function toLogRow(delivery: DeliveryDto): LogRow {
  const { response_status: status, duration_ms: ms, problem } = delivery;
  const took = ms === null ? '' : ` in ${ms} ms`;
  const answer =
    status === null
      ? (problem ?? 'not asked yet')
      : `${status}${took}${problem === null ? '' : `: ${problem}`}`;
  return {
    id: delivery.id,
    what: EVENT_WORDS[delivery.type] ?? delivery.type,
    at: minuteOf(delivery.created_at),
    state: STATE_WORDS[delivery.status],
    answer:
      delivery.next_attempt_at === null ? answer : `${answer}; next at ${minuteOf(delivery.next_attempt_at)}`,
    text: delivery.response_text,
    attempts: delivery.attempts,
  };
}

function minuteOf(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}
