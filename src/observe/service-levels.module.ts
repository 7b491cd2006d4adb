import { Injectable, Module } from '@nestjs/common';
import { ApiSchema } from '@nestjs/swagger';
import {
  AVAILABILITY_TARGET,
  countWithin,
  type Delay,
  DELAY_OBJECTIVES,
  DELAY_TARGET,
  DELAYS,
  DOORS,
  LATENCY_OBJECTIVES,
  LATENCY_TARGET,
  OPERATIONS,
  percentileOf,
  type Span,
} from './objectives.js';
import { RequestCounts } from './request-counts.js';
import { ServiceMinuteRepository } from './service-minute.repository.js';
import { amount, count, field, oneOf, orNull, shape, yes } from '../validation/shape.js';

const INDICATORS = [
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

type Limits = Pick<ServiceLevelDto, 'target' | 'threshold' | 'unit'>;
type Percentiles = Pick<ServiceLevelDto, 'p50' | 'p95' | 'p99'>;

const NO_PERCENTILES: Percentiles = { p50: null, p95: null, p99: null };

@Injectable()
export class ServiceLevels {
  constructor(private readonly minutes: ServiceMinuteRepository) {}

  /**
   * One after the other, on one connection at a time: figures may not crowd out callers.
   *
   * @param ends of a wait for the registry's word on a purge: a condition on the type of event
   */
  async measure(span: Span, ends: string): Promise<ServiceLevelDto[]> {
    const levels = [...(await this.measureAvailability(span)), ...(await this.measureLatency(span))];
    for (const delay of DELAYS) levels.push(await this.measureDelay(delay, span, ends));
    return levels;
  }

  private async measureAvailability(span: Span): Promise<ServiceLevelDto[]> {
    const { all, served, bad } = await this.minutes.countMinutes(span);
    const limits = { target: AVAILABILITY_TARGET, threshold: null, unit: null };
    return DOORS.map((door) =>
      levelOf(`availability.${door}`, limits, Math.round(all), served - (bad.get(door) ?? 0), NO_PERCENTILES),
    );
  }

  private async measureLatency(span: Span): Promise<ServiceLevelDto[]> {
    const durations = await this.minutes.sumDurations(span);
    return OPERATIONS.map((operation) => {
      const buckets = durations.get(operation) ?? [];
      const threshold = LATENCY_OBJECTIVES[operation];
      const all = buckets.reduce((sum, count) => sum + count, 0);
      const limits = { target: LATENCY_TARGET, threshold, unit: 'ms' } as const;
      return levelOf(`latency.${operation}`, limits, all, countWithin(buckets, threshold), {
        p50: percentileOf(buckets, 0.5),
        p95: percentileOf(buckets, 0.95),
        p99: percentileOf(buckets, 0.99),
      });
    });
  }

  private async measureDelay(delay: Delay, span: Span, ends: string): Promise<ServiceLevelDto> {
    const { events, inTime, p50, p95, p99 } = await this.minutes.readDelays(delay, span, ends);
    const limits = { target: DELAY_TARGET, threshold: DELAY_OBJECTIVES[delay], unit: 's' } as const;
    return levelOf(`delay.${delay}`, limits, events, inTime, { p50, p95, p99 });
  }
}

function levelOf(
  indicator: string,
  limits: Limits,
  observations: number,
  good: number,
  percentiles: Percentiles,
): ServiceLevelDto {
  // The current minute can be counted before it is over.
  const measured = observations === 0 ? null : Math.min(1, good / observations);
  return {
    indicator,
    ...limits,
    observations,
    measured,
    met: measured === null ? null : measured >= limits.target,
    error_budget_left: measured === null ? null : 1 - (1 - measured) / (1 - limits.target),
    ...percentiles,
  };
}

@Module({
  providers: [ServiceMinuteRepository, RequestCounts, ServiceLevels],
  exports: [RequestCounts, ServiceLevels, ServiceMinuteRepository],
})
export class ServiceLevelsModule {}
