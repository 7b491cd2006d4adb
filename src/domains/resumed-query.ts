import type { Type } from '@nestjs/common';
import { ALONE, isCursorAlone, validationPipe } from '../errors/validation.pipe.js';
import { positionIn } from './page-cursor.js';

/** What belongs to one page, and not to what is asked for. */
const OF_ONE_PAGE = ['cursor', 'page', 'since', 'after'];
const KEPT = /^[a-z_]+=/;

interface Paged {
  cursor?: string;
}

const pipe = validationPipe();

/**
 * What is asked for, as the last part of a cursor: so the next page needs the cursor alone.
 *
 * @returns the parameters that are not as they are when left out, as in an address; nothing where there are none
 */
export function keptParameters<Query extends Paged>(query: Query, shape: Type<Query>): [] | [string] {
  const usual = new Map(Object.entries(new shape()).map(([name, value]) => [name, textOf(value)]));
  const kept = Object.entries(query).flatMap(([name, value]: [string, unknown]) =>
    value === undefined || OF_ONE_PAGE.includes(name) || usual.get(name) === textOf(value)
      ? []
      : [[name, textOf(value)] as [string, string]],
  );
  return kept.length === 0 ? [] : [new URLSearchParams(kept).toString()];
}

/** As an address has it: a list with commas. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
}

/**
 * The query as it was when its cursor was made, where nothing but the cursor, and perhaps the size of the page, was sent;
 * else as it was sent. What the cursor says is judged as if it had been sent.
 *
 * @throws {ApiError} invalid_parameter
 */
export async function resumeQuery<Query extends Paged>(query: Query, shape: Type<Query>): Promise<Query> {
  const kept = query.cursor !== undefined && isCursorAlone(query) ? positionIn(query.cursor)?.at(-1) : null;
  if (typeof kept !== 'string' || !KEPT.test(kept)) return query;
  const given = Object.fromEntries(new URLSearchParams(kept));
  const before = (await pipe.transform(given, { type: 'query', metatype: shape })) as Query;
  const sent = Object.entries(query).filter(([name]) => ALONE.includes(name));
  return Object.assign(before, Object.fromEntries(sent.filter(([, value]) => value !== undefined)));
}
