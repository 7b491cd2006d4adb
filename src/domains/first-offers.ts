import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../db/database.js';
import { DomainRepository } from './domain.repository.js';
import { voucherOf } from './lifecycle/listings/listing.js';
import { MAX_COUNTED, QuestionQueue } from './lifecycle/question-queue.repository.js';

const KEPT_MS = 60_000;
const HOUR_SECONDS = 3_600;

const SANDBOX = 'sandbox';
type Source = string | null | undefined;
export const SANDBOX_WORDS = 'The registry is a sandbox: its answers are made up.';

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

/** What a dataset without offers waits for, in words. Counted once a minute at most. */
@Injectable()
export class FirstOffers {
  private kept: Promise<string> | null = null;
  private keptAtMs = -Infinity;
  /** When names were on offer. */
  private offeredAtMs = -Infinity;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly domains: DomainRepository,
    private readonly questions: QuestionQueue,
  ) {}

  /**
   * @param stats of the dataset, where they have been read
   * @returns null where names are on offer, or were a moment ago
   */
  async describeWait(stats?: Stats | Promise<Stats>): Promise<string | null> {
    if (!stats && performance.now() - this.offeredAtMs < KEPT_MS) return null;
    const { availableRecords } = await (stats ?? this.domains.readStats());
    if (availableRecords > 0) {
      this.offeredAtMs = performance.now();
      return null;
    }
    this.offeredAtMs = -Infinity;
    if (this.kept && performance.now() - this.keptAtMs < KEPT_MS) return this.kept;
    this.keptAtMs = performance.now();
    const counting = this.count();
    this.kept = counting;
    // A failure is not cached: the next request tries again.
    counting.catch(() => {
      if (this.kept === counting) this.kept = null;
    });
    return counting;
  }

  private async count(): Promise<string> {
    const now = await this.clock.now();
    const { source, ratePerSecond } = this.config.registry;
    const words = waitInWords(await countWaiting(this.questions, now), { now, ratePerSecond });
    return withSandboxWords(words, source);
  }
}

/** Names that await the registry before they can be offered. */
export interface Waiting {
  readonly names: number;
  /** `least`: no fewer than that. */
  readonly how: 'exact' | 'estimated' | 'least';
}

/** @param limit more are not counted in one queue; their number is then estimated */
export async function countWaiting(
  questions: QuestionQueue,
  now: Date,
  limit = MAX_COUNTED,
): Promise<Waiting> {
  const { confirmation, retry, unconfirmed } = await questions.sizes(now, limit);
  const queues = [confirmation, retry, unconfirmed];
  const names = queues.reduce((sum, { waiting }) => sum + (waiting ?? limit), 0);
  if (queues.every(({ waiting }) => waiting !== null)) return { names, how: 'exact' };
  const estimated = await questions.estimateUnanswered();
  // Statistics from before an import know less than was counted.
  if (estimated <= names) return { names, how: 'least' };
  return { names: Number(estimated.toPrecision(ESTIMATED_DIGITS)), how: 'estimated' };
}

const ESTIMATED_DIGITS = 3;

export function waitInWords(
  waiting: Waiting,
  { now, ratePerSecond }: { readonly now: Date; readonly ratePerSecond: number },
): string {
  if (waiting.names === 0) return 'Nothing is on offer yet, and no name awaits the registry.';
  const seconds = waiting.names / ratePerSecond;
  const until = new Date(now.getTime() + Math.ceil(seconds / HOUR_SECONDS) * HOUR_SECONDS * 1_000);
  return (
    `Nothing is on offer yet: ${namesInWords(waiting)} the registry, ` +
    `until ${until.toISOString().slice(0, 13)}:00Z at the earliest at ${ratePerSecond} questions a second. ` +
    'The newest drops are asked about first, then the best names.'
  );
}

const DAY_HOURS = 24;

/** What an import leaves to the registry, as the command prints it; '' where no name awaits it. */
export function queueInWords(
  waiting: Waiting,
  { ratePerSecond, source }: Pick<Config['registry'], 'ratePerSecond' | 'source'>,
): string {
  if (waiting.names === 0) return '';
  const hours = waiting.names / ratePerSecond / HOUR_SECONDS;
  const time = hours < 2 * DAY_HOURS ? `${Math.ceil(hours)} h` : `${(hours / DAY_HOURS).toFixed(1)} days`;
  const words =
    `${namesInWords(waiting)} the registry: ${time} at ${ratePerSecond} questions a second, ` +
    'about twice that beside re-checks.';
  return `${withSandboxWords(words, source)}\n`;
}

const HOW_WORDS: Readonly<Record<Waiting['how'], string>> = {
  exact: '',
  estimated: 'about ',
  least: 'more than ',
};

function namesInWords({ names, how }: Waiting): string {
  return `${HOW_WORDS[how]}${names.toLocaleString('en-AU')} ${names === 1 ? 'name awaits' : 'names await'}`;
}
