import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { ServiceLevelDto } from '../../observe/service-levels/service-level.dto.js';
import { many, OK, shape, text, time, whole } from '../../validation/shape.js';

const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;

export class ServiceReportQuery {
  @ApiPropertyOptional({
    description:
      'Which month (YYYY-MM, UTC); left out: this one, as far as it has come. Requests are kept for 62 days.',
    type: String,
    pattern: MONTH.source,
    example: '2026-11',
  })
  @IsOptional()
  @Matches(MONTH, { message: 'month must be a month such as 2026-11' })
  month?: string;
}

@ApiSchema({ name: 'ServiceLevels', description: 'What was promised, and what was measured.' })
export class ServiceLevelsDto extends shape({
  days: whole('Over how many days it was measured.', 30),
  objectives: many(ServiceLevelDto, 'One for each indicator.'),
}) {}

@ApiSchema({ name: 'ServiceReport', description: 'What was promised, and what was measured in a month.' })
export class ServiceReport extends shape({
  ...OK,
  month: text('The month (UTC).', '2026-11'),
  from: time('Its beginning.', '2026-11-01T00:00:00.000Z'),
  to: time(
    'Its end, or the last full minute of one that is not over; not included.',
    '2026-11-22T18:00:00.000Z',
  ),
  objectives: many(ServiceLevelDto, 'One for each indicator.'),
}) {}
