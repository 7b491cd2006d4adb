import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt, IsNumber, Max, Min } from 'class-validator';

const WHOLE = /^-?\d{1,15}$/;
const DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/;

/** A whole number in decimal digits, both bounds included. `1e1`, `0x10`, ` 5` and an empty value are refused. */
export function IsIntegerFrom(min: number, max: number): PropertyDecorator {
  const rule = { message: `$property must be an integer from ${min} to ${max}` };
  return applyDecorators(readAs(WHOLE), IsInt(rule), Min(min, rule), Max(max, rule));
}

/** The same for numbers that need not be whole. */
export function IsNumberFrom(min: number, max: number): PropertyDecorator {
  const rule = { message: `$property must be a number from ${min} to ${max}` };
  return applyDecorators(readAs(DECIMAL), IsNumber({}, rule), Min(min, rule), Max(max, rule));
}

function readAs(spelling: RegExp): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && spelling.test(value) ? Number(value) : value,
  );
}
