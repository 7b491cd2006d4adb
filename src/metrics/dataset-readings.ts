import { Injectable } from '@nestjs/common';
import type { QueueStatusDto, Status } from '../status/status.dto.js';
import { StatusService } from '../status/status.service.js';
import type { Reading, ReadingSource } from './gauges.js';

/** What the public status says, as numbers. The status is gathered once a minute at most, however often it is asked for. */
@Injectable()
export class DatasetReadings implements ReadingSource {
  readonly name = 'dataset';

  constructor(private readonly status: StatusService) {}

  async read(): Promise<Reading[]> {
    const status = await this.status.readStatus();
    const now = new Date(status.as_of);
    return [
      { gauge: 'names_on_offer', value: status.offers.available },
      { gauge: 'names_stale', value: status.offers.stale },
      { gauge: 'false_offers_share', value: status.truth.offers.share },
      { gauge: 'sampled_offers', value: status.truth.offers.sampled },
      { gauge: 'writes_stopped', value: Number(status.writes_stopped !== null) },
      { gauge: 'confirmation_seconds', label: '0.5', value: status.confirmation.p50_seconds },
      { gauge: 'confirmation_seconds', label: '0.95', value: status.confirmation.p95_seconds },
      ...readingsOfQueues(status, now),
      ...readingsOfRegistries(status, now),
      ...status.lists.map(({ kind: label, age_seconds: value }) => ({
        ...{ gauge: 'list_age_seconds' as const, label, value },
      })),
      ...status.service_levels.objectives.flatMap(({ indicator: label, measured, error_budget_left }) => [
        { gauge: 'service_level' as const, label, value: measured },
        { gauge: 'service_level_budget_left' as const, label, value: error_budget_left },
      ]),
    ];
  }
}

function readingsOfQueues({ queues }: Status, now: Date): Reading[] {
  return Object.entries<QueueStatusDto>({ ...queues }).flatMap(([label, { waiting, oldest }]) => [
    { gauge: 'queue_waiting', label, value: waiting },
    {
      gauge: 'queue_oldest_seconds',
      label,
      value: oldest === null ? 0 : secondsBetween(new Date(oldest), now),
    },
  ]);
}

function readingsOfRegistries({ registries }: Status, now: Date): Reading[] {
  return registries.flatMap(({ source: label, breaker, paused_until: until, canary }) => [
    { gauge: 'registry_breaker_open', label, value: Number(breaker === 'open') },
    { gauge: 'registry_paused', label, value: Number(until !== null && new Date(until) > now) },
    { gauge: 'registry_canary_ok', label, value: canary === 'unknown' ? null : Number(canary === 'ok') },
  ]);
}

/** Not below 0, whatever the clocks say. */
export function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, (to.getTime() - from.getTime()) / 1_000);
}
