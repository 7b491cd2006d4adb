import { REVIEWED_WORDINGS, type ReviewedWording } from './reviewed-wordings.js';

/** Meaning of an error's texts. `more`: a text that is not known to mean "not found". */
export type Meaning = 'limited' | 'refused' | 'not_served' | 'reserved' | 'declined' | 'not_found' | 'more';

/** Longest text that is looked at, and longest sentence of a registry that is passed on; in characters. */
const MAX_TEXT_LENGTH = 2000;
const MAX_MESSAGE_LENGTH = 160;

const reviewed = (meaning: ReviewedWording['meaning']) =>
  REVIEWED_WORDINGS.filter((one) => one.meaning === meaning).map(({ text }) => normalise(text));

// Whole sentences only: a text in neither list says more than "not found". Between two sentences is an empty one.
const NOT_FOUND: ReadonlySet<string> = new Set(['', ...reviewed('not_found')]);
const HARMLESS: ReadonlySet<string> = new Set(reviewed('harmless'));

// In this order, because a text about limits or about who may ask says nothing of the name.
const SPEAKS_OF: readonly (readonly [Meaning, RegExp])[] = [
  ['limited', /rate.?limit|too many|quota|throttl|limit (was |is |has been )?(exceeded|reached)/i],
  ['refused', /unauthori[sz]ed|forbidden|access (is |was )?denied|(address|client|access)\b.* blocked/i],
  ['not_served', /unsupported|no (rdap )?service|not (supported|served|authoritative)/i],
  ['reserved', /(?<!rights |not |un)reserved/i],
  ['declined', /restricted|prohibited|withheld|(cannot|can't|can not|may not|must not|not) be registered/i],
  ['declined', /unregistrable|ineligible|not (registrable|eligible|(open|available) for registration)/i],
  ['declined', /(name|domain|label) (is |was |has been )?blocked/i],
];

/**
 * What the texts of an RDAP error say of the name, taken together.
 *
 * @param domain the name that was asked: quoting it says nothing, and quota.com.au is an ordinary name
 * @param learned wordings of "not found" beside the known ones
 */
export function meaningOf(texts: readonly string[], domain: string, learned: ReadonlySet<string>): Meaning {
  const nameless = texts.map((text) => withoutName(text.slice(0, MAX_TEXT_LENGTH), domain));
  const found = SPEAKS_OF.find(([, pattern]) => nameless.some((text) => pattern.test(text)));
  if (found) return found[0];
  const isKnown = (sentence: string) => NOT_FOUND.has(sentence) || learned.has(sentence);
  const isWhole = texts.every((text) => text.length <= MAX_TEXT_LENGTH);
  const sentences = nameless.flatMap((text) => text.split(/[.:;!?\n]/)).map(normalise);
  return isWhole && sentences.every(isKnown) ? 'not_found' : 'more';
}

/**
 * Kind of a notice beside an error. `harmless` says nothing about the name; `unknown` is about the service by its
 * title, but its text has not been reviewed; `speech` is read like the rest of the error. A title or a type alone
 * does not make a notice harmless.
 */
export function judgeNotice(
  { title, description, type }: Readonly<Record<string, unknown>>,
  learned: ReadonlySet<string>,
): 'harmless' | 'unknown' | 'speech' {
  if (typeof title !== 'string' || !ABOUT_THE_SERVICE.has(normalise(title))) return 'speech';
  const text = normalise([description].flat().join(' '));
  return type === undefined && (HARMLESS.has(text) || learned.has(text)) ? 'harmless' : 'unknown';
}

/** Titles, normalised, of what registries put into every answer. */
const ABOUT_THE_SERVICE = new Set([
  ...['terms of use', 'terms of service', 'terms and conditions', 'status codes', 'about', 'disclaimer'],
  ...['copyright notice', 'legal notice', 'privacy policy', 'data policy', 'usage policy'],
  ...['rdds inaccuracy complaint form', 'whois inaccuracy complaint form'],
]);

/** Lower case, words only: so that neither punctuation nor line breaks make a new wording. */
export function normalise(sentence: string): string {
  return sentence
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** A registry's words to pass on: one short line without control characters, e-mail addresses and long numbers. */
export function shorten(texts: readonly string[]): string {
  const line = texts
    .map((text) =>
      text
        .slice(0, MAX_TEXT_LENGTH)
        .replace(/[\p{C}\p{Z}]+/gu, ' ')
        .trim(),
    )
    .join(': ')
    .replace(/\S+@\S+|\+?\d[\d ()-]{5,}\d/g, '…');
  const characters = [...line];
  return characters.length > MAX_MESSAGE_LENGTH
    ? `${characters.slice(0, MAX_MESSAGE_LENGTH - 1).join('')}…`
    : line;
}

// The dots of a name would end a sentence too early. Another name that holds this one stays.
function withoutName(text: string, domain: string): string {
  const name = new RegExp(`(?<![\\w.-])${domain.replaceAll('.', '\\.')}(?![\\w-])(?!\\.\\w)`, 'gi');
  return text.replace(name, '');
}
