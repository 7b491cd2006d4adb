import { Injectable, Module } from '@nestjs/common';
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
import type { ServiceLevelDto } from './service-level.dto.js';
import { ServiceMinuteRepository } from './service-minute.repository.js';

type Limits = Pick<ServiceLevelDto, 'target' | 'threshold' | 'unit'>;
type Percentiles = Pick<ServiceLevelDto, 'p50' | 'p95' | 'p99'>;

const NO_PERCENTILES: Percentiles = { p50: null, p95: null, p99: null };

/** Compares the objectives with the measurements. */
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
  exports: [RequestCounts, ServiceLevels],
})
export class ServiceLevelsModule {}
