import { ApiSchema } from '@nestjs/swagger';
import { count, oneOf, orNull, shape, time } from '../validation/shape.js';
import { REGISTRY_SOURCES, REGISTRY_STATES } from './answer.js';
import type { LoggedAnswer } from './answer-log.repository.js';

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
