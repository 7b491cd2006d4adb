import { SUFFIXES } from '../../domains/schema/domain.js';
import { DELIVERY_STATES, MAX_WEBHOOKS } from '../../notify/webhooks/webhook.js';
import type { ProofDto, WebhookDto } from '../../notify/webhooks/webhook.dto.js';
import type { DeliveryDto } from '../../notify/webhooks/delivery.dto.js';
import { fillIn, t } from '../../texts/texts.js';
import { searchInWords } from '../layout/words.js';
import { definePage, type PageView } from './page.js';
import { FEED_TYPES } from '../../domains/schema/events.js';
import { ACCOUNT_EVENT_TYPES, ACCOUNT_EVENTS } from '../../notify/webhooks/account-events.js';

const SECTION = '/profile/webhooks';
const ROOM = { most: MAX_WEBHOOKS, suffixes: SUFFIXES };

const EVENT_WORDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FEED_TYPES.map((type) => [type, t.events[type].webhook])),
  ...Object.fromEntries(ACCOUNT_EVENT_TYPES.map((type) => [type, ACCOUNT_EVENTS[type].when])),
  'webhook.test': t.profile.test,
};

const TONES: Readonly<Record<DeliveryDto['status'], string>> = {
  pending: 'wait',
  delivered: 'free',
  failed: 'gone',
};

/** The filter in words: `with “cafe”, .com.au`. */
function filterInWords(webhook: WebhookDto): string {
  const { q, mode, tld, min_wayback, min_length, max_length } = webhook;
  const fields = {
    ...(q !== null && { q, mode }),
    ...(tld.length > 0 && { tld: tld.join(',') }),
    ...(min_wayback > 0 && { min_wayback: String(min_wayback) }),
    ...(min_length !== null && { min_length: String(min_length) }),
    ...(max_length !== null && { max_length: String(max_length) }),
  };
  const words = searchInWords(new URLSearchParams(fields).toString());
  if (!webhook.watched_only) return words || t.profile.everyName;
  return words ? fillIn(t.profile.watchedSome, { words }) : t.profile.watchedNames;
}

export function toWebhookRow(webhook: WebhookDto): { id: string; [field: string]: unknown } {
  const { id, url, description, enabled, disabled_reason: reason } = webhook;
  return {
    id,
    title: description === '' ? new URL(url).hostname : description,
    url,
    told: `${webhook.events.map((event) => EVENT_WORDS[event] ?? event).join('; ')}: ${filterInWords(webhook)}`,
    state: enabled
      ? { words: t.profile.on, tone: 'free' }
      : {
          words: reason === null ? t.profile.paused : t.profile.switchedOff,
          tone: reason === null ? 'wait' : 'gone',
        },
  };
}

export function toLogRow(delivery: DeliveryDto): object {
  const { response_status: status, duration_ms: ms, problem } = delivery;
  const { profile } = t;
  const said =
    ms === null ? String(status) : fillIn(profile.answered, { status: String(status), ms: String(ms) });
  const withProblem = problem === null ? said : fillIn(profile.problem, { answer: said, problem });
  const answer = status === null ? (problem ?? profile.notSent) : withProblem;
  const next = delivery.next_attempt_at;
  return {
    id: delivery.id,
    what: EVENT_WORDS[delivery.type] ?? delivery.type,
    at: minuteOf(delivery.created_at),
    state: { words: profile.deliveryStates[delivery.status], tone: TONES[delivery.status] },
    answer: next === null ? answer : fillIn(profile.nextAt, { answer, when: minuteOf(next) }),
    text: delivery.response_text,
    attempts: delivery.attempts,
  };
}

function minuteOf(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

const listPage = definePage('webhooks', { title: t.profile.titles.webhooks, section: SECTION });
const optionOf = (value: string) => ({ value, words: EVENT_WORDS[value] ?? value });
const EVENTS = FEED_TYPES.map(optionOf);
const ORDER_EVENTS = ACCOUNT_EVENT_TYPES.map(optionOf);

export function webhookListPage(
  rows: readonly object[] | null,
  notice: string | undefined,
  takesOrders: boolean,
): string {
  return listPage({ ...ROOM, rows, notice, events: takesOrders ? [...EVENTS, ...ORDER_EVENTS] : EVENTS });
}

export const noWebhooksPage = definePage('no-webhooks', {
  title: t.profile.titles.webhooks,
  section: SECTION,
});

interface WebhookView extends PageView {
  readonly row: ReturnType<typeof toWebhookRow>;
  readonly proof: ProofDto;
  readonly isOn: boolean;
  /** Why the service switched it off. */
  readonly reason: string | null;
  readonly log: readonly object[];
  readonly status: string | undefined;
  readonly next: string | null;
  /** Whether a delivery that was asked for on this page has no answer yet. */
  readonly isWaiting: boolean;
}

const onePage = definePage('webhook', { title: t.profile.titles.webhook, section: SECTION });

const FILTERS = [
  [undefined, t.profile.allDeliveries],
  ...DELIVERY_STATES.map((status) => [status, t.profile.deliveryStates[status]] as const),
] as const;

export function webhookPage(view: WebhookView): string {
  const path = `/profile/webhooks/${view.row.id}`;
  const filters = FILTERS.map(([status, words]) => ({
    href: status === undefined ? path : `${path}?status=${status}`,
    words,
    isOn: status === view.status,
  }));
  return onePage({ ...view, path, filters });
}

/** The only page that shows a secret. */
export const webhookSecretPage = definePage<{ id: string; secret: string }>('webhook-secret', {
  title: t.profile.titles.secret,
  section: SECTION,
});
