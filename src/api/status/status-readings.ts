import { Injectable } from '@nestjs/common';
import { type Reading, ReadingSource, secondsBetween } from '../../observe/readings.js';
import type { QueueStatusDto, Status } from './status.dto.js';
import { StatusService } from './status.service.js';

const GAUGES = {
  names_on_offer: { help: 'Names on offer: confirmed, and not withheld.' },
  names_stale: { help: 'Names not offered because their last check is too old.' },
  false_offers_share: {
    help: 'Share of the offers sampled at random within 30 days that the registry said are taken.',
  },
  sampled_offers: { help: 'Offers sampled at random within 30 days.' },
  writes_stopped: { help: '1 while no answer of the registry is written; see `bowerbird writes`.' },
  queue_waiting: { help: 'Names that wait for something.', label: 'queue' },
  queue_oldest_seconds: { help: 'How long the first of them has waited.', label: 'queue' },
  confirmation_seconds: {
    help: 'From a purge to the answer that says what became of the name, over 7 days.',
    label: 'quantile',
  },
  list_age_seconds: { help: 'Since the last import of that part of the drop list.', label: 'kind' },
  registry_breaker_open: { help: '1 while the circuit breaker is open.', label: 'source' },
  registry_paused: { help: '1 while the registry asks to be left alone.', label: 'source' },
  registry_canary_ok: {
    help: '1 when names that are surely registered were found, 0 when they were not.',
    label: 'source',
  },
  service_level: { help: 'Share of 30 days that met the objective.', label: 'indicator' },
  service_level_budget_left: {
    help: 'Share of the error budget of 30 days that is left; below 0: overspent.',
    label: 'indicator',
  },
} as const;
type Name = keyof typeof GAUGES;

/** The public status as numbers. It is gathered once a minute at most, however often it is scraped. */
@Injectable()
export class StatusReadings extends ReadingSource<Name> {
  readonly group = 'dataset';
  readonly gauges = GAUGES;

  constructor(private readonly status: StatusService) {
    super();
  }

  async read(): Promise<Reading<Name>[]> {
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

function readingsOfQueues({ queues }: Status, now: Date): Reading<Name>[] {
  return Object.entries<QueueStatusDto>({ ...queues }).flatMap(([label, { waiting, oldest }]) => [
    { gauge: 'queue_waiting', label, value: waiting },
    {
      gauge: 'queue_oldest_seconds',
      label,
      value: oldest === null ? 0 : secondsBetween(new Date(oldest), now),
    },
  ]);
}

function readingsOfRegistries({ registries }: Status, now: Date): Reading<Name>[] {
  return registries.flatMap(({ source: label, breaker, paused_until: until, canary }) => [
    { gauge: 'registry_breaker_open', label, value: Number(breaker === 'open') },
    { gauge: 'registry_paused', label, value: Number(until !== null && new Date(until) > now) },
    { gauge: 'registry_canary_ok', label, value: canary === 'unknown' ? null : Number(canary === 'ok') },
  ]);
}
