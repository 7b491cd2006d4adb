import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';

export const COUNT = { type: 'integer', minimum: 0 } as const;
export const COUNT_OR_NULL = { ...COUNT, nullable: true } as const;
export const POSITIVE = { type: 'integer', minimum: 1 } as const;
export const INTEGER = { type: 'integer' } as const;
export const INTEGER_OR_NULL = { ...INTEGER, nullable: true } as const;
export const TEXT_OR_NULL = { type: String, nullable: true } as const;
export const FLAG_OR_NULL = { type: Boolean, nullable: true } as const;
/** ISO 8601 UTC. */
export const TIME = { type: String, format: 'date-time' } as const;
export const TIME_OR_NULL = { ...TIME, nullable: true } as const;

/** A property in the documents. @param shape what its declared type does not say */
export function Property(
  description: string,
  example: unknown,
  shape: ApiPropertyOptions = {},
): PropertyDecorator {
  return ApiProperty(optionsOf(description, example, shape));
}

/** The same of one that may be absent. */
export function OptionalProperty(
  description: string,
  example: unknown,
  shape: ApiPropertyOptions = {},
): PropertyDecorator {
  return ApiPropertyOptional(optionsOf(description, example, shape));
}

function optionsOf(description: string, example: unknown, shape: ApiPropertyOptions): ApiPropertyOptions {
  return { ...shape, description, example };
}

/** Of an answer that is no error. */
export class Success {
  @Property('Always true on success.', true, { enum: [true] })
  ok: true;
}
