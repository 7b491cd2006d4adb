import { ApiError } from '../../../errors/api-error.js';
import type { Door, Given, Parameter } from './filter.js';
import type { FILTERS } from './filter-table.js';
import { ENTRIES, type FilterKey, type NameFilter } from './filters.js';

type Table = typeof FILTERS;
type AskedAt<At extends Door> = {
  [Key in FilterKey]: At extends Table[Key]['doors'][number] ? Table[Key]['asked'] : never;
}[FilterKey];
type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer Both) => void
  ? Both
  : never;

/** The parameters that are asked for at a door, as an object. */
type ParametersAt<At extends Door> = Given<All<AskedAt<At>>>;
type AnyParameter = Parameter<unknown>;

/** A parameter with its name and what it is asked for by. */
export interface NamedParameter extends AnyParameter {
  readonly parameter: string;
}

/** In the order in which addresses have them. */
function parametersAt(door: Door): readonly NamedParameter[] {
  return ENTRIES.filter(([, { doors }]) => doors.includes(door)).flatMap(([, { asked }]) =>
    Object.entries(asked as Readonly<Record<string, AnyParameter>>).map(([parameter, rules]) => ({
      parameter,
      ...rules,
    })),
  );
}

/** The parameters of search, facets, watches, the pages and MCP. */
export const SEARCH_PARAMETERS = parametersAt('search');

/** Parameters that find nothing before names are cut into words. */
export const WORD_PARAMETERS = ENTRIES.flatMap(([, { needs, asked }]) =>
  needs === 'words' ? Object.keys(asked) : [],
);

const INITIAL = Object.fromEntries(SEARCH_PARAMETERS.map(({ parameter, initial }) => [parameter, initial]));

/** A class that adds the parameters of a door, with their rules, to those of another class. */
export function withFilters<At extends Door, Base extends object>(
  door: At,
  base: new () => Base,
): new () => Base & ParametersAt<At> {
  const parameters = parametersAt(door);
  class Shape extends (base as new () => object) {
    constructor() {
      super();
      for (const { parameter, initial } of parameters)
        if (initial !== undefined) Object.assign(this, { [parameter]: initial });
    }
  }
  for (const { parameter, rules } of parameters) rules(Shape.prototype, parameter);
  return Shape as new () => Base & ParametersAt<At>;
}

class Nothing {}

/**
 * The parameters that say which names are meant: of search and of facets. Goes with ApiCommaList('tld') on the
 * operation.
 */
export class NameFilterQuery extends withFilters('search', Nothing) {}

/** @throws {ApiError} invalid_parameter when a lower limit lies above its upper one */
export function nameFilterOf(query: NameFilterQuery | ParametersAt<'suggest'>): NameFilter {
  const given: Readonly<Record<string, unknown>> = { ...INITIAL, ...query };
  for (const { parameter, upTo = '' } of SEARCH_PARAMETERS)
    assertOrdered(parameter, given[parameter], upTo, given[upTo]);
  return filterFrom(given);
}

function filterFrom(given: Readonly<Record<string, unknown>>): NameFilter {
  return Object.fromEntries(ENTRIES.map(([key, entry]) => [key, entry.read(given)])) as unknown as NameFilter;
}

function assertOrdered(from: string, low: unknown, to: string, high: unknown): void {
  const isCrossed =
    (typeof low === 'number' && typeof high === 'number' && low > high) ||
    (typeof low === 'string' && typeof high === 'string' && low > high);
  if (isCrossed) throw new ApiError('invalid_parameter', `${from} must not be greater than ${to}`);
}
