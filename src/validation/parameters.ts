import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { IsIntegerFrom } from './numbers.js';

// Parameters that may be left out: the rule and what OpenAPI says of it, in one.

/** Further keywords: the default and an example. */
type More<Value> = { readonly default?: Value; readonly example?: Value };

export function IntegerParameter(
  min: number,
  max: number,
  description: string,
  more: More<number> = {},
): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, type: 'integer', minimum: min, maximum: max, ...more }),
    IsOptional(),
    IsIntegerFrom(min, max),
  );
}

export function ChoiceParameter<const Value extends string>(
  values: readonly Value[],
  description: string,
  more: More<Value> = {},
): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, enum: [...values], ...more }),
    IsOptional(),
    IsIn(values, { message: `$property must be one of ${values.join(', ')}` }),
  );
}
