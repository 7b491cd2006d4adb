import { ApiSchema } from '@nestjs/swagger';
import { fillIn, t } from '../../texts/texts.js';
import { field, many, oneOf, orNull, shape, text } from '../../validation/shape.js';
import { KEYWORD } from '../name/name-parameters.js';
import { labelOf } from '../schema/domain.js';
import { plainOf } from './lexicon.js';
import { type Reading, TERM_READINGS, type Term } from './reading.js';

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

/** The letters as they were typed, for a search by text. */
export function strictText({ typed, name }: Reading): string | null {
  const plain = name === null ? plainOf(typed).replace(/\s+/g, '') : labelOf(name);
  return KEYWORD.test(plain) ? plain : null;
}
