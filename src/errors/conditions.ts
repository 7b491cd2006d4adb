import { createHash } from 'node:crypto';
import { ApiError } from './api-error.js';
import { FAILED_CONDITION } from './error-codes.js';

/** As the documents describe the header. */
export const ETAG = {
  ETag: {
    description: 'Send it as If-None-Match to be told of changes only.',
    schema: { type: 'string' as const },
  },
};

/** The ETag of an answer. Weak, because one answer has several encodings on the wire. */
export function entityTagOf(text: string): string {
  return `W/"${createHash('sha1').update(text).digest('base64url')}"`;
}

/** Whether If-None-Match names an answer of this text: `*` names none. */
export function isKnown(ifNoneMatch: string | undefined, text: string): boolean {
  return ifNoneMatch?.includes(entityTagOf(text)) ?? false;
}

/**
 * Compares If-Match with what would be read now, as Express does for files: also a weak tag names itself, for there
 * are no others (RFC 9110 would have it name nothing).
 *
 * @param ifMatch the header; undefined without one
 * @throws {ApiError} bad_request, with status 412
 */
export function assertMatches(ifMatch: string | undefined, tag: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const names = ifMatch.split(',').map(withoutWeakness);
  if (!names.includes(withoutWeakness(tag))) throw conditionFailed();
}

/** The same for the answer to a GET at the address. */
export function assertMatchesAnswer(ifMatch: string | undefined, answer: () => object): void {
  if (ifMatch !== undefined) assertMatches(ifMatch, entityTagOf(JSON.stringify(answer())));
}

export function conditionFailed(): ApiError {
  const { code, message, status } = FAILED_CONDITION;
  return new ApiError(code, message, { status });
}

const withoutWeakness = (tag: string) => tag.trim().replace(/^W\//, '');
