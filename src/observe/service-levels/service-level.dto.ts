import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DELAYS, DOORS, OPERATIONS } from './objectives.js';

export const INDICATORS = [
  ...DOORS.map((door) => `availability.${door}`),
  ...OPERATIONS.map((operation) => `latency.${operation}`),
  ...DELAYS.map((delay) => `delay.${delay}`),
];

const SHARE = { type: Number, nullable: true } as const;
const PERCENTILE = { type: Number, nullable: true, minimum: 0 } as const;

@ApiSchema({ name: 'ServiceLevel', description: 'An objective, and what was measured.' })
export class ServiceLevelDto {
  @ApiProperty({
    description:
      '`availability.…`: minutes in which the service was there and no more than one of twenty requests to that door failed for a fault of ours; `latency.…`: requests that took no longer than the threshold; `delay.feed`: events that told of a purge in time, `delay.webhook`: that reached a receiver in time, `delay.diff`: that were in a diff in time.',
    enum: INDICATORS,
    example: 'latency.suggest',
  })
  indicator: string;

  @ApiProperty({
    description: 'Share of minutes, requests or events that is to be good.',
    type: Number,
    example: 0.99,
  })
  target: number;

  @ApiProperty({
    description: 'What good ones take at most, in `unit`; null for availability.',
    type: Number,
    nullable: true,
    example: 300,
  })
  threshold: number | null;

  @ApiProperty({
    description: 'Of threshold and percentiles: milliseconds or seconds; null for availability.',
    enum: ['ms', 's', null],
    type: String,
    nullable: true,
    example: 'ms',
  })
  unit: 'ms' | 's' | null;

  @ApiProperty({ description: 'How many were measured.', type: 'integer', minimum: 0, example: 120_394 })
  observations: number;

  @ApiProperty({ ...SHARE, description: 'Share that was good; null: none was measured.', example: 0.9987 })
  measured: number | null;

  @ApiProperty({
    description: 'Whether that is the target or better; null: none was measured.',
    type: Boolean,
    nullable: true,
    example: true,
  })
  met: boolean | null;

  @ApiProperty({
    ...SHARE,
    description:
      'Share of the bad ones that the target allows for which have not come yet; below 0 where there were more.',
    example: 0.87,
  })
  error_budget_left: number | null;

  @ApiProperty({
    ...PERCENTILE,
    description: 'Half took no longer; of latencies, the bound of a bucket. Null for availability.',
    example: 5,
  })
  p50: number | null;

  @ApiProperty({ ...PERCENTILE, description: 'Nineteen of twenty took no longer.', example: 20 })
  p95: number | null;

  @ApiProperty({
    ...PERCENTILE,
    description: 'Ninety-nine of a hundred took no longer; null also when it was more than 10 s.',
    example: 70,
  })
  p99: number | null;
}
