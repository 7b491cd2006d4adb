import { OmitType } from '@nestjs/swagger';
import { parse } from 'node:querystring';
import type { NameFilter } from '../../domains/search/discovery-query.js';
import { NAME_FILTER_FIELDS, NameFilterQuery, nameFilterOf } from '../../domains/search/name-filter.dto.js';
import type { LifeType } from '../../domains/feed/domain-event.repository.js';
import type { DomainState } from '../../domains/schema/states.js';
import { ApiError } from '../../errors/api-error.js';
import { validationPipe } from '../../errors/validation.pipe.js';

/** What of a search can be watched: not when a name was asked about last, which changes without an event. */
class WatchedQuery extends OmitType(NameFilterQuery, ['stale', 'confirmed_since']) {}

/** In the order in which they are written. */
const FIELDS = [...NAME_FILTER_FIELDS, 'state'] as const satisfies readonly (keyof WatchedQuery)[];

/** The event by which a name comes into a search for names in this state. */
const ARRIVALS: Partial<Record<DomainState, LifeType>> = {
  available: 'domain.dropped',
  listed: 'domain.listed',
  purged: 'domain.purged',
  taken: 'domain.taken',
  rescued: 'domain.rescued',
};

/** A search that can be watched. */
export interface Question {
  /** As an address has it, the same for the same search: only what differs from the defaults, in one order. */
  readonly text: string;
  readonly filter: NameFilter;
  readonly state: DomainState;
  /** What tells that there is another name in it. */
  readonly eventType: LifeType;
}

const pipe = validationPipe();

/**
 * Reads the question of a search page or of /api/v1/search. The order that was asked for, and where a page began, are no part of it.
 *
 * @param address the query of an address
 * @throws {ApiError} invalid_parameter
 */
export async function readQuestion(address: string): Promise<Question> {
  const given = parse(address.replace(/^\?/, ''));
  const known = Object.fromEntries(
    FIELDS.flatMap((field) =>
      given[field] === undefined || given[field] === '' ? [] : [[field, given[field]]],
    ),
  );
  const query = (await pipe.transform(known, { type: 'query', metatype: WatchedQuery })) as WatchedQuery;
  const filter = nameFilterOf({ ...query, stale: 'exclude' });
  const eventType = ARRIVALS[query.state];
  if (!eventType)
    throw new ApiError(
      'invalid_parameter',
      `A search for names in the state ${query.state} cannot be watched: nothing is told when a name becomes so`,
    );
  const text = textOf(query);
  if (!isNarrow(filter))
    throw new ApiError(
      'invalid_parameter',
      'Narrow the search first, by a word, a suffix, a length up to 8, or a score from 10: everything cannot be watched',
    );
  return { text, filter, state: query.state, eventType };
}

/** Lengths and scores that most names do not have. */
const MAX_NARROW_LENGTH = 8;
const MIN_NARROW_SCORE = 10;
/** Of most names. */
const COMMONEST_SUFFIX = 'com.au';
/** Shorter words are in most names. */
const MIN_NARROW_WORD = 3;

/** Whether it finds a small part of all names: who wants all that happens has the feed, where the tier has it. */
function isNarrow({ q = '', suffixes, maxLength, minWayback, hyphens, numbers }: NameFilter): boolean {
  return (
    q.length >= MIN_NARROW_WORD ||
    (suffixes.length > 0 && !suffixes.includes(COMMONEST_SUFFIX)) ||
    (maxLength !== undefined && maxLength <= MAX_NARROW_LENGTH) ||
    minWayback >= MIN_NARROW_SCORE ||
    hyphens === 'only' ||
    numbers === 'only'
  );
}

function textOf(query: WatchedQuery): string {
  const defaults = new WatchedQuery();
  const entries = FIELDS.flatMap((field): [string, string][] => {
    const value = field === 'tld' ? query.tld?.toSorted().join(',') : query[field];
    return value === undefined || value === defaults[field] ? [] : [[field, String(value)]];
  });
  // Without a word there is nothing for it to stand in front of.
  const said = entries.filter(([field]) => field !== 'mode' || query.q !== undefined);
  return new URLSearchParams(said).toString();
}
