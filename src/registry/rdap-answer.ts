import { readRetryAfter } from '../validation/formats.js';
import { isObject } from '../validation/unknown-values.js';
import { noAnswer, type RegistryState, type Result, type Said } from './answer.js';
import { type Json, readErrorCode, readRdapError } from './rdap-error.js';
import { meaningOf } from './rdap-wordings.js';

/** Version of the rules that judge answers: it rises with each change of a verdict. */
export const PARSER = 1;

/** What came over the wire, as far as the answer depends on it. */
export interface RdapResponse {
  readonly status: number;
  readonly contentType: string | null;
  readonly retryAfter: string | null;
  /** null when it was larger than the limit. */
  readonly body: string | null;
}

/** Statuses whose body is needed; others say all there is to say. */
export const STATUSES_WITH_BODY: readonly number[] = [200, 400, 404, 422];

/**
 * What a response to `domain/{name}` says about the name. Only three shapes are answers: a 200 that holds the domain
 * object asked for, a 404 that RDAP itself said, and an error of RDAP that turns the name down. Everything else
 * leaves the name's state unknown.
 *
 * @param domain the name that was asked, in lower case
 * @param learned wordings of "not found" beside the known ones, normalised
 */
export function readRdapAnswer(
  domain: string,
  { status, contentType, retryAfter, body }: RdapResponse,
  now: Date,
  learned: ReadonlySet<string> = new Set(),
): Result<Said> {
  const retryAfterSeconds = readRetryAfter(retryAfter, now);
  if (status === 429) return noAnswer('rate_limited', 'HTTP 429', retryAfterSeconds);
  if (status === 401 || status === 403) return noAnswer('refused', `HTTP ${status}`, retryAfterSeconds);
  if (status === 501) return noAnswer('not_served', `HTTP ${status}`);
  // A request that went to the wrong server (421) is that server's failure.
  if (status >= 500 || status === 421) return noAnswer('failing', `HTTP ${status}`, retryAfterSeconds);
  if (!STATUSES_WITH_BODY.includes(status)) return noAnswer('not_understood', `HTTP ${status}`);
  if (body === null) return noAnswer('too_large', `HTTP ${status} with a body that is too large`);
  if (status === 200) return readFound(domain, parseObject(body));
  return readRdapError(domain, status, hasRdapType(contentType), parseObject(body), learned);
}

/** Whether a response bears the media type of RDAP. */
export function hasRdapType(contentType: string | null): boolean {
  return /^application\/rdap\+json\s*(;|$)/i.test(contentType?.trim() ?? '');
}

function readFound(domain: string, body: Json | null): Result<Said> {
  if (!body) return noAnswer('not_understood', 'HTTP 200 without a JSON object');
  if (body.errorCode !== undefined) return readErrorCode(200, body.errorCode);
  if (body.objectClassName !== 'domain') {
    // A limit can arrive as a notice inside a 200. Terms of use mention limits too, so an object outweighs any notice.
    return meaningOf(noticesOf(body), domain, new Set()) === 'limited'
      ? noAnswer('rate_limited', 'HTTP 200 with a notice about limits instead of a domain object')
      : noAnswer('not_understood', 'HTTP 200 without a domain object');
  }
  const names = [body.ldhName, body.unicodeName].filter((name) => name !== undefined);
  if (!names.every((name) => isSameName(name, domain)))
    return noAnswer('not_understood', 'HTTP 200 about another name');
  const state = stateOfStatuses([body.status].flat());
  if (!state) return noAnswer('not_understood', 'HTTP 200 with a status that denies the object');
  return { answered: true, state, registeredAt: registrationOf(body.events) };
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

function isSameName(name: unknown, domain: string): boolean {
  return isString(name) && name.toLowerCase().replace(/\.$/, '') === domain;
}

export function parseObject(text: string): Json | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) && !hasRepeatedKey(text) ? parsed : null;
  } catch {
    return null; // the caller says what was expected instead
  }
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

/**
 * Whether an object in a JSON text has the same key twice. Parsers keep one of the two, and not all the same one:
 * such a text says nothing for certain.
 *
 * @param text valid JSON
 */
export function hasRepeatedKey(text: string): boolean {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '{') open.push(new Set());
    else if (sign === '[') open.push(null);
    else if (sign === '}' || sign === ']') open.pop();
    else if (sign === '"') {
      const end = endOfString(text, at);
      const keys = open.at(-1);
      if (keys && isBeforeColon(text, end)) {
        const key = String(JSON.parse(text.slice(at, end)));
        if (keys.has(key)) return true;
        keys.add(key);
      }
      at = end - 1;
    }
  }
  return false;
}

/** Behind the closing quotation mark of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function isBeforeColon(text: string, at: number): boolean {
  let next = at;
  while (/[ \t\r\n]/.test(text[next] ?? '')) next += 1;
  return text[next] === ':';
}
