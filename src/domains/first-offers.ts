import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { unscoped } from '../db/scope.js';
import { Clock } from '../db/database.js';
import { counted, fillIn, t } from '../texts/texts.js';
import { DomainRepository } from './domain.repository.js';
import { RegistryQueues, type Unanswered, unansweredOf } from './freshness/registry-queues.js';
import { voucherOf } from './lifecycle/listings/listing.js';

/** How long a count is good for. */
const KEPT_MS = 60_000;
const KEPT_WITH_OFFERS_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;

const SANDBOX = 'sandbox';
type Source = string | null | undefined;
export const SANDBOX_WORDS = t.search.wait.sandbox;

/**
 * The sentence beside answers of a sandbox; '' when no source is a sandbox.
 *
 * @param sources as in `confirmed_by`, or REGISTRY_SOURCE
 */
export function sandboxWords(...sources: readonly Source[]): string {
  return sources.includes(SANDBOX) || sources.includes(voucherOf(SANDBOX)) ? SANDBOX_WORDS : '';
}

/** Adds the sentence about a sandbox to a text that may need it. */
export function withSandboxWords(text: string, ...sources: readonly Source[]): string {
  return [text, sandboxWords(...sources)].filter(Boolean).join(' ');
}

type Stats = Pick<Awaited<ReturnType<DomainRepository['readStats']>>, 'availableRecords'>;

/** What a dataset with few offers, or none, waits for, in words. */
@Injectable()
export class FirstOffers {
  private kept: Promise<Unanswered> | null = null;
  private keptAtMs = -Infinity;
  /** When enough names were on offer. */
  private offeredAtMs = -Infinity;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly domains: DomainRepository,
    private readonly queues: RegistryQueues,
  ) {}

  /**
   * @param stats of the dataset, where they have been read
   * @param say how the reader writes a moment
   * @returns null where more names are on offer than await the registry, or were a moment ago
   */
  async describeWait(stats?: Stats | Promise<Stats>, say = hourInUtc): Promise<string | null> {
    if (!stats && performance.now() - this.offeredAtMs < KEPT_MS) return null;
    const { availableRecords: offers } = await (stats ?? this.domains.readStats());
    const waiting = await this.count(offers === 0 ? KEPT_MS : KEPT_WITH_OFFERS_MS);
    const isEnough = offers > 0 && offers >= waiting.names;
    this.offeredAtMs = isEnough ? performance.now() : -Infinity;
    if (isEnough) return null;
    return withSandboxWords(waitInWords(waiting, offers > 0, say), this.config.registry.source);
  }

  private count(keptMs: number): Promise<Unanswered> {
    if (this.kept && performance.now() - this.keptAtMs < keptMs) return this.kept;
    this.keptAtMs = performance.now();
    const counting = unscoped(async () => unansweredOf(await this.queues.read(await this.clock.now())));
    this.kept = counting;
    // A failure is not cached: the next request tries again.
    counting.catch(() => {
      if (this.kept === counting) this.kept = null;
    });
    return counting;
  }
}

export function waitInWords(waiting: Unanswered, hasOffers = false, say = hourInUtc): string {
  const { none, few, nothing } = t.search.wait;
  if (waiting.names === 0) return none;
  const until = untilInWords(waiting.endsAt, say);
  return fillIn(hasOffers ? few : nothing, { waiting: namesInWords(waiting), until });
}

function untilInWords(endsAt: Date | null, say: (hour: Date) => string): string {
  if (endsAt === null) return t.search.wait.anyTime;
  const hour = say(new Date(Math.ceil(endsAt.getTime() / HOUR_MS) * HOUR_MS));
  return fillIn(t.search.wait.until, { hour });
}

/** For programs. */
function hourInUtc(hour: Date): string {
  return `${hour.toISOString().slice(0, 13)}:00Z`;
}

const DAY_HOURS = 24;

/** What an import leaves to the registry, as the command prints it; '' where no name awaits it. */
export function queueInWords(
  waiting: Unanswered,
  now: Date,
  { source }: Pick<Config['registry'], 'source'>,
): string {
  if (waiting.names === 0) return '';
  const words = fillIn(t.search.wait.queue, {
    waiting: namesInWords(waiting),
    time: timeInWords(waiting, now),
  });
  return `${withSandboxWords(words, source)}\n`;
}

function timeInWords({ endsAt, isBacklog }: Unanswered, now: Date): string {
  const { anyLength, about, beside } = t.search.wait;
  if (endsAt === null) return anyLength;
  const hours = (endsAt.getTime() - now.getTime()) / HOUR_MS;
  const time =
    hours < 2 * DAY_HOURS
      ? fillIn(t.times.hours, { count: Math.ceil(hours) })
      : counted(Number((hours / DAY_HOURS).toPrecision(2)), 'day');
  return fillIn(isBacklog ? beside : about, { time });
}

function namesInWords({ names, precision }: Unanswered): string {
  return fillIn(t.search.wait.precision[precision], { waiting: counted(names, 'awaiting') });
}
