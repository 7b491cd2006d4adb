import { Injectable } from '@nestjs/common';
import { type ArchiveHealth, ArchiveHealthReader } from '../../archive/archive.module.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { FreshnessRepository } from '../../domains/freshness/freshness.repository.js';
import { Lifecycle } from '../../domains/lifecycle/lifecycle.js';
import { QuestionQueue } from '../../domains/lifecycle/question-queue.repository.js';
import { ListFetchRepository } from '../../ingest/lists/list-fetch.repository.js';
import { TruthSampleRepository } from '../../domains/truth/truth-sample.repository.js';
import { Registry } from '../../registry/registry.js';
import { ServiceLevels } from '../../observe/service-levels.module.js';
import { writtenMinutes } from '../../observe/objectives.js';
import { ratesOf, truthOf } from './figures.js';
import type {
  OfferStatusDto,
  QueuesStatusDto,
  QueueStatusDto,
  Status,
  ArchiveStatusDto,
  ListStatusDto,
  RegistryStatusDto,
} from './status.dto.js';
import { type OfferCounts, PURGE_ENDS, StatusRepository } from './status.repository.js';

const DAY_MS = 86_400_000;
const TRUTH_DAYS = 30;
const CONFIRMATION_DAYS = 7;
const LEVEL_DAYS = 30;
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
    private readonly questions: QuestionQueue,
    private readonly lifecycle: Lifecycle,
    private readonly lists: ListFetchRepository,
    private readonly registry: Registry,
    private readonly archive: ArchiveHealthReader,
    private readonly levels: ServiceLevels,
  ) {}

  /** Costs nothing. @throws {DatabaseUnavailable} */
  readStatus(): Promise<Status> {
    if (this.kept && performance.now() - this.keptAtMs < STATUS_KEPT_MS) return this.kept;
    this.keptAtMs = performance.now();
    const gathering = this.gather();
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
    const truth = truthOf(await this.samples.count(before(TRUTH_DAYS)), TRUTH_DAYS);
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
      writes_stopped: writesStoppedAt && { at: writesStoppedAt.toISOString(), reason },
      service_levels: {
        days: LEVEL_DAYS,
        objectives: await this.levels.measure(writtenMinutes(before(LEVEL_DAYS), now), PURGE_ENDS),
      },
      rates: { threshold: threshold?.current ?? null, cells: ratesOf(await this.freshness.readEvidence()) },
    };
  }

  private async readQueues(now: Date, { isOn, queue }: ArchiveHealth): Promise<QueuesStatusDto> {
    const sizes = await this.questions.sizes(now);
    return {
      purge: queueOf(await this.status.readPurgeQueue(now)),
      confirmation: queueOf(sizes.confirmation),
      retry: queueOf(sizes.retry),
      recheck: queueOf(sizes.recheck),
      unconfirmed: queueOf(sizes.unconfirmed),
      archive: isOn ? queueOf(archiveQueueOf(queue)) : { waiting: null, oldest: null },
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

function offersOf({ offered, stale }: OfferCounts): OfferStatusDto {
  const all = stale === null ? 0 : offered + stale;
  return { available: offered, stale, stale_share: stale === null || all === 0 ? null : stale / all };
}

function archiveQueueOf({ waiting, retries, oldest }: ArchiveHealth['queue']): {
  waiting: number | null;
  oldest: Date | null;
} {
  return { waiting: waiting === null || retries === null ? null : waiting + retries, oldest };
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

function queueOf({ waiting, oldest }: { waiting: number | null; oldest: Date | null }): QueueStatusDto {
  return { waiting, oldest: textOf(oldest) };
}

function textOf(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
