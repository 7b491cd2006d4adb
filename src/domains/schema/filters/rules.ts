import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsOptional,
  Matches,
  ValidateBy,
  type ValidationArguments,
} from 'class-validator';
import { LABEL_LENGTH, SUFFIXES, type Suffix } from '../domain.js';
import { DOMAIN_STATES } from '../states.js';
import { KEYWORD, KEYWORD_RULE, MAX_KEYWORD_LENGTH, OneOrMoreOf } from '../../name/name-parameters.js';
import { isEmptyReading, MAX_QUESTION_LENGTH } from '../../words/reading.js';
import { readWords } from './reading-filter.js';
import { TRI_STATES } from './filter.js';
import { GLOB } from './glob.js';
import { ChoiceParameter, IntegerParameter } from '../../../validation/shape.js';

// The rules of parameters that only filters have; the others are in name-parameters.ts.

export function Characters(
  description: string,
  example: number,
  { min, max }: { readonly min: number; readonly max: number } = LABEL_LENGTH,
): PropertyDecorator {
  return IntegerParameter(min, max, description, { example });
}

export function Has(what: string): PropertyDecorator {
  return ChoiceParameter(TRI_STATES, `Names with ${what}: allow them, exclude them, or only them.`, {
    default: 'allow',
    example: 'exclude',
  });
}

export function State(): PropertyDecorator {
  const names = Object.keys(DOMAIN_STATES);
  return ChoiceParameter(
    names,
    `Which names, by what they are in the dataset. Only \`available\` is on offer, and only it is for ` +
      'every tier; the others need full fields.',
    { default: 'available', example: 'purged' },
  );
}

export const MATCHES = ['text', 'words'] as const;
export type Match = (typeof MATCHES)[number];

/** The parameter `match` that belongs to `q`. */
export function Matching(): PropertyDecorator {
  return ChoiceParameter(
    MATCHES,
    'How q is read. `text`: as a piece of the label, where mode says. `words`: as people type, in any order; the ' +
      'answer says in `read_as` how it was understood.',
    { default: 'text', example: 'words' },
  );
}

type Beside = Partial<ValidationArguments>;

function isOfWords({ object = {} }: Beside = {}): boolean {
  return 'match' in object && object.match === 'words';
}

function isSearchText(value: unknown, beside: Beside = {}): boolean {
  if (typeof value !== 'string') return false;
  if (!isOfWords(beside)) return KEYWORD.test(value);
  return value.length <= MAX_QUESTION_LENGTH && !isEmptyReading(readWords(value));
}

const WORDS_RULE = `1 to ${MAX_QUESTION_LENGTH} characters with letters or digits among them`;

/** The parameter `q` beside `match`. */
export function SearchText(): PropertyDecorator {
  const defaultMessage = (beside?: Beside) =>
    isOfWords(beside) ? `q must be ${WORDS_RULE}` : KEYWORD_RULE.message;
  return applyDecorators(
    ApiPropertyOptional({
      description:
        'What to look for in the name (the label, without the suffix). With match=text: 1 to 64 characters of ' +
        'a-z, 0-9 and hyphen. With match=words: words, "quotes", -without, * and ?, a whole name or an address. ' +
        'Left out: every name matches.',
      type: String,
      maxLength: MAX_QUESTION_LENGTH,
      example: 'coffee',
    }),
    IsOptional(),
    ValidateBy({ name: 'isSearchText', validator: { validate: isSearchText, defaultMessage } }),
  );
}

/** A list of such texts. */
export function SearchTexts(description: string, max: number, example: string[]): PropertyDecorator {
  const rule = {
    message: (beside?: Beside) =>
      `${beside?.property ?? 'keywords'} must be a list of 1 to ${max} texts, each ` +
      (isOfWords(beside) ? WORDS_RULE : `1 to ${MAX_KEYWORD_LENGTH} characters of a-z, 0-9 and hyphen`),
  };
  const validator = { validate: isSearchText, defaultMessage: rule.message };
  return applyDecorators(
    ApiPropertyOptional({
      ...{ description, example, minItems: 1, maxItems: max, type: 'array' },
      items: { type: 'string' },
    }),
    IsOptional(),
    ValidateBy({ name: 'isSearchText', validator }, { each: true, message: rule.message }),
    ArrayMaxSize(max, rule),
    ArrayMinSize(1, rule),
    IsArray(rule),
  );
}

export function Stale(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description:
        'Names that were available when they were last asked about, which is too long ago to offer ' +
        'them: `exclude` them, or `include` them beside those that are on offer. They say `available: ' +
        'false`.',
      enum: ['exclude', 'include'],
      default: 'exclude',
      example: 'include',
    }),
    IsOptional(),
    IsIn(['exclude', 'include'], { message: 'stale must be one of exclude, include' }),
  );
}

export function Keywords(description: string, max: number, example: string[]): PropertyDecorator {
  const rule = {
    message:
      `$property must be a list of 1 to ${max} texts, each 1 to ${MAX_KEYWORD_LENGTH} characters of a-z, ` +
      '0-9 and hyphen',
  };
  return applyDecorators(
    ApiPropertyOptional({
      ...{ description, example, minItems: 1, maxItems: max, type: 'array' },
      items: { type: 'string', pattern: KEYWORD.source },
    }),
    IsOptional(),
    Matches(KEYWORD, { ...rule, each: true }),
    ArrayMaxSize(max, rule),
    ArrayMinSize(1, rule),
    IsArray(rule),
  );
}

export function Glob(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description:
        'What the whole label must be like: `*` stands for any characters or none, `?` for one, the ' +
        'others for themselves.',
      type: String,
      pattern: GLOB.source,
      example: '*shop*24',
    }),
    IsOptional(),
    Matches(GLOB, { message: 'glob must be 1 to 64 characters of a-z, 0-9, hyphen, * and ?' }),
  );
}

/** The parameter `pattern`: letters of one kind of character each. */
export function LetterPattern(): PropertyDecorator {
  const pattern = /^[CVLN-]{2,16}$/;
  const upper = ({ value }: { value: unknown }) => (typeof value === 'string' ? value.toUpperCase() : value);
  return applyDecorators(
    ApiPropertyOptional({
      description:
        'What kinds of characters the whole label has, in order: `C` a consonant (y is one), `V` a vowel, `L` any ' +
        'letter, `N` a digit, `-` a hyphen. `CVCV` finds `kova`.',
      type: String,
      pattern: pattern.source,
      example: 'CVCV',
    }),
    IsOptional(),
    Transform(upper),
    Matches(pattern, { message: 'pattern must be 2 to 16 characters of C, V, L, N and hyphen' }),
  );
}

export function Suffixes(description: string, example: Suffix[]): PropertyDecorator {
  const items = { type: 'string' as const, enum: [...SUFFIXES] };
  return applyDecorators(
    ApiPropertyOptional({ description, type: 'array', items, maxItems: SUFFIXES.length, example }),
    OneOrMoreOf(SUFFIXES),
  );
}
