import { ApiSchema } from '@nestjs/swagger';
import { LIST_KINDS } from '../../config/product.js';
import { LIST_OUTCOMES, type ListOutcome } from '../../ingest/lists/list-fetch.repository.js';
import { count, field, oneOf, orNull, shape, time, whole } from '../../validation/shape.js';

const AT = '2026-11-20T03:04:05.000Z';

@ApiSchema({ name: 'ListStatus', description: 'How one address of an official drop list is doing.' })
export class ListStatusDto extends shape({
  kind: oneOf(LIST_KINDS, 'Which of the official lists it is.', 'deleted'),
  last_imported_at: orNull(
    time('When the last list was fetched that was imported; null before the first.', AT),
  ),
  age_seconds: orNull(count('How long ago that was, in seconds.', 3_600)),
  last_asked_at: orNull(time('When it was last asked; null before the first time.', AT)),
  last_outcome: field<ListOutcome | null>({
    description:
      'What came of it; `alarm`: a list that cannot be right, and was not imported. Null: not finished.',
    enum: [...LIST_OUTCOMES, null],
    type: String,
    nullable: true,
    example: 'unchanged',
  }),
}) {}

@ApiSchema({ name: 'RegistryStatus', description: 'How a registry service is doing.' })
export class RegistryStatusDto extends shape({
  source: field<string>({
    ...{ description: 'Which service.', enum: ['rdap', 'sandbox', 'availability_service'], example: 'rdap' },
  }),
  breaker: oneOf(
    ['open', 'closed', 'probing'],
    'The circuit breaker: `open` while it is not asked, after failures in a row.',
    'closed',
  ),
  paused_until: orNull(time('Until when it wants to be left alone; null when it does not.', AT)),
  canary: oneOf(
    ['ok', 'failed', 'unknown'],
    'Whether the names that are surely registered were found so; `failed`: it is not believed.',
    'ok',
  ),
  canary_at: orNull(time('When that was looked at.', AT)),
  last_answered_at: orNull(time('When it last gave an answer.', AT)),
}) {}

@ApiSchema({ name: 'ArchiveStatus', description: 'How the web archive is doing, which scores come from.' })
export class ArchiveStatusDto extends shape({
  source: field<string | null>({
    description: 'Where scores come from; null: names are not scored here.',
    enum: ['archive', 'sandbox', null],
    type: String,
    nullable: true,
    example: 'archive',
  }),
  resting_until: orNull(time('Until when it is left alone; null when it is not.', AT)),
  failures_in_row: whole('Questions without an answer since the last answer.', 0),
  last_answered_at: orNull(time('When it last gave an answer.', AT)),
}) {}
