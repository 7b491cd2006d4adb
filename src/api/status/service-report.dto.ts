import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { ServiceLevelDto } from '../../observe/service-levels/service-level.dto.js';
import { INTEGER, OptionalProperty, Property, Success } from '../../validation/property.js';

const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;
const TIME = { type: String, format: 'date-time' } as const;

export class ServiceReportQuery {
  @OptionalProperty(
    'Which month (YYYY-MM, UTC); left out: this one, as far as it has come. Requests are kept for 62 days.',
    '2026-11',
    { type: String, pattern: MONTH.source },
  )
  @IsOptional()
  @Matches(MONTH, { message: 'month must be a month such as 2026-11' })
  month?: string;
}

@ApiSchema({ name: 'ServiceLevels', description: 'What was promised, and what was measured.' })
export class ServiceLevelsDto {
  @Property('Over how many days it was measured.', 30, INTEGER)
  days: number;

  @ApiProperty({ type: [ServiceLevelDto], description: 'One for each indicator.' })
  objectives: ServiceLevelDto[];
}

@ApiSchema({ name: 'ServiceReport', description: 'What was promised, and what was measured in a month.' })
export class ServiceReport extends Success {
  @Property('The month (UTC).', '2026-11')
  month: string;

  @Property('Its beginning.', '2026-11-01T00:00:00.000Z', TIME)
  from: string;

  @Property(
    'Its end, or the last full minute of one that is not over; not included.',
    '2026-11-22T18:00:00.000Z',
    TIME,
  )
  to: string;

  @ApiProperty({ type: [ServiceLevelDto], description: 'One for each indicator.' })
  objectives: ServiceLevelDto[];
}
