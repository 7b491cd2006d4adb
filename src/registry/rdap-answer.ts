import { readRetryAfter } from '../validation/formats.js';
import { isObject } from '../validation/unknown-values.js';
import { noAnswer, type NoAnswerReason, type RegistryState, type Result, type Said } from './answer.js';
import { type Evidence, evidenceOf, NAME, type RdapResponse } from './evidence.js';
import { formerMeaningOf } from './former-wordings.js';
import { type Json, readShape } from './json-shape.js';
import { readErrorCode, readRdapError, type Rules } from './rdap-error.js';
import { type Learned, meaningOf, NONE_LEARNED, type Parser } from './rdap-wordings.js';

/** Versions of the rules, one more with each change of a verdict; the former one stays for a release. */
export const PARSERS = {
  former: { version: 1, meaningOf: formerMeaningOf },
  newest: { version: 2, meaningOf },
} as const satisfies Record<Parser, { version: number } & Pick<Rules, 'meaningOf'>>;

/** Failures of the whole service, which may say when to come back. */
const WAITS: readonly NoAnswerReason[] = ['rate_limited', 'refused', 'failing'];

export function rulesOf(parser: Parser, learned: Learned = NONE_LEARNED): Rules {
  return { meaningOf: PARSERS[parser].meaningOf, learned };
}

/** What a response to `domain/{name}` says, with the evidence that it was judged by. @param domain in lower case */
export function readRdapAnswer(
  domain: string,
  response: RdapResponse,
  now: Date,
  rules: Rules = rulesOf('newest'),
): Result<Said> {
  const evidence = evidenceOf(domain, response);
  const said = judgeRdap(domain, evidence, rules);
  if (said.answered) return { ...said, evidence, ...registered(response) };
  const waits = evidence.shape === 'none' && WAITS.includes(said.reason);
  return { ...said, evidence, ...(waits && { retryAfterSeconds: readRetryAfter(response.retryAfter, now) }) };
}

/**
 * What the evidence says about the name, for an answer of now and in a replay. Only three shapes are answers: a 200
 * that holds the domain object asked for, a 404 that RDAP itself said, and an error of RDAP that turns the name down.
 * Everything else leaves the name's state unknown.
 *
 * @param domain takes the place of the mark in the registry's message
 */
export function judgeRdap(
  domain: string,
  { status, hasRdapType, shape, text }: Evidence,
  rules: Rules,
): Result<Said> {
  if (status === null) return noAnswer('not_understood', 'no status of HTTP');
  if (status === 429) return noAnswer('rate_limited', 'HTTP 429');
  if (status === 401 || status === 403) return noAnswer('refused', `HTTP ${status}`);
  if (status === 501) return noAnswer('not_served', `HTTP ${status}`);
  // A request that went to the wrong server (421) is that server's failure.
  if (status >= 500 || status === 421) return noAnswer('failing', `HTTP ${status}`);
  if (shape === 'none') return noAnswer('not_understood', `HTTP ${status}`);
  if (shape === 'too_large') return noAnswer('too_large', `HTTP ${status} with a body that is too large`);
  const body = text === null ? null : readShape(text).body;
  return status === 200 ? readFound(body, rules) : readRdapError(domain, status, hasRdapType, body, rules);
}

function readFound(body: Json | null, { meaningOf }: Rules): Result<Said> {
  if (!body) return noAnswer('not_understood', 'HTTP 200 without a JSON object');
  if (body.errorCode !== undefined) return readErrorCode(200, body.errorCode);
  if (body.objectClassName !== 'domain') {
    // A limit can arrive as a notice inside a 200. Terms of use mention limits too, so an object outweighs any notice.
    return meaningOf(noticesOf(body), NONE_LEARNED) === 'limited'
      ? noAnswer('rate_limited', 'HTTP 200 with a notice about limits instead of a domain object')
      : noAnswer('not_understood', 'HTTP 200 without a domain object');
  }
  const names = [body.ldhName, body.unicodeName].filter((name) => name !== undefined);
  if (!names.every(isSameName)) return noAnswer('not_understood', 'HTTP 200 about another name');
  const state = stateOfStatuses([body.status].flat());
  if (!state) return noAnswer('not_understood', 'HTTP 200 with a status that denies the object');
  return { answered: true, state };
}

/** When the name was registered, which is no part of the verdict. */
function registered({ status, body }: RdapResponse): { registeredAt?: Date | null } {
  return status === 200 && body !== null
    ? { registeredAt: registrationOf(readShape(body).body?.events) }
    : {};
}

/** Longest list of events that is looked at. */
const MAX_EVENTS = 100;

/** When the name was registered, where the registry tells: in .au answers the date is mostly redacted. */
function registrationOf(events: unknown): Date | null {
  if (!Array.isArray(events)) return null;
  const times = events
    .slice(0, MAX_EVENTS)
    .filter(isObject)
    .filter(({ eventAction }) => isString(eventAction) && eventAction.toLowerCase() === 'registration')
    .map(({ eventDate }) => (isString(eventDate) && TIMESTAMP.test(eventDate) ? Date.parse(eventDate) : NaN))
    .filter((time) => !Number.isNaN(time));
  return times.length > 0 ? new Date(Math.max(...times)) : null;
}

const TIMESTAMP = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/;

/** Titles and descriptions of the notices, flattened. */
function noticesOf({ notices }: Json): string[] {
  if (!Array.isArray(notices)) return [];
  return notices
    .filter(isObject)
    .flatMap(({ title, description }) => [title, description].flat())
    .filter(isString);
}

const isString = (value: unknown): value is string => typeof value === 'string';

function isSameName(name: unknown): boolean {
  return isString(name) && name.replace(/\.$/, '') === NAME;
}

/** Longest list of statuses that is looked at; EPP defines fewer than thirty. */
const MAX_STATUSES = 100;

/**
 * The state that a domain object's `status` values stand for. An object that exists is registered unless a status says
 * more, so an unknown status changes nothing.
 *
 * The registry's `auData_statusReasons` are not consulted: their vocabulary is not published, so reading
 * them would be guessing.
 *
 * @returns null when the values contradict the object's existence ("available", "free")
 */
export function stateOfStatuses(values: readonly unknown[]): RegistryState | null {
  const statuses = new Set(values.slice(0, MAX_STATUSES).filter(isString).map(normalise));
  if (CONTRADICTIONS.some((status) => statuses.has(status))) return null;
  if (statuses.has('reserved')) return 'reserved';

  const expired = statuses.has('redemptionperiod');
  if (statuses.has('pendingdelete')) {
    // The expiry track puts the name on hold before it is purged; a deletion asked for by holder or policy does not.
    return expired || statuses.has('serverhold') ? 'pending_purge' : 'pending_delete';
  }
  return expired ? 'expired_hold' : 'registered';
}

const CONTRADICTIONS = ['available', 'free', 'notregistered', 'unassigned'];

/**
 * "pendingDelete https://icann.org/epp#pendingDelete", "PENDINGDELETE", "pending_delete" and "Pending Delete" are one
 * status.
 */
function normalise(status: string): string {
  return status
    .slice(0, 200)
    .replace(/\shttps?:.*/s, '')
    .replace(/[\s_-]/g, '')
    .toLowerCase();
}
