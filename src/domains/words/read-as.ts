import { ApiSchema } from '@nestjs/swagger';
import { fillIn, t } from '../../texts/texts.js';
import { field, many, oneOf, orNull, shape, text } from '../../validation/shape.js';
import { KEYWORD } from '../name/name-parameters.js';
import { labelOf } from '../schema/domain.js';
import { plainOf } from './lexicon.js';
import { MAX_QUESTION_LENGTH, type Reading, TERM_READINGS, type Term, withoutSuffix } from './reading.js';

function texts(description: string, example: string[]) {
  return field<readonly string[]>({ description, type: [String], example, maxItems: MAX_TEXTS });
}
const MAX_TEXTS = 50;

@ApiSchema({ name: 'ReadTerm', description: 'One word of the question, and how it was understood.' })
class ReadTerm extends shape({
  typed: text('The word as it was typed.', 'cofee'),
  as: texts('The words that it was read as; other forms of them are found too.', ['coffee']),
  reading: oneOf(
    TERM_READINGS,
    '`typed`: a known word; `cut`: a part of a longer text; `spelling`: a known word near it; `text`: no known ' +
      'word, looked for as it is.',
    'spelling',
  ),
  related: texts('Words that near matches may have instead.', ['cafe', 'espresso']),
}) {}

@ApiSchema({ name: 'ReadAs', description: 'How the question was understood.' })
export class ReadAs extends shape({
  text: text('The reading in words.', 'coffee (for cofee) and shop'),
  terms: many(ReadTerm, 'The words, in the order of the question.', { maxItems: MAX_TEXTS }),
  name: orNull(text('The whole name that was typed; null: there is none.', null)),
  phrases: texts('In quotes: the words follow each other.', []),
  without: texts('Words that no name of the answer has.', []),
  patterns: texts('Patterns with * and ?.', []),
  left_out: texts('Parts of the question that were not used.', []),
  strict_q: orNull(
    text('The `q` that looks for the same text with match=text; null: there is none.', 'cofeeshop'),
  ),
}) {}

/** How a question was read, for its answer. */
export function readAs(reading: Reading): ReadAs {
  const { terms, name, phrases, without, globs, leftOut } = reading;
  return {
    text: readingInWords(reading),
    terms: terms.map(({ typed, as, reading: how, related }) => ({ typed, as, reading: how, related })),
    name,
    phrases: phrases.map((words) => words.join(' ')),
    without: without.map(({ typed }) => typed),
    patterns: name === null ? globs : [],
    left_out: leftOut,
    strict_q: strictText(reading),
  };
}

export function readingInWords({ name, terms, phrases, without, globs }: Reading): string {
  if (name !== null) return name;
  const { and, or, quoted, like, lacks } = t.search.readAs;
  const asked = [
    ...terms.map(termInWords),
    ...phrases.map((words) => fillIn(quoted, { words: words.join(' ') })),
    ...globs.map((glob) => fillIn(like, { glob })),
  ];
  const excluded = without.map(({ typed }) => typed).join(or);
  return [asked.join(and), excluded === '' ? '' : fillIn(lacks, { words: excluded })]
    .filter((part) => part !== '')
    .join(', ');
}

function termInWords({ typed, as, reading }: Term): string {
  const words = as.join(t.search.readAs.or);
  return reading === 'spelling' ? fillIn(t.search.readAs.spelled, { words, typed }) : words;
}

/** The letters as they were typed, for a search by text; null where they cannot say the question. */
export function strictText({ typed, name, without }: Reading): string | null {
  if (without.length > 0) return null;
  const plain =
    name === null
      ? withoutSuffix(plainOf(typed)).text.replace(LONE_HYPHEN, '').replace(UNSEARCHABLE, '')
      : labelOf(name);
  return KEYWORD.test(plain) ? plain : null;
}
const LONE_HYPHEN = /(?<=^|\s)-+(?=\s|$)/g;
const UNSEARCHABLE = /[^a-z0-9-]+/g;

/** The same question with its words as they were typed, and its exclusions; null: it has no such words. */
export function strictQuestion({ terms, phrases, without, globs }: Reading): string | null {
  if (terms.length === 0) return null;
  const quoted = [...terms.map(({ typed }) => typed), ...phrases.map((words) => words.join(' '))];
  const parts = [
    ...quoted.map((words) => `"${words}"`),
    ...globs,
    ...without.map(({ typed }) => `-${typed}`),
  ];
  const question = parts.join(' ');
  return question.length <= MAX_QUESTION_LENGTH ? question : null;
}

/** Which names were looked for: `with coffee and shop, like bar*, without tea`. */
export function soughtInWords({ name, terms, phrases, without, globs }: Reading): string {
  const { and, or, quoted, has, alike, lacks } = t.search.readAs;
  const asked = [
    ...terms.map(termInWords),
    ...phrases.map((words) => fillIn(quoted, { words: words.join(' ') })),
  ];
  const patterns = name === null ? globs : [];
  return [
    asked.length > 0 ? fillIn(has, { words: asked.join(and) }) : '',
    patterns.length > 0 ? fillIn(alike, { globs: patterns.join(and) }) : '',
    without.length > 0 ? fillIn(lacks, { words: without.map(({ typed }) => typed).join(or) }) : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}
