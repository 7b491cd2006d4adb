import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { IsIntegerFrom } from '../errors/integer.decorator.js';
import { MATCH_MODES } from './domain.js';

// The largest score a row can have: the column is a 4-byte integer.
const MAX_WAYBACK = 2_147_483_647;

/** The parameter `q`, wherever names are looked for. */
export function Keyword(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description:
        'Keyword to match in the name (the label, without the suffix). Left out: every name matches.',
      type: String,
      maxLength: 64,
      pattern: '^[a-z0-9-]{1,64}$',
      example: 'coffee',
    }),
    IsOptional(),
    Matches(/^[a-z0-9-]{1,64}$/, { message: 'q must be 1 to 64 characters of a-z, 0-9 and hyphen' }),
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
