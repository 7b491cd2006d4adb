import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, ValidateBy } from 'class-validator';
import { fillIn, t } from '../../../texts/texts.js';
import { plainOf } from '../../words/lexicon.js';
import { filterBy } from './filter.js';

const MAX_TEXT = 100;
const MAX_TITLE_WORDS = 200;
const MAX_WORD_LENGTH = 40;
/** Beginnings of so few letters would be in too many titles: such words are whole. */
const MIN_PART = 3;
const RULE = `former_title must be 1 to ${MAX_TEXT} characters with a letter or digit among them`;

/** The words of a title, in small letters and without accents, each once. */
export function titleWordsOf(title: string): string[] {
  const words = plainOf(title).match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((word) => word.slice(0, MAX_WORD_LENGTH)))].slice(0, MAX_TITLE_WORDS);
}

/** As PostgreSQL reads a text query: `coffee:* & au`. */
function partsAsked(text: string): string {
  const words = titleWordsOf(text);
  return words.map((word) => (word.length < MIN_PART ? word : `${word}:*`)).join(' & ');
}

function TitleWords(): PropertyDecorator {
  const isTitle = (value: unknown) =>
    typeof value === 'string' && value.length <= MAX_TEXT && titleWordsOf(value).length > 0;
  return applyDecorators(
    ApiPropertyOptional({
      description:
        'Words that titles of the former site have, in any order; from three characters on their beginnings are ' +
        'enough. 503 `not_ready` until the titles of all names are read from the archive, and where they are not read at all.',
      ...{ type: String, minLength: 1, maxLength: MAX_TEXT, example: 'coffee roasters' },
    }),
    IsOptional(),
    ValidateBy({ name: 'isTitle', validator: { validate: isTitle, defaultMessage: () => RULE } }),
  );
}

export const TITLE_FILTERS = {
  formerTitle: filterBy<string>()('former_title', {
    isFree: () => false,
    sql: (text, view, bind) => [
      view.isAmong('former_site', `array_to_tsvector(title_words) @@ ${bind(partsAsked(text))}::tsquery`),
    ],
    needs: 'formerTitle',
    matches: null,
    cells: null,
    rules: TitleWords(),
    text: (text) => titleWordsOf(text).toSorted(),
    name: t.filters.names.former_title,
    words: (text) => fillIn(t.filters.said.formerTitle, { text }),
    field: { label: t.filters.former_title, kind: 'text', max: MAX_TEXT },
    isWatched: false,
  }),
};
