import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { REGISTRY_SOURCES, REGISTRY_STATES, type RegistryAnswer } from './answer.js';
import { oneOf, optional, shape, text, time, yes, count, orNull } from '../validation/shape.js';
import type { LoggedAnswer } from './answer-log.repository.js';

@ApiSchema({ name: 'RegistryAnswer', description: 'What the registry said, and when.' })
export class RegistryAnswerDto extends shape({
  state: oneOf(
    REGISTRY_STATES,
    'State of the name: `expired_hold`, `pending_purge` and `pending_delete` are on the way to a drop and ' +
      'still registered; `reserved` names cannot be registered by anybody; `declined` ones the registry will ' +
      'not have, and says nothing of who holds them.',
    'available',
  ),
  source: oneOf(
    REGISTRY_SOURCES,
    'Who said so. `sandbox` is the made-up registry of the demo: never true of the real world. `registrar` has ' +
      'registered the name for a customer of this service.',
    'rdap',
  ),
  checked_at: time('When it was said (ISO 8601 UTC).', '2026-11-20T03:41:07.123Z'),
  cached: yes('Whether this is an earlier answer that is still fresh.', false),
  message: optional(
    text(
      'Why the registry reserves or declines the name, in its own words, shortened; absent where it says nothing.',
      'This name is reserved',
      { maxLength: 160 },
    ),
  ),
}) {}

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

@ApiSchema({ name: 'RegistryCheck', description: 'An answer of a registry that was kept.' })
export class RegistryCheckDto extends shape({
  asked_at: time('When the registry was asked (ISO 8601 UTC).', '2026-11-20T03:41:07.123Z'),
  answered_at: time('When its answer was there.', '2026-11-20T03:41:07.310Z'),
  source: oneOf(REGISTRY_SOURCES, 'Who answered.', 'rdap'),
  state: orNull(
    oneOf(REGISTRY_STATES, 'What it said the name is; null where its answer did not say.', 'available'),
  ),
  status: orNull(count('Status of HTTP; null where there is none.', 404)),
  parser: count('Version of the rules that judged the answer.', 2),
  age_seconds: orNull(
    count('How old the claim was by then, where a cache in between had kept it; null: it was made then.', 40),
  ),
}) {}

export function toCheckDto({
  askedAt,
  answeredAt,
  source,
  verdict,
  status,
  parser,
  ageSeconds,
}: LoggedAnswer): RegistryCheckDto {
  const state = REGISTRY_STATES.find((one) => one === verdict) ?? null;
  const times = { asked_at: askedAt.toISOString(), answered_at: answeredAt.toISOString() };
  return { ...times, source, state, status, parser, age_seconds: ageSeconds };
}
