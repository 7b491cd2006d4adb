import { createHash, randomBytes } from 'node:crypto';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { parse } from 'csv-parse/sync';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { ApiError } from '../../errors/api-error.js';
import { isObject } from '../../validation/unknown-values.js';
import { type DomainName, judgeDomainName } from '../../domains/name/domain-name.js';
import type { RegistryAnswer } from '../../registry/answer.js';
import type { BulkName } from './bulk-check.repository.js';

/**
 * Converts name lists in other media types to the JSON body before validation; rejects bodies that are not
 * lists.
 */
@Injectable()
export class BulkBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.is('application/json')) return next.handle();
    const type = request.is(NAME_LIST_TYPES);
    // Without a body there is no type: validation then reports the missing names.
    if (type === null) return next.handle();
    const text: unknown = request.body;
    if (!type || typeof text !== 'string')
      throw new ApiError(
        'unsupported_media_type',
        `Send the names as application/json, or as one of ${NAME_LIST_TYPES.join(', ')}`,
      );
    request.body = { domains: type === CSV_TYPE ? namesOfCsv(text) : namesOfNdjson(text) };
    return next.handle();
  }
}

export const CSV_TYPE = 'text/csv';
export const NDJSON_TYPE = 'application/x-ndjson';
/** The types that a list of names may have beside JSON, the usual one of each first. */
export const NAME_LIST_TYPES = [CSV_TYPE, NDJSON_TYPE, 'application/ndjson', 'application/jsonl'];

/** The column of the names, where the first row has the names of columns. */
const NAME_COLUMN = 'domain';

/**
 * The names of a CSV text: the column `domain`, or without such a heading the first column.
 *
 * @throws {ApiError} bad_request for invalid CSV
 */
export function namesOfCsv(text: string): string[] {
  const [head = [], ...rows] = readCsv(text);
  const column = head.findIndex((cell) => cell.trim().toLowerCase() === NAME_COLUMN);
  return (column === -1 ? [head, ...rows] : rows).flatMap((cells) => cells[Math.max(0, column)] ?? []);
}

function readCsv(text: string): string[][] {
  try {
    // Named, since the first line's would be taken for that of all.
    const recordDelimiter = ['\r\n', '\n', '\r'];
    return parse(text, { bom: true, relaxColumnCount: true, skipEmptyLines: true, recordDelimiter });
  } catch (cause) {
    throw new ApiError('bad_request', 'The body is not valid CSV (RFC 4180).', { cause });
  }
}

/**
 * The names of lines that are JSON: each a text, or an object with `domain`.
 *
 * @throws {ApiError} bad_request naming the line that is neither
 */
function namesOfNdjson(text: string): string[] {
  return text
    .split('\n')
    .map((line, index) => [line.trim(), index + 1] as const)
    .filter(([line]) => line !== '')
    .map(([line, number]) => {
      const value = readJson(line);
      const name = isObject(value) ? value.domain : value;
      if (typeof name === 'string') return name;
      throw new ApiError(
        'bad_request',
        `Line ${number} of the body is neither a JSON text nor an object with "domain".`,
      );
    });
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    // Told with the line's number.
    return undefined;
  }
}

/** Of a text that is no name, so much is sent back. */
const MAX_ECHO_LENGTH = 100;

/** A text that was asked for, and the name in it. */
export interface Wanted extends BulkName {
  readonly name: DomainName | null;
}

/** Each name once, in the order in which it came first. */
export function parseUnique(texts: readonly string[]): Wanted[] {
  const wanted = texts.map((text): Wanted => {
    const judged = judgeDomainName(text);
    if (judged.ok) return { domain: judged.domain.domain, name: judged.domain, answer: null, error: null };
    const { code, message } = judged;
    const domain = text.trim().slice(0, MAX_ECHO_LENGTH).replace(/\p{C}/gu, '?');
    return { domain, name: null, answer: null, error: { code, message } };
  });
  // A map keeps the first place of a key.
  return [...new Map(wanted.map((one) => [one.domain, one])).values()];
}

/** Attaches known answers; unpaid ones are left out. */
export function attachKnownAnswers(
  { name, ...one }: Wanted,
  paid: ReadonlySet<DomainName>,
  known: ReadonlyMap<string, RegistryAnswer>,
): BulkName {
  if (!name) return one;
  return paid.has(name) ? { ...one, answer: known.get(one.domain) ?? null } : { ...one, error: LEFT_OUT };
}

export const LEFT_OUT = {
  code: 'budget_exhausted',
  message: 'What the budget had left was enough for the names before this one.',
} as const;

/** 32 random bytes, in base64url. */
export const BULK_TOKEN = /^[\w-]{43}$/;

export function mintBulkToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored form: a reader of the table learns no tokens. */
export function hashBulkToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
