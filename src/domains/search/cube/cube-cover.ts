import { asksForDays, asksForOtherStates, type NameFilter, type Presence } from '../discovery-query.js';
import type { Bind } from '../name-filter.js';
import { bandsOf, SCORE_BANDS } from '../score-bands.js';
import { EVERY_MONTH, UNKNOWN_MONTH } from './cube-cells.js';

/** The cells all of whose names pass a filter. */
export interface CellCover {
  /** The filter as far as cells can tell. */
  readonly filter: NameFilter;
  /** The lower limits of the bands within the scores asked for. */
  readonly scores: readonly number[];
  /** Whether no name outside of them passes: the limits of the filter are limits of cells. */
  readonly isExact: boolean;
}

/** Null when cells say nothing of the names that pass: the filter asks for what the cube does not tell apart. */
export function coverOf(filter: NameFilter): CellCover | null {
  const { q, wording, states, confirmedSince, minWayback, maxWayback } = filter;
  const isOffer = !asksForOtherStates(filter) && (states === undefined || states.length > 0);
  if (q !== undefined || wording || confirmedSince !== undefined || !isOffer) return null;
  const touched = bandsOf({ minWayback, maxWayback });
  const within = touched.filter(
    ({ from, to }) => from >= minWayback && (maxWayback === undefined || (to !== null && to <= maxWayback)),
  );
  return {
    filter,
    scores: within.map(({ from }) => from),
    isExact: within.length === touched.length && isOfWholeMonths(filter),
  };
}

/** The cells in SQL, as conditions on `domain_cube`. Where the filter asks for no days, they are the sums over all months. */
export function coverConditions(cover: CellCover, bind: Bind): string {
  return conditionsOf(cover, `first_month = '${EVERY_MONTH}'`, bind);
}

/** The same cells, month by month and with the names whose first day is not known, also where the filter asks for no days. */
export function monthlyCoverConditions(cover: CellCover, bind: Bind): string {
  return conditionsOf(cover, `first_month < '${EVERY_MONTH}'`, bind);
}

/** SQL: how many names lie in the cells. */
export function cellCount(cover: CellCover, bind: Bind): string {
  return `SELECT greatest(coalesce(sum(names), 0), 0)::int AS count FROM domain_cube WHERE ${coverConditions(cover, bind)}`;
}

/** @param anyDay which rows to read where the filter asks for no days */
function conditionsOf(cover: CellCover, anyDay: string, bind: Bind): string {
  return [
    ...(asksForDays(cover.filter) ? [] : [anyDay]),
    ...monthConditions(cover.filter, bind),
    ...otherConditions(cover, bind),
  ].join(' AND ');
}

// A month lies within the days when its first does, and the last before the next month's.
function monthConditions({ firstSeenFrom, firstSeenTo }: NameFilter, bind: Bind): string[] {
  if (firstSeenFrom === undefined && firstSeenTo === undefined) return [];
  return [
    `first_month > '${UNKNOWN_MONTH}' AND first_month < '${EVERY_MONTH}'`,
    ...(firstSeenFrom === undefined ? [] : [`first_month >= ${bind(firstSeenFrom)}::date`]),
    ...(firstSeenTo === undefined
      ? []
      : [`first_month + interval '1 month' <= ${bind(firstSeenTo)}::date + 1`]),
  ];
}

function otherConditions({ filter, scores }: CellCover, bind: Bind): string[] {
  const { suffixes, minLength, maxLength, hyphens, numbers } = filter;
  return [
    ...(suffixes.length === 0 ? [] : [`tld = ANY (${bind(suffixes)})`]),
    ...(minLength === undefined ? [] : [`length >= ${bind(minLength)}`]),
    ...(maxLength === undefined ? [] : [`length <= ${bind(maxLength)}`]),
    ...presence('hyphens', hyphens),
    ...presence('numbers', numbers),
    ...(scores.length === SCORE_BANDS.length ? [] : [`score = ANY (${bind(scores)})`]),
  ];
}

function presence(column: 'hyphens' | 'numbers', wanted: Presence = 'allow'): string[] {
  if (wanted === 'allow') return [];
  return [wanted === 'only' ? column : `NOT ${column}`];
}

function isOfWholeMonths({ firstSeenFrom, firstSeenTo }: NameFilter): boolean {
  const begins = firstSeenFrom === undefined || firstSeenFrom.endsWith('-01');
  return begins && (firstSeenTo === undefined || isLastOfMonth(firstSeenTo));
}

function isLastOfMonth(day: string): boolean {
  return new Date(Date.parse(day) + 86_400_000).getUTCDate() === 1;
}
