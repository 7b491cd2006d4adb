import { STATE_NAMES, type DomainState } from '../../schema/states.js';
import type { FeedType } from '../../schema/events.js';

/** What a row of a file amounts to. */
export const LISTING_WORDS = {
  vouched: 'somebody vouches that the name was free',
  ahead: 'a drop list whose purge lies ahead',
  passed: 'a drop list whose purge has passed',
  named: 'a row without evidence',
} as const satisfies Record<string, string>;
export type ListingWord = keyof typeof LISTING_WORDS;

/** One line of the table of moves by rows of files. The first that fits decides; none: the state stays. */
export interface ListingMove {
  readonly name: 'vouch' | 'list' | 'purge' | 'relist' | 'doubt' | 'correct' | 'add';
  readonly word: ListingWord;
  /** States that it may start from; `new`: the dataset does not have the name. */
  readonly from: readonly (DomainState | 'new')[];
  /**
   * In words, for the README; `condition` says the same in SQL of `listing` (the row), `known` (what the dataset
   * has), `answer` (what a registry has said since the vouch, to the contrary) and `terms`.
   */
  readonly when?: string;
  readonly condition?: string;
  readonly to: DomainState | 'same';
  readonly event?: FeedType;
}

const EVERY = ['new', ...STATE_NAMES] as const;

// A name drops once a day at most, and lists differ in the hour: the day tells drops apart.
const IS_LATER_DROP = `coalesce(${dayOf('listing.purge_at')} > ${dayOf('known.purge_at')}, true)`;
const IS_UNANSWERED = 'coalesce(known.checked_at < listing.purge_at, true)';
const LATER_DROP = 'no drop of that day or a later one is known, and no answer since its purge';

/** The meaning of rows of files, by the row of the name. */
export const LISTING_MOVES: readonly ListingMove[] = [
  {
    name: 'vouch',
    word: 'vouched',
    from: EVERY,
    when: 'no newer answer is known, and no purge since',
    condition: `coalesce(known.checked_at <= terms.vouched_at, true)
      AND NOT coalesce(known.state IN ('listed', 'delisted', 'purged') AND known.purge_at > terms.vouched_at, false)
      AND answer.domain IS NULL`,
    to: 'available',
    event: 'domain.dropped',
  },
  {
    name: 'list',
    word: 'ahead',
    from: EVERY,
    when: LATER_DROP,
    condition: `${IS_LATER_DROP} AND ${IS_UNANSWERED}`,
    to: 'listed',
    event: 'domain.listed',
  },
  {
    name: 'purge',
    word: 'passed',
    from: EVERY,
    when: LATER_DROP,
    condition: `${IS_LATER_DROP} AND ${IS_UNANSWERED}`,
    to: 'purged',
  },
  {
    name: 'relist',
    word: 'ahead',
    from: ['delisted'],
    when: 'the list has it again, with a purge of the same day',
    condition: `${dayOf('listing.purge_at')} = ${dayOf('known.purge_at')}`,
    to: 'listed',
    event: 'domain.listed',
  },
  ...(['ahead', 'passed'] as const).map((word): ListingMove => ({
    name: 'correct',
    word,
    from: ['listed'],
    when: 'the list says more of the hour of the same purge',
    condition: `terms.kind IS NOT NULL AND ${dayOf('listing.purge_at')} = ${dayOf('known.purge_at')}
      AND (listing.purge_at, terms.kind) IS DISTINCT FROM (known.purge_at, known.list_kind)`,
    to: 'same',
  })),
  {
    name: 'doubt',
    word: 'named',
    from: ['taken', 'rescued'],
    when: 'its day is later than the one that is known, and not before the answer',
    condition: `listing.first_seen IS NOT NULL AND coalesce(listing.first_seen > known.first_seen, true)
      AND coalesce(listing.first_seen >= ${dayOf('known.checked_at')}, true)`,
    to: 'unconfirmed',
  },
  { name: 'add', word: 'named', from: ['new'], to: 'unconfirmed' },
  {
    name: 'add',
    word: 'vouched',
    from: ['new'],
    when: 'a registry has said otherwise since',
    to: 'unconfirmed',
  },
];

/** What becomes of a name that a list had, and that the same day's list no longer has. */
export const DELISTING = {
  from: 'listed',
  when: 'the list of the same day no longer has it, and its purge lies ahead',
  to: 'delisted',
  event: 'domain.delisted',
} as const satisfies { from: DomainState; when: string; to: DomainState; event: FeedType };

/** A revised list may always lack this many names. */
const FEW_MISSING = 10;
/** A larger share of a day's names does not leave its list at once: the list is cut short, or a part of it. */
const MISSING_SHARE = 0.2;

/**
 * Whether a list is a revision of the one that a day's names came from.
 *
 * @param missing names of that day that it lacks
 * @param present names of that day that it still has
 */
export function isPlausibleRevision(missing: number, present: number): boolean {
  return missing <= present && missing <= Math.max(FEW_MISSING, (missing + present) * MISSING_SHARE);
}

/** SQL: what a row of `listing` amounts to under the `terms`. */
export const WORD_SQL = `
  CASE WHEN terms.vouched_at IS NOT NULL AND coalesce(listing.purge_at <= terms.vouched_at, true) THEN 'vouched'
       WHEN listing.purge_at > terms.now THEN 'ahead'
       WHEN listing.purge_at IS NOT NULL THEN 'passed'
       ELSE 'named' END`;

/** SQL: the name of the move that `listing`, whose word is `word`, makes `known` go through; `none` for none. */
export const MOVE_SQL = `
  CASE ${LISTING_MOVES.map(whenOf).join('\n       ')}
       ELSE 'none' END`;

/** SQL: the state after a move of that name. */
export const STATE_SQL = `
  CASE move.name ${stateOfMoves()} ELSE known.state END`;

function whenOf({ name, word, from, condition = 'true' }: ListingMove): string {
  const states = from.map((state) => `'${state}'`).join(', ');
  const isFrom = from === EVERY ? 'true' : `coalesce(known.state, 'new') IN (${states})`;
  return `WHEN word.name = '${word}' AND ${isFrom} AND ${condition} THEN '${name}'`;
}

function stateOfMoves(): string {
  const states = new Map(
    LISTING_MOVES.flatMap(({ name, to }) => (to === 'same' ? [] : [[name, to] as const])),
  );
  return [...states].map(([name, to]) => `WHEN '${name}' THEN '${to}'`).join(' ');
}

function dayOf(time: string): string {
  return `(${time} AT TIME ZONE 'UTC')::date`;
}
