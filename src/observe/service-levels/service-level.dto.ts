import { ApiSchema } from '@nestjs/swagger';
import { DELAYS, DOORS, OPERATIONS } from './objectives.js';
import { amount, count, field, oneOf, orNull, shape, yes } from '../../validation/shape.js';

export const INDICATORS = [
  ...DOORS.map((door) => `availability.${door}`),
  ...OPERATIONS.map((operation) => `latency.${operation}`),
  ...DELAYS.map((delay) => `delay.${delay}`),
];

@ApiSchema({ name: 'ServiceLevel', description: 'An objective, and what was measured.' })
export class ServiceLevelDto extends shape({
  indicator: oneOf(
    INDICATORS,
    '`availability.…`: minutes in which the service was there and no more than one of twenty requests to that door ' +
      'failed for a fault of ours; `latency.…`: requests that took no longer than the threshold; `delay.feed`: ' +
      'events that told of a purge in time, `delay.webhook`: that reached a receiver in time, `delay.diff`: that ' +
      'were in a diff in time.',
    'latency.suggest',
  ),
  target: amount('Share of minutes, requests or events that is to be good.', 0.99),
  threshold: orNull(amount('What good ones take at most, in `unit`; null for availability.', 300)),
  unit: field<'ms' | 's' | null>({
    description: 'Of threshold and percentiles: milliseconds or seconds; null for availability.',
    enum: ['ms', 's', null],
    type: String,
    nullable: true,
    example: 'ms',
  }),
  observations: count('How many were measured.', 120_394),
  measured: orNull(amount('Share that was good; null: none was measured.', 0.9987)),
  met: orNull(yes('Whether that is the target or better; null: none was measured.', true)),
  error_budget_left: orNull(
    amount(
      'Share of the bad ones that the target allows for which have not come yet; below 0 where there were more.',
      0.87,
    ),
  ),
  p50: orNull(
    amount('Half took no longer; of latencies, the bound of a bucket. Null for availability.', 5, {
      minimum: 0,
    }),
  ),
  p95: orNull(amount('Nineteen of twenty took no longer.', 20, { minimum: 0 })),
  p99: orNull(
    amount('Ninety-nine of a hundred took no longer; null also when it was more than 10 s.', 70, {
      minimum: 0,
    }),
  ),
}) {}
