import { type Type, applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, Matches, Max, MaxLength, Min } from 'class-validator';
import { Transform } from 'class-transformer';

declare const VALUE: unique symbol;

/** A field of an answer: what OpenAPI says of it, and its type. */
export interface Field<Value> {
  readonly [VALUE]?: Value;
}
/** A field that an answer may lack. */
interface OptionalField<Value> extends Field<Value> {
  readonly required: false;
}
export type Fields = Readonly<Record<string, Field<unknown>>>;
type ValueOf<Given> = Given extends Field<infer Value> ? Value : never;
type OptionalNames<Given> = {
  [Name in keyof Given]: Given[Name] extends OptionalField<unknown> ? Name : never;
}[keyof Given];
type Filled<Given> = {
  [Name in Exclude<keyof Given, OptionalNames<Given>>]: ValueOf<Given[Name]>;
} & { [Name in OptionalNames<Given>]?: ValueOf<Given[Name]> };
type Shape<Given> = Type<Filled<Given>> & { readonly fields: Given };

/** A base class with these fields: the type of an answer and its OpenAPI schema in one definition. */
export function shape<const Given extends Fields>(fields: Given): Shape<Given> {
  class Answer {}
  describe(Answer.prototype, fields);
  return Object.assign(Answer, { fields }) as Shape<Given>;
}

/** The same, by the name that the OpenAPI document has for it; a class that extends it would not have the name. */
export function named<const Given extends Fields>(
  name: string,
  description: string,
  fields: Given,
): Shape<Given> {
  const Answer = shape(fields);
  ApiSchema({ name, description })(Answer);
  return Answer;
}

/** The same with the fields of another class before its own. */
export function shapeOn<Base extends object, const Given extends Fields>(
  base: Type<Base>,
  fields: Given,
): Type<Base & Filled<Given>> {
  class Answer extends (base as Type<object>) {}
  describe(Answer.prototype, fields);
  return Answer as Type<Base & Filled<Given>>;
}

function describe(prototype: object, fields: Fields): void {
  for (const [name, options] of Object.entries(fields)) {
    // What the compiler notes of a property whose type is a union.
    Reflect.defineMetadata('design:type', Object, prototype, name);
    ApiProperty(options as ApiPropertyOptions)(prototype, name);
  }
}

/** Further keywords of a field, such as `maximum`. */
type More = Readonly<Record<string, unknown>>;

export function field<Value>(options: object): Field<Value> {
  return options;
}

export function text(description: string, example?: string | null, more?: More): Field<string> {
  return field({ type: String, description, example, ...more });
}

/** A moment (ISO 8601 UTC). */
export function time(description: string, example?: string | null, more?: More): Field<string> {
  return text(description, example, { format: 'date-time', ...more });
}

export function day(description: string, example?: string | null): Field<string> {
  return text(description, example, { format: 'date' });
}

export function id(description: string, example?: string): Field<string> {
  return text(description, example, { format: 'uuid' });
}

export function yes(description: string, example?: boolean | null): Field<boolean> {
  return field({ type: Boolean, description, example });
}

export function amount(description: string, example?: number | null, more?: More): Field<number> {
  return field({ type: 'number', description, example, ...more });
}

/** A whole number, which may be negative. */
export function whole(description: string, example?: number | null, more?: More): Field<number> {
  return amount(description, example, { type: 'integer', ...more });
}

/** A whole number from 0. */
export function count(description: string, example?: number | null, more?: More): Field<number> {
  return whole(description, example, { minimum: 0, ...more });
}

/** A whole number from 1. */
export function positive(description: string, example?: number | null, more?: More): Field<number> {
  return whole(description, example, { minimum: 1, ...more });
}

export function oneOf<const Value extends string | boolean>(
  values: readonly Value[],
  description: string,
  example?: Value | null,
): Field<Value> {
  return field({ enum: [...values], description, example });
}

export function someOf<const Value extends string>(
  values: readonly Value[],
  description: string,
  example?: readonly Value[],
): Field<readonly Value[]> {
  return field({ enum: [...values], isArray: true, description, example });
}

export function one<Value>(type: Type<Value>, description?: string): Field<Value> {
  return field({ type, description });
}

export function many<Value>(type: Type<Value>, description: string, more?: More): Field<Value[]> {
  return field({ type: [type], description, ...more });
}

export function orNull<Value>(known: Field<Value>): Field<Value | null> {
  return field({ ...known, nullable: true });
}

export function optional<Value>(known: Field<Value>): OptionalField<Value> {
  return { ...known, required: false };
}

/** What every answer begins with. */
export const OK = { ok: oneOf([true], 'Always true on success.', true) };

// Parameters that may be left out: the rule and what OpenAPI says of it, in one.

/** Further keywords: the default and an example. */
type ParameterExtras<Value> = { readonly default?: Value; readonly example?: Value };

export function IntegerParameter(
  min: number,
  max: number,
  description: string,
  more: ParameterExtras<number> = {},
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
  more: ParameterExtras<Value> = {},
): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, enum: [...values], ...more }),
    IsOptional(),
    IsIn(values, { message: `$property must be one of ${values.join(', ')}` }),
  );
}

/** Text of a form, up to that length. */
export function TextParameter(
  form: RegExp,
  maxLength: number,
  description: string,
  more: ParameterExtras<string> = {},
): PropertyDecorator {
  const rule = { message: `$property must be text of 1 to ${maxLength} characters with letters or digits` };
  return applyDecorators(
    ApiPropertyOptional({ description, type: String, maxLength, ...more }),
    IsOptional(),
    MaxLength(maxLength, rule),
    Matches(form, rule),
  );
}

/** True or false; in addresses, and by some models, it is written as text. */
export function BooleanParameter(
  description: string,
  more: ParameterExtras<boolean> = {},
): PropertyDecorator {
  const read = ({ value }: { value: unknown }) =>
    value === 'true' || value === 'false' ? value === 'true' : value;
  return applyDecorators(
    ApiPropertyOptional({ description, type: Boolean, ...more }),
    IsOptional(),
    Transform(read),
    IsBoolean({ message: '$property must be true or false' }),
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
