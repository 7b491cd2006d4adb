import { MAX_READ_LENGTH, NAME } from './evidence.js';
import { type Learned, type Meaning, normalise } from './rdap-wordings.js';
import { REVIEWED_WORDINGS } from './reviewed-wordings.js';

// The rules of version 1, which can be kept in use (REGISTRY_PARSER) until the release after this one: what phrases
// mean is a list of patterns, and a text of several sentences is known only sentence by sentence.

const NOT_FOUND: ReadonlySet<string> = new Set([
  '',
  ...REVIEWED_WORDINGS.filter(({ meaning }) => meaning === 'not_found').map(({ text }) => normalise(text)),
]);

const SPEAKS_OF: readonly (readonly [Meaning, RegExp])[] = [
  ['limited', /rate.?limit|too many|quota|throttl|limit (was |is |has been )?(exceeded|reached)/i],
  ['refused', /unauthori[sz]ed|forbidden|access (is |was )?denied|(address|client|access)\b.* blocked/i],
  ['not_served', /unsupported|no (rdap )?service|not (supported|served|authoritative)/i],
  ['reserved', /(?<!rights |not |un)reserved/i],
  ['declined', /restricted|prohibited|withheld|(cannot|can't|can not|may not|must not|not) be registered/i],
  ['declined', /unregistrable|ineligible|not (registrable|eligible|(open|available) for registration)/i],
  ['declined', /(name|domain|label) (is |was |has been )?blocked/i],
];

/** What version 1 takes the texts of an RDAP error for. */
export function formerMeaningOf(texts: readonly string[], learned: Learned): Meaning {
  const nameless = texts.map((text) => text.slice(0, MAX_READ_LENGTH).replaceAll(NAME, ''));
  const found = SPEAKS_OF.find(([, pattern]) => nameless.some((text) => pattern.test(text)));
  if (found) return found[0];
  const isKnown = (sentence: string) => NOT_FOUND.has(sentence) || learned.get(sentence) === 'not_found';
  const isWhole = texts.every((text) => text.length <= MAX_READ_LENGTH);
  const sentences = nameless.flatMap((text) => text.split(/[.:;!?\n]/)).map(normalise);
  return isWhole && sentences.every(isKnown) ? 'not_found' : 'more';
}
