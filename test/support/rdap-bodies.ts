import type { RdapResponse } from '../../src/registry/evidence.js';
import { readRdapAnswer, rulesOf } from '../../src/registry/rdap-answer.js';

/** The name that is asked about. */
export const COFFEE = 'coffee.com.au';
export const NOW = new Date('2026-11-20T12:00:00Z');
export const RDAP = 'application/rdap+json';
export const NOT_FOUND = { errorCode: 404, title: 'Not Found', description: ['Object not found'] };
export const CONFORMANT = { ...NOT_FOUND, rdapConformance: ['rdap_level_0'] };

export function domainObject(changes: object = {}): object {
  return {
    rdapConformance: ['rdap_level_0'],
    objectClassName: 'domain',
    ldhName: COFFEE,
    status: ['active'],
    ...changes,
  };
}

export const termsOfUse = {
  title: 'Terms of Use',
  description: ['Queries are rate limited; access may be blocked when a quota is exceeded.'],
};

const LEARNED = new Map([
  ['nobody knows mate', 'not_found'],
  ['queries are rate limited access may be blocked when a quota is exceeded', 'not_found'],
] as const);

/** The state that the answer tells, or the reason for telling none. */
export function outcomeOf(response: Omit<RdapResponse, 'retryAfter'> & Partial<RdapResponse>): string {
  const result = readRdapAnswer(COFFEE, { retryAfter: null, ...response }, NOW, rulesOf('newest', LEARNED));
  return result.answered ? result.state : result.reason;
}

/** The body as it is sent; a text stands for itself. */
export function asText(body: unknown): string | null {
  if (body === null || typeof body === 'string') return body;
  try {
    return JSON.stringify(body) ?? '';
  } catch {
    return ''; // a bigint or a circle, which no JSON can carry
  }
}
