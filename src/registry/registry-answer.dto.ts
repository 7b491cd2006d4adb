import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import {
  REGISTRY_SOURCES,
  REGISTRY_STATES,
  type RegistryAnswer,
  type RegistrySource,
  type RegistryState,
} from './answer.js';

@ApiSchema({ name: 'RegistryAnswer', description: 'What the registry said, and when.' })
export class RegistryAnswerDto {
  @ApiProperty({
    description:
      'State of the name: `expired_hold`, `pending_purge` and `pending_delete` are on the way to a drop and ' +
      'still registered; `reserved` names cannot be registered by anybody; `declined` ones the registry will ' +
      'not have, and says nothing of who holds them.',
    enum: REGISTRY_STATES,
    example: 'available',
  })
  state: RegistryState;

  @ApiProperty({
    description: 'Who said so. `sandbox` is the made-up registry of the demo: never true of the real world.',
    enum: REGISTRY_SOURCES,
    example: 'rdap',
  })
  source: RegistrySource;

  @ApiProperty({
    description: 'When it was said (ISO 8601 UTC).',
    format: 'date-time',
    example: '2026-11-20T03:41:07.123Z',
  })
  checked_at: string;

  @ApiProperty({ description: 'Whether this is an earlier answer that is still fresh.', example: false })
  cached: boolean;

  @ApiPropertyOptional({
    description:
      'Why the registry reserves or declines the name, in its own words, shortened; absent where it says nothing.',
    maxLength: 160,
    example: 'This name is reserved',
  })
  message?: string;
}

export function toRegistryAnswerDto({
  state,
  source,
  checkedAt,
  cached,
  message,
}: RegistryAnswer): RegistryAnswerDto {
  return { state, source, checked_at: checkedAt.toISOString(), cached, ...(message && { message }) };
}

const YES_OR_NO = ['true', 'false'];

/** The parameter by which a caller has the registry asked even if a known answer would do. */
export function AskRegistry(description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, enum: YES_OR_NO, default: 'false', example: 'true' }),
    IsOptional(),
    IsIn(YES_OR_NO, { message: '$property must be true or false' }),
  );
}
