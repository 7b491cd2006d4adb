import { isObject } from '../../validation/is-object.js';
import { readRetryAfter } from '../../validation/retry-after.js';
import { type LookupResult, noAnswer } from '../registry-lookup.js';
import { stateOfStatuses } from './rdap-status.js';

/** What came over the wire, as far as the answer depends on it. */
export interface RdapResponse {
  readonly status: number;
  readonly contentType: string | null;
  readonly retryAfter: string | null;
  /** null when it was larger than what is read. */
  readonly body: string | null;
}

/**
 * What a response to `domain/{name}` says about the name. Only two shapes are answers: a 200 that holds the domain
 * object asked for, and a 404 that RDAP itself said. Everything else leaves the name's state unknown.
 *
 * @param domain the name that was asked, in lower case
 */
export function readRdapAnswer(domain: string, response: RdapResponse, now: Date): LookupResult {
  const retryAfterSeconds = readRetryAfter(response.retryAfter, now);
  const { status } = response;
  if (status === 429) return noAnswer('rate_limited', 'HTTP 429', retryAfterSeconds);
  if (status === 401 || status === 403) return noAnswer('refused', `HTTP ${status}`, retryAfterSeconds);
  if (status === 400 || status === 422 || status === 501) return noAnswer('not_served', `HTTP ${status}`);
  if (status >= 500) return noAnswer('failing', `HTTP ${status}`, retryAfterSeconds);
  if (status !== 200 && status !== 404) return noAnswer('not_understood', `HTTP ${status}`);
  if (response.body === null) return noAnswer('too_large', `HTTP ${status} with a body that is too large`);
  return status === 200
    ? readFound(domain, parseObject(response.body))
    : readNotFound(domain, response.contentType, response.body);
}

type Json = Readonly<Record<string, unknown>>;

function readFound(domain: string, body: Json | null): LookupResult {
  if (!body) return noAnswer('not_understood', 'HTTP 200 without a JSON object');
  if (body.errorCode !== undefined) return readErrorCode(200, body.errorCode);
  if (body.objectClassName !== 'domain') {
    // A limit can arrive as a notice inside a 200. Terms of use mention limits too, so an object outweighs any notice.
    return noticesOf(body).some(isAbout(LIMITS))
      ? noAnswer('rate_limited', 'HTTP 200 with a notice about limits instead of a domain object')
      : noAnswer('not_understood', 'HTTP 200 without a domain object');
  }
  if (body.ldhName !== undefined && !isSameName(body.ldhName, domain)) {
    return noAnswer('not_understood', 'HTTP 200 about another name');
  }
  const state = stateOfStatuses(Array.isArray(body.status) ? body.status : [body.status]);
  return state
    ? { answered: true, state }
    : noAnswer('not_understood', 'HTTP 200 with a status that denies the object');
}

/**
 * "Not found" is what proxies, caches and wrong paths say as well, as HTML or with nothing at all. To call a name available
 * there must be evidence that RDAP spoke: its media type, its error code or its conformance list.
 */
function readNotFound(domain: string, contentType: string | null, text: string): LookupResult {
  const hasRdapType = /^application\/rdap\+json\s*(;|$)/i.test(contentType?.trim() ?? '');
  // RFC 7480 lets a 404 be empty.
  if (text.trim() === '') {
    return hasRdapType
      ? AVAILABLE
      : noAnswer('not_understood', 'an empty HTTP 404 that is not marked as RDAP');
  }
  const body = parseObject(text);
  if (!body) return noAnswer('not_understood', 'HTTP 404 without a JSON object');
  if (body.errorCode !== undefined && Number(body.errorCode) !== 404)
    return readErrorCode(404, body.errorCode);
  if (body.objectClassName !== undefined) return noAnswer('not_understood', 'HTTP 404 that holds an object');
  const saysNotFound = body.errorCode !== undefined;
  if (!saysNotFound && !hasRdapType && !Array.isArray(body.rdapConformance)) {
    return noAnswer('not_understood', 'HTTP 404 with JSON that is not RDAP');
  }
  // Notices of a true "not found" quote the terms of use, which speak of limits; only without the code do they weigh.
  const texts = [body.title, body.description, ...(saysNotFound ? [] : noticesOf(body))].flat();
  // The error may quote the name, and quota.com.au is an ordinary name.
  const words = texts.filter(isString).map((words) => words.toLowerCase().replaceAll(domain, ''));
  if (words.some(isAbout(LIMITS))) return noAnswer('rate_limited', 'HTTP 404 that speaks of limits');
  if (words.some(isAbout(DENIALS)))
    return noAnswer('not_served', 'HTTP 404 that speaks of more than absence');
  return AVAILABLE;
}

const AVAILABLE: LookupResult = { answered: true, state: 'available' };

function readErrorCode(status: number, errorCode: unknown): LookupResult {
  const code = Number(errorCode);
  const detail = `HTTP ${status} with errorCode ${Number.isInteger(code) ? code : 'unknown'}`;
  if (code === 429) return noAnswer('rate_limited', detail);
  if (code === 401 || code === 403) return noAnswer('refused', detail);
  return noAnswer(code >= 500 ? 'failing' : 'not_understood', detail);
}

/** Titles and descriptions of the notices, flattened. */
function noticesOf(body: Json): unknown[] {
  if (!Array.isArray(body.notices)) return [];
  return body.notices.filter(isObject).flatMap((notice) => [notice.title, notice.description].flat());
}

const LIMITS = /rate.?limit|too many|quota|throttl|limit (was |is |has been )?(exceeded|reached)/i;
// A name that is withheld, or a server that does not know the suffix, can look like a plain absence.
const DENIALS =
  /(?<!rights )reserved|restricted|prohibited|blocked|unauthori[sz]ed|forbidden|denied|unsupported|not (supported|served|authoritative|registrable|available)/i;

const isAbout = (pattern: RegExp) => (text: unknown) => isString(text) && pattern.test(text);

const isString = (value: unknown): value is string => typeof value === 'string';

function isSameName(ldhName: unknown, domain: string): boolean {
  return isString(ldhName) && ldhName.toLowerCase().replace(/\.$/, '') === domain;
}

function parseObject(text: string): Json | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null; // the caller says what was expected instead
  }
}
