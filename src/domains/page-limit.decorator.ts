import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsIntegerFrom } from '../validation/numbers.js';

/** Of lists that cost no records. */
export const MAX_LISTED = 100;
export const USUALLY_LISTED = 25;

/** The parameter `limit` of such a list: 1 to {@link MAX_LISTED}. */
export function PageLimit(description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description,
      type: 'integer',
      minimum: 1,
      maximum: MAX_LISTED,
      default: USUALLY_LISTED,
      example: USUALLY_LISTED,
    }),
    IsOptional(),
    IsIntegerFrom(1, MAX_LISTED),
  );
}
