import { ApiSchema } from '@nestjs/swagger';
import { SUFFIXES } from '../../domains/schema/domain.js';
import { count, OK, orNull, shape, someOf, text, time } from '../../validation/shape.js';

@ApiSchema({ name: 'Stats', description: 'Counters of the dataset.' })
export class Stats extends shape({
  ...OK,
  available_records: count('Names that discovery can find now: available and not withheld.', 102_226),
  tlds: someOf(SUFFIXES, 'Suffixes covered.', [...SUFFIXES]),
  refreshed: orNull(
    time(
      'When the last import was committed (ISO 8601 UTC); null before the first.',
      '2026-11-20T03:41:07.123Z',
    ),
  ),
  note: text('Free text.', 'Dropped .au names, counted by the dataset.'),
}) {}
