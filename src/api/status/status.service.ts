import { Injectable } from '@nestjs/common';
import { type ArchiveHealth, ArchiveHealthReader } from '../../archive/archive.module.js';
import { Config } from '../../config/config.js';
import { unscoped } from '../../db/scope.js';
import { Clock } from '../../db/database.js';
import { FreshnessRepository } from '../../domains/freshness/freshness.repository.js';
import { Lifecycle } from '../../domains/lifecycle/lifecycle.js';
import { RegistryQueues } from '../../domains/freshness/registry-queues.js';
import type { LengthPrecision } from '../../domains/freshness/queue-length.repository.js';
import { ListFetchRepository } from '../../ingest/lists/list-fetch.repository.js';
import { TruthSampleRepository } from '../../domains/truth/truth-sample.repository.js';
import { Registry } from '../../registry/registry.js';
import { type Incident, IncidentRepository } from '../../observe/incident.repository.js';
import { ServiceLevels } from '../../observe/service-levels.module.js';
import { writtenMinutes } from '../../observe/objectives.js';
import { ratesOf, truthOf } from './figures.js';
import type {
  IncidentDto,
  OfferStatusDto,
  QueuesStatusDto,
  QueueStatusDto,
  Status,
  ArchiveStatusDto,
  ListStatusDto,
  RegistryStatusDto,
} from './status.dto.js';
import { type OfferCounts, PURGE_ENDS, StatusRepository } from './status.repository.js';
import { type Reading, ReadingSource, secondsBetween } from '../../observe/readings.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const TRUTH_DAYS = 30;
const CONFIRMATION_DAYS = 7;
const LEVEL_DAYS = 30;
const INCIDENT_DAYS = 90;
const MAX_INCIDENTS = 20;
/** How long one gathering of the figures is good for. */
export const STATUS_KEPT_MS = 60_000;

/** How true and how fresh the dataset is, gathered once a minute at most and on demand only. */
@Injectable()
export class StatusService {
  private kept: Promise<Status> | null = null;
  private keptAtMs = -Infinity;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly status: StatusRepository,
    private readonly samples: TruthSampleRepository,
    private readonly freshness: FreshnessRepository,
    private readonly queues: RegistryQueues,
    private readonly lifecycle: Lifecycle,
    private readonly lists: ListFetchRepository,
    private readonly registry: Registry,
    private readonly archive: ArchiveHealthReader,
    private readonly levels: ServiceLevels,
    private readonly incidents: IncidentRepository,
  ) {}

  /** Costs nothing. @throws {DatabaseUnavailable} */
  readStatus(): Promise<Status> {
    if (this.kept && performance.now() - this.keptAtMs < STATUS_KEPT_MS) return this.kept;
    this.keptAtMs = performance.now();
    const gathering = unscoped(() => this.gather());
    this.kept = gathering;
    // A failure is not cached: the next request tries again.
    gathering.catch(() => {
      if (this.kept === gathering) this.kept = null;
    });
    return gathering;
  }

  /** The rates of the same figures, as SVG. @throws {DatabaseUnavailable} */
  async drawRates(): Promise<string> {
    const { rates, as_of } = await this.readStatus();
    // Loaded with the first chart.
    const { drawRates } = await import('./rates-chart.js');
    return drawRates(rates.cells, as_of);
  }

  private async gather(): Promise<Status> {
    const now = await this.clock.now();
    const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
    // One after the other, on one connection at a time: figures may not crowd out callers.
    const counts = await this.samples.count(before(TRUTH_DAYS));
    const periods = await this.samples.countByPeriod(now);
    const truth = truthOf(counts, TRUTH_DAYS, periods, await this.freshness.countRechecks(now));
    const offers = offersOf(await this.status.countOffers());
    const waits = await this.status.readConfirmationTimes(before(CONFIRMATION_DAYS));
    const archive = await this.archive.read(now);
    const { writesStoppedAt, reason } = await this.lifecycle.readGuard();
    const threshold = await this.freshness.readThreshold();
    return {
      ok: true,
      as_of: now.toISOString(),
      truth,
      offers,
      confirmation: {
        days: CONFIRMATION_DAYS,
        confirmed: waits.confirmed,
        p50_seconds: waits.p50,
        p95_seconds: waits.p95,
      },
      queues: await this.readQueues(now, archive),
      lists: await this.readLists(now),
      registries: await this.readRegistries(),
      archive: archiveOf(archive),
      incidents: (await this.incidents.listRecent(INCIDENT_DAYS, MAX_INCIDENTS)).map(toIncidentDto),
      writes_stopped: writesStoppedAt && { at: writesStoppedAt.toISOString(), reason },
      service_levels: {
        days: LEVEL_DAYS,
        objectives: await this.levels.measure(writtenMinutes(before(LEVEL_DAYS), now), PURGE_ENDS),
      },
      rates: { threshold: threshold?.current ?? null, cells: ratesOf(await this.freshness.readEvidence()) },
    };
  }

  private async readQueues(now: Date, archive: ArchiveHealth): Promise<QueuesStatusDto> {
    const states = await this.queues.read(now);
    return {
      purge: queueOf(await this.status.readPurgeQueue(now)),
      confirmation: queueOf(states.confirmation),
      retry: queueOf(states.retry),
      recheck: queueOf(states.recheck),
      unconfirmed: queueOf(states.unconfirmed),
      drops: queueOf(states.drops),
      repeat: queueOf(states.repeat),
      backlog: queueOf(states.backlog),
      archive: queueOf(archiveQueueOf(archive, now, this.config.archive.ratePerMinute)),
    };
  }

  private async readLists(now: Date): Promise<ListStatusDto[]> {
    const addresses = this.config.lists.addresses;
    const states = await Promise.all(addresses.map(({ url }) => this.lists.readState(url)));
    return addresses.map(({ kind }, place) => {
      const { latest, lastImported } = states[place] ?? { latest: null, lastImported: null };
      const importedAt = lastImported?.startedAt ?? null;
      return {
        kind,
        last_imported_at: textOf(importedAt),
        age_seconds: importedAt && Math.max(0, Math.round((now.getTime() - importedAt.getTime()) / 1_000)),
        last_asked_at: textOf(latest?.startedAt ?? null),
        last_outcome: latest?.outcome ?? null,
      };
    });
  }

  private async readRegistries(): Promise<RegistryStatusDto[]> {
    return (await this.registry.readHealth()).map((one) => ({
      source: one.source,
      breaker: one.breaker,
      paused_until: textOf(one.pausedUntil),
      canary: one.canary,
      canary_at: textOf(one.canaryAt),
      last_answered_at: textOf(one.lastAnsweredAt),
    }));
  }
}

export function toIncidentDto({ title, words, beganAt, endedAt, updatedAt }: Incident): IncidentDto {
  return {
    ...{ title, words },
    began_at: beganAt.toISOString(),
    ended_at: textOf(endedAt),
    updated_at: updatedAt.toISOString(),
  };
}

function offersOf({ offered, stale }: OfferCounts): OfferStatusDto {
  const all = stale === null ? 0 : offered + stale;
  return { available: offered, stale, stale_share: stale === null || all === 0 ? null : stale / all };
}

function archiveQueueOf(
  { isOn, restingUntil, failuresInRow, queue }: ArchiveHealth,
  now: Date,
  ratePerMinute: number,
): MeasuredQueue {
  const { waiting, retries, oldest, precision } = queue;
  if (!isOn || waiting === null || retries === null) return { waiting: null, oldest: isOn ? oldest : null };
  const all = waiting + retries;
  const isAsked = restingUntil === null && failuresInRow === 0 && all > 0;
  const endsAt = isAsked ? new Date(now.getTime() + (all / ratePerMinute) * MINUTE_MS) : null;
  return { waiting: all, oldest, precision, endsAt };
}

function archiveOf({
  isOn,
  source,
  restingUntil,
  failuresInRow,
  lastAnsweredAt,
}: ArchiveHealth): ArchiveStatusDto {
  return {
    source: isOn ? source : null,
    resting_until: textOf(restingUntil),
    failures_in_row: failuresInRow,
    last_answered_at: textOf(lastAnsweredAt),
  };
}

interface MeasuredQueue {
  readonly waiting: number | null;
  readonly oldest: Date | null;
  readonly precision?: LengthPrecision;
  readonly endsAt?: Date | null;
}

function queueOf({ waiting, oldest, precision = 'exact', endsAt = null }: MeasuredQueue): QueueStatusDto {
  return {
    waiting,
    oldest: textOf(oldest),
    precision: waiting === null ? null : precision,
    ends_at: textOf(endsAt),
  };
}

function textOf(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

const GAUGES = {
  names_on_offer: { help: 'Names on offer: confirmed, and not withheld.' },
  names_stale: { help: 'Names not offered because their last check is too old.' },
  false_offers_share: {
    help: 'Share of the offers sampled at random within 30 days that the registry said are taken.',
  },
  sampled_offers: { help: 'Offers sampled at random within 30 days.' },
  false_offers_window_share: {
    help: 'The same share over a window of so many hours; absent while too few were sampled.',
    label: 'hours',
  },
  false_first_100_window_share: {
    help: 'The same share of the first 100 shown, over a window of so many hours.',
    label: 'hours',
  },
  false_offers_change: {
    help: '1 where more offers are found taken than the 30 days before let expect, by more than chance; -1: fewer.',
    label: 'of',
  },
  writes_stopped: { help: '1 while no answer of the registry is written; see `bowerbird writes`.' },
  queue_waiting: { help: 'Names that wait for something.', label: 'queue' },
  queue_oldest_seconds: { help: 'How long the first of them has waited.', label: 'queue' },
  queue_ends_seconds: {
    help: 'Until a queue of the registry is expected to be empty; none while that is unknown.',
    label: 'queue',
  },
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
      ...readingsOfTruth(status),
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

const DIRECTIONS = { rise: 1, fall: -1, none: 0, too_few: null } as const;

function readingsOfTruth({ truth }: Status): Reading<Name>[] {
  return [
    ...truth.windows.flatMap(({ hours, offers, first_100 }): Reading<Name>[] => [
      { gauge: 'false_offers_window_share', label: `${hours}`, value: offers.share },
      { gauge: 'false_first_100_window_share', label: `${hours}`, value: first_100.share },
    ]),
    ...truth.changes.map(({ of: label, change }): Reading<Name> => ({
      ...{ gauge: 'false_offers_change', label, value: DIRECTIONS[change] },
    })),
  ];
}

function readingsOfQueues({ queues }: Status, now: Date): Reading<Name>[] {
  return Object.entries<QueueStatusDto>({ ...queues }).flatMap(([label, { waiting, oldest, ends_at }]) => [
    { gauge: 'queue_waiting', label, value: waiting },
    {
      gauge: 'queue_oldest_seconds',
      label,
      value: oldest === null ? 0 : secondsBetween(new Date(oldest), now),
    },
    { gauge: 'queue_ends_seconds', label, value: waiting === 0 ? 0 : secondsUntil(ends_at, now) },
  ]);
}

function secondsUntil(time: string | null, now: Date): number | null {
  return time === null ? null : secondsBetween(now, new Date(time));
}

function readingsOfRegistries({ registries }: Status, now: Date): Reading<Name>[] {
  return registries.flatMap(({ source: label, breaker, paused_until: until, canary }) => [
    { gauge: 'registry_breaker_open', label, value: Number(breaker === 'open') },
    { gauge: 'registry_paused', label, value: Number(until !== null && new Date(until) > now) },
    { gauge: 'registry_canary_ok', label, value: canary === 'unknown' ? null : Number(canary === 'ok') },
  ]);
}
