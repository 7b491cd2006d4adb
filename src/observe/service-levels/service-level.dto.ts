import { ApiSchema } from '@nestjs/swagger';
import { DELAYS, DOORS, OPERATIONS } from './objectives.js';
import { COUNT, FLAG_OR_NULL, Property } from '../../validation/property.js';

export const INDICATORS = [
  ...DOORS.map((door) => `availability.${door}`),
  ...OPERATIONS.map((operation) => `latency.${operation}`),
  ...DELAYS.map((delay) => `delay.${delay}`),
];

const SHARE = { type: Number, nullable: true } as const;
const PERCENTILE = { type: Number, nullable: true, minimum: 0 } as const;

@ApiSchema({ name: 'ServiceLevel', description: 'An objective, and what was measured.' })
export class ServiceLevelDto {
  @Property(
    '`availability.…`: minutes in which the service was there and no more than one of twenty requests to that door failed for a fault of ours; `latency.…`: requests that took no longer than the threshold; `delay.feed`: events that told of a purge in time, `delay.webhook`: that reached a receiver in time, `delay.diff`: that were in a diff in time.',
    'latency.suggest',
    { enum: INDICATORS },
  )
  indicator: string;

  @Property('Share of minutes, requests or events that is to be good.', 0.99, { type: Number })
  target: number;

  @Property('What good ones take at most, in `unit`; null for availability.', 300, {
    type: Number,
    nullable: true,
  })
  threshold: number | null;

  @Property('Of threshold and percentiles: milliseconds or seconds; null for availability.', 'ms', {
    enum: ['ms', 's', null],
    type: String,
    nullable: true,
  })
  unit: 'ms' | 's' | null;

  @Property('How many were measured.', 120_394, COUNT)
  observations: number;

  @Property('Share that was good; null: none was measured.', 0.9987, SHARE)
  measured: number | null;

  @Property('Whether that is the target or better; null: none was measured.', true, FLAG_OR_NULL)
  met: boolean | null;

  @Property(
    'Share of the bad ones that the target allows for which have not come yet; below 0 where there were more.',
    0.87,
    SHARE,
  )
  error_budget_left: number | null;

  @Property('Half took no longer; of latencies, the bound of a bucket. Null for availability.', 5, PERCENTILE)
  p50: number | null;

  @Property('Nineteen of twenty took no longer.', 20, PERCENTILE)
  p95: number | null;

  @Property('Ninety-nine of a hundred took no longer; null also when it was more than 10 s.', 70, PERCENTILE)
  p99: number | null;
}
