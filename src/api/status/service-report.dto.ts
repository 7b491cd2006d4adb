import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { ServiceLevelDto } from '../../observe/service-levels/service-level.dto.js';

const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;
const TIME = { type: String, format: 'date-time' } as const;

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
export class ServiceLevelsDto {
  @ApiProperty({ description: 'Over how many days it was measured.', type: 'integer', example: 30 })
  days: number;

  @ApiProperty({ type: [ServiceLevelDto], description: 'One for each indicator.' })
  objectives: ServiceLevelDto[];
}

@ApiSchema({ name: 'ServiceReport', description: 'What was promised, and what was measured in a month.' })
export class ServiceReport {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ description: 'The month (UTC).', example: '2026-11' })
  month: string;

  @ApiProperty({ ...TIME, description: 'Its beginning.', example: '2026-11-01T00:00:00.000Z' })
  from: string;

  @ApiProperty({
    ...TIME,
    description: 'Its end, or the last full minute of one that is not over; not included.',
    example: '2026-11-22T18:00:00.000Z',
  })
  to: string;

  @ApiProperty({ type: [ServiceLevelDto], description: 'One for each indicator.' })
  objectives: ServiceLevelDto[];
}
