import { MAX_READ_LENGTH, NAME, redactPeople } from './evidence.js';
import { REVIEWED_WORDINGS, type ReviewedWording } from './reviewed-wordings.js';

/** Versions of the rules that can be in use. */
export const PARSER_NAMES = ['newest', 'former'] as const;
export type Parser = (typeof PARSER_NAMES)[number];

/** What an operator may say that a whole text means; `not_found` is also said of notices about the service. */
export const LEARNED_MEANINGS = [
  'not_found',
  'limited',
  'refused',
  'not_served',
  'reserved',
  'declined',
] as const;
export type LearnedMeaning = (typeof LEARNED_MEANINGS)[number];
/** Meaning of an error's texts. `more`: a text that is not known. */
export type Meaning = LearnedMeaning | 'more';
/** Wordings beside those of the release, by {@link compared}. */
export type Learned = ReadonlyMap<string, LearnedMeaning>;

export const NONE_LEARNED: Learned = new Map();

/** Longest sentence of a registry that is passed on, in characters. */
const MAX_MESSAGE_LENGTH = 160;

const textsOf = (meaning: ReviewedWording['meaning']) =>
  REVIEWED_WORDINGS.filter((one) => one.meaning === meaning).map(({ text }) => text);
const reviewed = (meaning: ReviewedWording['meaning']): ReadonlySet<string> =>
  new Set(textsOf(meaning).map(normalise));

// Between two sentences is an empty one.
const NOT_FOUND: ReadonlySet<string> = new Set(['', ...reviewed('not_found')]);
const HARMLESS = reviewed('harmless');
/** Titles of what registries put into every answer. */
const ABOUT_THE_SERVICE = reviewed('title');

// In this order, because a text about limits or about who may ask says nothing of the name.
const SPEAKS_OF = (['limited', 'refused', 'not_served', 'reserved', 'declined'] as const).map(
  (meaning) => [meaning, phrasePattern(textsOf(meaning))] as const,
);
const IDIOMS = new RegExp(phrasePattern(textsOf('idiom')), 'gu');

/**
 * What the texts of an RDAP error say of the name, taken together. A text that an operator has added counts as a
 * whole, before the phrases in it.
 *
 * @param texts of the evidence, so without the name: quoting it says nothing, and quota.com.au is an ordinary name
 */
export function meaningOf(texts: readonly string[], learned: Learned): Meaning {
  const meant = texts.map((text) => learned.get(compared(text)));
  const unknown = texts
    .filter((_, at) => meant[at] !== 'not_found')
    .flatMap((text) => unknownIn(text, learned));
  const speech = unknown.map((sentence) => sentence.replace(IDIOMS, ' '));
  const found = SPEAKS_OF.find(
    ([meaning, pattern]) => meant.includes(meaning) || speech.some((text) => pattern.test(text)),
  );
  if (found) return found[0];
  return unknown.length === 0 ? 'not_found' : 'more';
}

/** Sentences that are not known to mean "not found", as one text; none where all are known. */
function unknownIn(text: string, learned: Learned): string[] {
  const sentences = text
    .slice(0, MAX_READ_LENGTH)
    .split(/[.:;!?\n]/)
    .map(compared)
    .filter((sentence) => !NOT_FOUND.has(sentence) && learned.get(sentence) !== 'not_found');
  return sentences.length > 0 || text.length > MAX_READ_LENGTH ? [sentences.join(' ')] : [];
}

/**
 * Kind of a notice beside an error. `harmless` says nothing about the name; `unknown` is about the service by its
 * title, but its text has not been reviewed; `speech` is read like the rest of the error. A title or a type alone
 * does not make a notice harmless.
 */
export function judgeNotice(
  { title, description, type }: Readonly<Record<string, unknown>>,
  learned: Learned,
): 'harmless' | 'unknown' | 'speech' {
  if (typeof title !== 'string' || !ABOUT_THE_SERVICE.has(normalise(title))) return 'speech';
  const text = compared([description].flat().join(' '));
  const isHarmless = HARMLESS.has(text) || learned.get(text) === 'not_found';
  return type === undefined && isHarmless ? 'harmless' : 'unknown';
}

/** As texts and wordings are compared: without the name that was asked. */
export function compared(text: string): string {
  return normalise(text.replaceAll(NAME, ' '));
}

/** A wording as an operator writes it, with or without the marks that evidence has. */
export function comparedWording(text: string): string {
  return compared(redactPeople(text));
}

/** Finds any of the phrases, as whole words of a normalised text. */
function phrasePattern(phrases: readonly string[]): RegExp {
  const patterns = phrases.map((phrase) =>
    phrase
      .split(/( … |\*)/)
      .map((part) => (part === ' … ' ? ' (?:.* )?' : part === '*' ? '\\S*' : normalise(part)))
      .join(''),
  );
  return new RegExp(`(?<=^| )(?:${patterns.join('|')})(?= |$)`, 'u');
}

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
        .slice(0, MAX_READ_LENGTH)
        .replace(/[\p{C}\p{Z}]+/gu, ' ')
        .trim(),
    )
    .join(': ')
    .replace(/\{(?:address|number|person|text)\}|\S+@\S+|\+?\d[\d ()-]{5,}\d/g, '…');
  const characters = [...line];
  return characters.length > MAX_MESSAGE_LENGTH
    ? `${characters.slice(0, MAX_MESSAGE_LENGTH - 1).join('')}…`
    : line;
}
