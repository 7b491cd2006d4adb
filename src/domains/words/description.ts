import { plainOf } from './lexicon.js';
import { type KnownWords, type Reading, readQuestion } from './reading.js';

/** Longest description that is read. */
export const MAX_DESCRIPTION_LENGTH = 300;
/** Further words of it are left out. */
const MAX_TOPICS = 6;

/** Words of a sentence that say nothing of what a name is to be. */
const SENTENCE = new Set(
  (
    'a about all am an and any are as at be been being but by can could did do does for from get had has ' +
    'have he her his how i if im in into is it its just like make many may me more most my name names ' +
    'near need of on one or our out over she should so some something sell sells selling such than that ' +
    'the their them then there these they this those to too up us use very want was we well were what ' +
    'when where which who will with would you your domain domains website webpage site called based offer ' +
    'offers offering provide provides providing run runs running start starting open opening help helps ' +
    'helping specialise specialises specialising specialize specializes specializing'
  ).split(' '),
);
/** Words that hardly any name has, and any business may be. */
const COMMON = new Set(
  (
    'big business businesses company companies family firm friendly good great independent little local ' +
    'new nice old online owned people professional quality service services small startup venture young'
  ).split(' '),
);

/** What a description asks for: words that names may have, and a place. */
export interface Description {
  readonly reading: Reading;
  /** The typed texts of the terms that are places. */
  readonly places: ReadonlySet<string>;
}

/**
 * Reads a sentence such as `a small coffee roastery in Hobart`: words that only make the sentence are left out, and
 * misspelt words are read as known ones.
 */
export function readDescription(
  text: string,
  known: KnownWords & { isPlace(word: string): boolean },
): Description {
  const words = plainOf(text.slice(0, MAX_DESCRIPTION_LENGTH))
    .replace(/['’]/g, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1);
  const useful = words.filter((word) => !SENTENCE.has(word));
  const telling = useful.filter((word) => !COMMON.has(word));
  const asked = [...new Set(telling.length > 0 ? telling : useful)];
  const { terms } = readQuestion(asked.join(' '), known);
  const isPlace = ({ as }: { readonly as: readonly string[] }) => as.some((word) => known.isPlace(word));
  const topics = terms.filter((term) => !isPlace(term)).slice(0, MAX_TOPICS);
  const places = terms.filter(isPlace).slice(0, 1);
  const kept = [...topics, ...places];
  const used = new Set(kept.flatMap(({ typed }) => typed.split(' ')));
  return {
    reading: {
      ...{ typed: text.trim(), name: null, terms: kept, phrases: [], without: [], globs: [] },
      leftOut: [...new Set(words)].filter(
        (word) => !used.has(word) && !kept.some(({ as }) => as.includes(word)),
      ),
    },
    places: new Set(places.map(({ typed }) => typed)),
  };
}
