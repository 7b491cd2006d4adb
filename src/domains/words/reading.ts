import { judgeDomainName } from '../name/domain-name.js';
import { labelOf } from '../schema/domain.js';
import { type Lexicon, plainOf } from './lexicon.js';

/** Longest text that is read. */
export const MAX_QUESTION_LENGTH = 100;
/** More words, quotes, exclusions or patterns than these are left out, and said to be. */
export const MAX_TERMS = 8;
const MAX_WORDS = 16;
const MAX_RELATED = 32;
const MIN_CUT_LENGTH = 3;
/** A misspelling costs so many bits a letter, beside the word that it is read as. */
const ERROR_COST = 7;
/** Less, where only a letter is doubled or is not. */
const DOUBLED = 3;
/** Less, where a vowel stands for another, as both sound alike. */
const SWAPPED = 5;
const MIN_SPELLED = 4;
/** From so many letters on, two may be wrong. */
const MIN_SPELLED_TWICE = 7;
const MAX_SPELLINGS = 2;
/** A second word must be nearly as likely as the first. */
const EQUALLY_LIKELY = 2;

/** Left out of a question that has other words. */
const SMALL_WORDS = new Set('a an and at by for in near of on or the to with'.split(' '));

/** How a word of the question was understood; `text`: it is no word that we know, and is looked for as it is. */
export const TERM_READINGS = ['typed', 'cut', 'spelling', 'text'] as const;
export type TermReading = (typeof TERM_READINGS)[number];

/** One word of the question: a name has one of `words`, or where there are none, the text. */
export interface Term {
  readonly typed: string;
  /** The words that it was read as, without their other forms. */
  readonly as: readonly string[];
  readonly reading: TermReading;
  /** Those, and other forms of them that mean the same. */
  readonly words: readonly string[];
  /** Words that near matches may have instead. */
  readonly related: readonly string[];
}

/** A question as it was understood: names have every term, phrase and glob, and nothing of the rest. */
export interface Reading {
  /** Without spaces around it. */
  readonly typed: string;
  /** The whole name or address that was typed: names have its label; the terms are for near matches only. */
  readonly name: string | null;
  readonly terms: readonly Term[];
  /** In quotes: the words follow each other, joined or with hyphens. */
  readonly phrases: readonly (readonly string[])[];
  readonly without: readonly Term[];
  readonly globs: readonly string[];
  /** Parts of the text that were not used. */
  readonly leftOut: readonly string[];
}

/** What a reader has to know of words. */
export type KnownWords = Pick<
  Lexicon,
  'has' | 'isOwn' | 'costOf' | 'cut' | 'costOfCut' | 'near' | 'sameAs' | 'relatedTo'
>;

/**
 * Reads what people type: words in any order, with or without hyphens; `"quotes"`; `-without`; `*` and `?`; a whole
 * name or address. Never fails: what it cannot use is left out.
 */
export function readQuestion(text: string, known: KnownWords): Reading {
  const typed = text.slice(0, MAX_QUESTION_LENGTH).trim().replace(/\s+/g, ' ');
  const empty = { typed, name: null, terms: [], phrases: [], without: [], globs: [], leftOut: [] };
  const name = nameIn(typed);
  if (name !== null) {
    const label = labelOf(name);
    return { ...empty, name, globs: [label], terms: termsOf(partsOf(label), known) };
  }
  const { text: words, suffix } = withoutSuffix(plainOf(typed));
  const { quoted, tokens } = tokensOf(words);
  const phrases = quoted.map(partsOf).filter((words) => words.length > 0);
  const wild = tokens.filter(isWild);
  const minus = tokens.filter((token) => isExcluded(token) && !isWild(token));
  const plain = tokens.filter((token) => !isWild(token) && !isExcluded(token)).flatMap(partsOf);
  const isUseful = (word: string) =>
    !SMALL_WORDS.has(word) && (!/^[a-z]{1,2}$/.test(word) || known.has(word));
  const useful = plain.filter(isUseful);
  const isAlone = useful.length + phrases.length + wild.length + minus.length === 0;
  const asked = [...new Set(isAlone ? plain : useful)];
  const isSingle = asked.length + phrases.length + minus.length === 0 && wild.length === 1;
  return {
    ...empty,
    terms: termsOf(asked.slice(0, MAX_TERMS), known),
    phrases: phrases.slice(0, MAX_TERMS),
    without: minus
      .slice(0, MAX_TERMS)
      .flatMap((token) => partsOf(token).map((word) => excluded(word, known))),
    globs: wild.slice(0, MAX_TERMS).map((token) => globOf(token, isSingle)),
    leftOut: [
      ...(isAlone ? [] : plain.filter((word) => !isUseful(word))),
      ...(suffix === '' ? [] : [suffix]),
      ...tokens.filter((token) => !isWild(token) && partsOf(token).length === 0),
      ...asked.slice(MAX_TERMS),
      ...phrases.slice(MAX_TERMS).map((phrase) => phrase.join(' ')),
      ...[minus, wild].flatMap((parts) => parts.slice(MAX_TERMS)),
    ],
  };
}

/** Whether it asks for nothing, as nothing of it could be read. */
export function isEmptyReading({ terms, phrases, without, globs }: Reading): boolean {
  return terms.length + phrases.length + without.length + globs.length === 0;
}

function nameIn(typed: string): string | null {
  if (!/^\S+\.\S+$/.test(typed) || /[*?"]/.test(typed.replace(/\/.*$/, ''))) return null;
  const judgement = judgeDomainName(typed.toLowerCase());
  return judgement.ok ? judgement.domain.domain : judgement.registrable;
}

const ADDRESS =
  /^(?:https?:\/\/(?:www\.)?|www\.)([a-z0-9-]+)((?:\.[a-z0-9-]+)+)(?:[:/?#]\S*)?$|^([a-z0-9-]+)(\.(?:(?:com|net|org|edu|gov)(?:\.[a-z]{2})?|info|biz|io|app|shop|co\.[a-z]{2}))$/;
const SUFFIX = /\s*(\.(?:(?:com|net|org|id|asn)\.)?au)$/;

/** The label of an address of another country, and words before a suffix: `coffee shop.com.au`. */
export function withoutSuffix(text: string): { text: string; suffix: string } {
  const [, ofLink, end, ofName, suffixOfName] = ADDRESS.exec(text) ?? [];
  const [label, rest] = [ofLink ?? ofName, end ?? suffixOfName];
  if (label !== undefined && rest !== undefined) return { text: label, suffix: rest };
  const [whole = '', suffix = ''] = SUFFIX.exec(text) ?? [];
  return { text: text.slice(0, text.length - whole.length), suffix };
}

function tokensOf(text: string): { quoted: string[]; tokens: string[] } {
  const quoted: string[] = [];
  const rest = text.replace(/["“”„«»]([^"“”„«»]*)["“”„«»]/g, (_, inside: string) => {
    quoted.push(inside);
    return ' ';
  });
  return { quoted, tokens: rest.split(/[\s,;"“”„«»]+/).filter((token) => token !== '') };
}

function isWild(token: string): boolean {
  return /[*?]/.test(token) && /[a-z0-9]/.test(token) && token.length <= 64;
}

function isExcluded(token: string): boolean {
  return /^[-−–]\S/.test(token);
}

/** Letters and digits, apart where anything else stands: `coffee-shop` is two words, `don't` is one. */
function partsOf(text: string): string[] {
  return text
    .replace(/['’]/g, '')
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '' && part.length <= 63);
}

/** Beside other words a pattern may stand anywhere in the label; alone it is the whole label. */
function globOf(token: string, isWhole: boolean): string {
  const glob = token.replace(/[^a-z0-9*?-]/g, '');
  return isWhole ? glob : `*${glob}*`.replace(/\*+/g, '*');
}

function termsOf(words: readonly string[], known: KnownWords): Term[] {
  const terms: Term[] = [];
  for (let at = 0; at < words.length;) {
    const joined = [3, 2].find((count) => {
      const parts = words.slice(at, at + count);
      return parts.length === count && known.isOwn(parts.join(''));
    });
    const typed = words.slice(at, at + (joined ?? 1));
    const word = typed.join('');
    terms.push(...(joined ? [termOf(typed.join(' '), [word], 'typed', known)] : readWord(word, known)));
    at += typed.length;
  }
  return terms;
}

function readWord(word: string, known: KnownWords): Term[] {
  if (known.has(word)) return [termOf(word, [word], 'typed', known)];
  if (!/^[a-z]+$/.test(word)) return [textOf(word)];
  // men's
  const owner = word.slice(0, -1);
  if (word.endsWith('s') && owner.length >= MIN_CUT_LENGTH && known.has(owner))
    return [termOf(word, [owner], 'typed', known)];
  const spelled = spellingsOf(word, known);
  const [best] = spelled;
  const parts = known.cut(word);
  const isCut =
    parts.length > 1 && parts.every(({ text, isKnown }) => isKnown && text.length >= MIN_CUT_LENGTH);
  if (isCut && (!best || known.costOfCut(word) <= best.cost))
    return parts.map(({ text }) => termOf(text, [text], 'cut', known));
  if (!best) return [textOf(word)];
  const likely = spelled.filter(({ cost }) => cost <= best.cost + EQUALLY_LIKELY);
  const as = likely.slice(0, MAX_SPELLINGS).map((one) => one.word);
  return [termOf(word, as, 'spelling', known)];
}

/** Known words near it, the likeliest first; others than the first only if they are as near. */
function spellingsOf(word: string, known: KnownWords): { word: string; cost: number }[] {
  if (word.length < MIN_SPELLED) return [];
  const max = word.length >= MIN_SPELLED_TWICE ? 2 : 1;
  const first = known.near(word, 1);
  const found = first.length > 0 || max === 1 ? first : known.near(word, max);
  return found
    .filter((one) => one.word.length >= MIN_CUT_LENGTH)
    .map((one) => ({
      word: one.word,
      // The first letter is hardly ever wrong.
      cost:
        known.costOf(one.word) +
        ERROR_COST * (one.distance + (one.word[0] === word[0] ? 0 : 1)) -
        (isVowelSwapped(one.word, word) ? SWAPPED : 0) -
        (undoubled(one.word) === undoubled(word) ? DOUBLED : 0),
    }))
    .sort((one, other) => one.cost - other.cost);
}

/** Whether only a vowel differs, and not that of the beginning, which is heard: moter for motor. */
function isVowelSwapped(one: string, other: string): boolean {
  if (one.slice(0, 2) !== other.slice(0, 2)) return false;
  return one !== other && one.length === other.length && vowelless(one) === vowelless(other);
}

function vowelless(word: string): string {
  return word.replace(/[aeiou]/g, '*');
}

function undoubled(word: string): string {
  return word.replace(/(.)\1/g, '$1');
}

function termOf(typed: string, as: readonly string[], reading: TermReading, known: KnownWords): Term {
  const words = [...new Set(as.flatMap((word) => known.sameAs(word)))].slice(0, MAX_WORDS);
  const related = [...new Set(as.flatMap((word) => known.relatedTo(word)))];
  return {
    ...{ typed, as, reading, words },
    related: related.filter((word) => !words.includes(word)).slice(0, MAX_RELATED),
  };
}

function textOf(word: string): Term {
  return { typed: word, as: [word], reading: 'text', words: [], related: [] };
}

/** The typed word and its plural, without related words. */
function excluded(word: string, known: KnownWords): Term {
  return known.has(word) ? { ...termOf(word, [word], 'typed', known), related: [] } : textOf(word);
}
