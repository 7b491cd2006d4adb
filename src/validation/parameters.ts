import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { Transform } from 'class-transformer';

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

const WHOLE = /^-?\d{1,15}$/;

/** A whole number in decimal digits, both bounds included. `1e1`, `0x10`, ` 5` and an empty value are refused. */
export function IsIntegerFrom(min: number, max: number): PropertyDecorator {
  const rule = { message: `$property must be an integer from ${min} to ${max}` };
  const read = ({ value }: { value: unknown }) =>
    typeof value === 'string' && WHOLE.test(value) ? Number(value) : value;
  return applyDecorators(Transform(read), IsInt(rule), Min(min, rule), Max(max, rule));
}
