import type { Suffix } from '../schema/domain.js';
import type { NameFilter } from './discovery-query.js';
import type { Bind } from './name-filter.js';

/** What a label has to be like beside one pattern; each is looked for name by name, among those that the pattern's grams find. */
export interface Wording {
  /** `*` stands for any characters, `?` for one; the others are a-z, 0-9 and hyphen. */
  readonly glob?: string;
  /** Texts that the label must not contain. */
  readonly without: readonly string[];
  /** The label is on offer under every one of these. */
  readonly offeredUnder: readonly Suffix[];
}

/** How many of the labels on offer under one suffix are so under another: a guess, as nobody counts it. */
const SHARE_UNDER_ANOTHER = 0.02;

/** Whether a label in memory is so; whether it is on offer under other suffixes is not known there. */
export function matchesWording({ glob, without }: Wording, name: string): boolean {
  return (glob === undefined || matchesGlob(glob, name)) && !without.some((text) => name.includes(text));
}

/** The part of the names that matter which are on offer under all the suffixes. */
export function shareOffered({ offeredUnder }: Wording): number {
  return SHARE_UNDER_ANOTHER ** Math.max(0, offeredUnder.length - 1);
}

export const LABEL_OF_DOMAIN = `split_part(domain, '.', 1)`;

/**
 * The same in SQL; to be joined by AND. One text for however many texts and suffixes there are, as it is prepared.
 *
 * @param label how the label is known: the column, or where only the domain is at hand, {@link LABEL_OF_DOMAIN}
 */
export function wordingConditions(wording: Wording | undefined, label: string, bind: Bind): string[] {
  if (!wording) return [];
  const { glob, without, offeredUnder } = wording;
  return [
    ...(glob === undefined ? [] : [`${label} LIKE ${bind(glob.replaceAll('*', '%').replaceAll('?', '_'))}`]),
    ...(without.length === 0
      ? []
      : [`${label} NOT LIKE ALL (${bind(without.map((text) => `%${text}%`))}::text[])`]),
    // Last, as it reads the primary key. The column has another name inside, or it would hide the one outside.
    ...(offeredUnder.length === 0
      ? []
      : [
          `(SELECT count(*) FROM (SELECT domain AS other FROM domain AS offered WHERE available AND NOT hidden) AS others
             WHERE other = ANY (ARRAY(SELECT ${label} || suffix FROM unnest(${bind(offeredUnder.map((suffix) => `.${suffix}`))}::text[]) AS suffix)))
           = ${bind(offeredUnder.length)}`,
        ]),
  ];
}

/** A text that a glob has, as a pattern of its own. */
export type Literal = Required<Pick<NameFilter, 'q' | 'mode'>>;

/** The texts between the wildcards, as what a name that matches has, begins or ends with. */
export function literalsOf(wording: Wording): Literal[] {
  return markedLiterals(wording).map((literal) => {
    const mode = literal.startsWith('^') ? 'prefix' : literal.endsWith('$') ? 'suffix' : 'contains';
    return { q: literal.replaceAll(/[$^]/g, ''), mode };
  });
}

/** The texts between the wildcards, with marks where they must meet the beginning or the end of a name, as markPattern has them. */
export function markedLiterals({ glob }: Wording): string[] {
  if (glob === undefined) return [];
  return `^${glob}$`.split(/[*?]+/).filter((literal) => !['', '^', '$'].includes(literal));
}

/**
 * Whether the glob matches the whole name. Back to the last `*` at most: a regular expression would try every `*` again for every
 * other one.
 */
function matchesGlob(glob: string, name: string): boolean {
  let [at, starAt, from] = [0, -1, 0];
  for (let place = 0; place < name.length;) {
    const wanted = glob[at];
    if (wanted === '*') {
      [starAt, from] = [at, place];
      at += 1;
    } else if (wanted === '?' || wanted === name[place]) {
      at += 1;
      place += 1;
    } else if (starAt >= 0) {
      // That `*` takes one character more.
      from += 1;
      [at, place] = [starAt + 1, from];
    } else return false;
  }
  return /^\**$/.test(glob.slice(at));
}
