import type { Lexicon } from './lexicon.js';

/** Stands in `domain.words` for a part of the label that is no known word. */
export const UNKNOWN_PART = 0;

/** A word as `domain.words` has it: FNV-1a, 32 bits with a sign. */
export function codeOfWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash === UNKNOWN_PART ? 1 : hash | 0;
}

/** A label as words. */
export interface CutLabel {
  readonly words: readonly string[];
  /** Whether some letters of it are no known word. */
  readonly hasUnknown: boolean;
}

/** Cuts a label at its hyphens and digits, and what lies between them into words. */
export function cutLabel(label: string, lexicon: Pick<Lexicon, 'cut'>): CutLabel {
  const words: string[] = [];
  let hasUnknown = false;
  for (const letters of lettersOf(label))
    for (const { text, isKnown } of lexicon.cut(letters)) {
      words.push(text);
      if (!isKnown) hasUnknown = true;
    }
  return { words, hasUnknown };
}

/** The value of `domain.words`: the codes of all words, in order, and {@link UNKNOWN_PART} behind them. */
export function wordsOfLabel(label: string, lexicon: Pick<Lexicon, 'cut'>): number[] {
  const { words, hasUnknown } = cutLabel(label, lexicon);
  const codes = words.map(codeOfWord);
  return hasUnknown ? [...codes, UNKNOWN_PART] : codes;
}

/** The same as PostgreSQL reads an array. */
export function wordsText(label: string, lexicon: Pick<Lexicon, 'cut'>): string {
  return `{${wordsOfLabel(label, lexicon).join(',')}}`;
}

/** A label of another script has no words of ours. */
function lettersOf(label: string): string[] {
  return label.startsWith('xn--') ? [] : label.split(/[^a-z]+/).filter((letters) => letters !== '');
}
