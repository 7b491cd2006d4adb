import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, ApiQuery } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, Matches, ValidateBy } from 'class-validator';
import { timeOfDatabase } from '../../db/database-time.js';
import { DAY_WORDS, dayOfWord, isCalendarDate } from '../schema/calendar-date.js';
import { MATCH_MODES, MAX_WAYBACK, SUFFIXES } from '../schema/domain.js';
import { ChoiceParameter, IntegerParameter } from '../../validation/shape.js';

/** A text to search for in labels. */
export const KEYWORD = /^[a-z0-9-]{1,64}$/;
export const MAX_KEYWORD_LENGTH = 64;
export const KEYWORD_RULE = { message: 'q must be 1 to 64 characters of a-z, 0-9 and hyphen' };

/** The parameter `q`, wherever names are looked for. */
export function Keyword(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description:
        'Keyword to match in the name (the label, without the suffix). Left out: every name matches.',
      type: String,
      maxLength: MAX_KEYWORD_LENGTH,
      pattern: KEYWORD.source,
      example: 'coffee',
    }),
    IsOptional(),
    Matches(KEYWORD, KEYWORD_RULE),
  );
}

/** The parameter `mode` that belongs to `q`. */
export function KeywordMode(): PropertyDecorator {
  return ChoiceParameter(MATCH_MODES, 'How q matches the name.', { default: 'contains', example: 'prefix' });
}

export function Score(description: string, more: { default?: number; example: number }): PropertyDecorator {
  return IntegerParameter(0, MAX_WAYBACK, description, more);
}

/** A day as YYYY-MM-DD, or a word for one. @param zone whose day today is */
export function Day(description: string, example: string, zone: 'AEST' | 'UTC' = 'AEST'): PropertyDecorator {
  const validate = (value: unknown) => typeof value === 'string' && isCalendarDate(value);
  const defaultMessage = () => `$property must be a day, YYYY-MM-DD, or one of ${DAY_WORDS} (${zone})`;
  const read = ({ value }: { value: unknown }) => dayOfWord(value, zone, timeOfDatabase()) ?? value;
  return applyDecorators(
    ApiPropertyOptional({
      description: `${description} Also ${DAY_WORDS} (${zone}); the answer has the day that it was.`,
      ...{ type: String, format: 'date', example },
    }),
    IsOptional(),
    Transform(read),
    ValidateBy({ name: 'isDay', validator: { validate, defaultMessage } }),
  );
}

/** The parameter `tld`, where it may name several. Goes with {@link ApiCommaList} on the operation. */
export function SuffixList(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description: 'Only these suffixes, separated by commas; left out: all.',
      type: 'array',
      items: { type: 'string', enum: [...SUFFIXES] },
      example: ['com.au', 'net.au'],
    }),
    OneOrMoreOf(SUFFIXES),
  );
}

/** A parameter that names one or more of these. Goes with {@link ApiCommaList} on the operation. */
export function OneOrMoreOf(values: readonly string[]): PropertyDecorator {
  return applyDecorators(
    IsOptional(),
    // Some clients send a list as one parameter with commas, others as one parameter for each item.
    Transform(({ value }: { value: unknown }) => [
      ...new Set([value].flat().flatMap((item) => (typeof item === 'string' ? item.split(',') : [item]))),
    ]),
    IsIn(values, {
      each: true,
      message: `$property must be one or more of ${values.join(', ')}, separated by commas`,
    }),
  );
}

/** Says of a parameter that its items are separated by commas in one, and not repeated. */
export function ApiCommaList(name: string): MethodDecorator {
  return ApiQuery({ name, required: false, style: 'form', explode: false });
}
