import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';

const DECIMAL = /^-?\d{1,15}$/;

/** A whole number in decimal digits, both bounds included. `1e1`, `0x10`, ` 5` and an empty value are refused. */
export function IsIntegerFrom(min: number, max: number): PropertyDecorator {
  const rule = { message: `$property must be an integer from ${min} to ${max}` };
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value,
    ),
    IsInt(rule),
    Min(min, rule),
    Max(max, rule),
  );
}
