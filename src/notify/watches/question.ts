import { parse } from 'node:querystring';
import type { NameFilter } from '../../domains/schema/filters/filters.js';
import { NameFilterQuery, nameFilterOf, SEARCH_PARAMETERS } from '../../domains/schema/filters/parameters.js';
import { textOf as textOfParameter } from '../../domains/schema/page-cursor.js';
import type { DomainState } from '../../domains/schema/states.js';
import { ApiError } from '../../errors/api-error.js';
import { validationPipe } from '../../errors/validation.pipe.js';
import { LIFE_TYPES, type LifeType, watchOf } from '../../domains/schema/events.js';

/** The search parameters that a watch supports, in the order in which they are written. */
const WATCHED = SEARCH_PARAMETERS.filter(({ isWatched }) => isWatched);

export interface Question {
  /** As an address has it, the same for the same search: only what differs from the defaults, in one order. */
  readonly text: string;
  /** Without the state, which the event tells. */
  readonly filter: NameFilter;
  readonly state: DomainState;
  /** The event that adds a name to the results. */
  readonly eventType: LifeType;
}

const pipe = validationPipe();

/**
 * Reads the question of a search page or of /api/v1/search. Sort order and page are left out.
 *
 * @param address the query of an address
 * @throws {ApiError} invalid_parameter
 */
export async function readQuestion(address: string): Promise<Question> {
  const given = parse(address.replace(/^\?/, ''));
  const known = Object.fromEntries(
    WATCHED.flatMap(({ parameter }) =>
      given[parameter] === undefined || given[parameter] === '' ? [] : [[parameter, given[parameter]]],
    ),
  );
  const query = (await pipe.transform(known, {
    type: 'query',
    metatype: NameFilterQuery,
  })) as NameFilterQuery;
  const filter = { ...nameFilterOf(query), states: undefined };
  const eventType = LIFE_TYPES.find((type) => watchOf(type).state === query.state);
  if (!eventType)
    throw new ApiError(
      'invalid_parameter',
      `A search for names in the state ${query.state} cannot be watched: nothing is told when a name becomes so`,
    );
  const text = textOf(query);
  if (!isNarrow(query))
    throw new ApiError(
      'invalid_parameter',
      'Narrow the search first, by a word, a suffix, a length up to 8, or a score from 10: ' +
        'everything cannot be watched',
    );
  return { text, filter, state: query.state, eventType };
}

/** Whether it finds a small part of all names: who wants all that happens has the feed, where the tier has it. */
function isNarrow(query: NameFilterQuery): boolean {
  const given = Object.entries(query);
  return WATCHED.some(({ parameter, isNarrow }) =>
    given.some(([name, value]) => name === parameter && value !== undefined && isNarrow?.(value)),
  );
}

function textOf(query: NameFilterQuery): string {
  const given = new Map<string, unknown>(Object.entries(query));
  const entries = WATCHED.flatMap(({ parameter, initial }): [string, string][] => {
    const value = given.get(parameter);
    if (value === undefined || value === initial) return [];
    return [[parameter, textOfParameter(Array.isArray(value) ? value.toSorted() : value)]];
  });
  // Without a word there is nothing for these to say of it.
  const said = entries.filter(
    ([parameter]) => !['match', 'mode'].includes(parameter) || query.q !== undefined,
  );
  return new URLSearchParams(said).toString();
}
