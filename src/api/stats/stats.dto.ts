import { ApiSchema } from '@nestjs/swagger';
import { SUFFIXES } from '../../domains/schema/domain.js';
import { COUNT, Property, TIME_OR_NULL, Success } from '../../validation/property.js';

@ApiSchema({ name: 'Stats', description: 'Counters of the dataset.' })
export class Stats extends Success {
  @Property('Names that discovery can find now: available and not withheld.', 102_226, COUNT)
  available_records: number;

  @Property('Suffixes covered.', [...SUFFIXES], { enum: SUFFIXES, isArray: true })
  tlds: string[];

  @Property(
    'When the last import was committed (ISO 8601 UTC); null before the first.',
    '2026-11-20T03:41:07.123Z',
    TIME_OR_NULL,
  )
  refreshed: string | null;

  @Property('Free text.', 'Dropped .au names, counted by the dataset.')
  note: string;
}
