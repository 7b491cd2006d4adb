import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { IsIntegerFrom } from '../../validation/numbers.js';
import { MATCH_MODES, MAX_WAYBACK } from '../domain.js';

/** What can be looked for in a label. */
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
  return applyDecorators(
    ApiPropertyOptional({
      description: 'How q matches the name.',
      enum: MATCH_MODES,
      default: 'contains',
      example: 'prefix',
    }),
    IsOptional(),
    IsIn(MATCH_MODES, { message: `mode must be one of ${MATCH_MODES.join(', ')}` }),
  );
}

/** A bound on the archive score. @param more such as a default */
export function Score(description: string, more: { default?: number; example: number }): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, type: 'integer', minimum: 0, maximum: MAX_WAYBACK, ...more }),
    IsOptional(),
    IsIntegerFrom(0, MAX_WAYBACK),
  );
}
