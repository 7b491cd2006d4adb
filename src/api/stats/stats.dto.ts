import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { SUFFIXES } from '../../domains/schema/domain.js';

@ApiSchema({ name: 'Stats', description: 'Counters of the dataset.' })
export class Stats {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({
    description: 'Names that discovery can find now: available and not withheld.',
    type: 'integer',
    minimum: 0,
    example: 102_226,
  })
  available_records: number;

  @ApiProperty({ description: 'Suffixes covered.', enum: SUFFIXES, isArray: true, example: [...SUFFIXES] })
  tlds: string[];

  @ApiProperty({
    description: 'When the last import was committed (ISO 8601 UTC); null before the first.',
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-20T03:41:07.123Z',
  })
  refreshed: string | null;

  @ApiProperty({ description: 'Free text.', example: 'Dropped .au names, counted by the dataset.' })
  note: string;
}
