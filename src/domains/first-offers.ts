import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../db/database.js';
import { DomainRepository } from './domain.repository.js';
import { MAX_COUNTED, QuestionQueue, type QueueSize } from './lifecycle/question-queue.repository.js';

const KEPT_MS = 60_000;
const HOUR_SECONDS = 3_600;

export const SANDBOX_WORDS = 'The registry is a sandbox: its answers are made up.';

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
    const { waiting, isExact } = awaitingFirstAnswer(await this.questions.sizes(now), MAX_COUNTED);
    const { source, ratePerSecond } = this.config.registry;
    const words = waitInWords(waiting, isExact, { now, ratePerSecond });
    return source === 'sandbox' ? `${words} ${SANDBOX_WORDS}` : words;
  }
}

/**
 * How many names await the registry before they can be offered.
 *
 * @param limit of each queue's count
 */
export function awaitingFirstAnswer(
  { confirmation, retry, unconfirmed }: Readonly<Record<'confirmation' | 'retry' | 'unconfirmed', QueueSize>>,
  limit: number,
): { waiting: number; isExact: boolean } {
  const queues = [confirmation, retry, unconfirmed];
  return {
    waiting: queues.reduce((sum, { waiting }) => sum + (waiting ?? limit), 0),
    isExact: queues.every(({ waiting }) => waiting !== null),
  };
}

/** @param isExact whether no more wait than were counted */
export function waitInWords(
  waiting: number,
  isExact: boolean,
  { now, ratePerSecond }: { readonly now: Date; readonly ratePerSecond: number },
): string {
  if (waiting === 0) return 'Nothing is on offer yet, and no name awaits the registry.';
  const seconds = waiting / ratePerSecond;
  const until = new Date(now.getTime() + Math.ceil(seconds / HOUR_SECONDS) * HOUR_SECONDS * 1_000);
  return (
    `Nothing is on offer yet: ${namesInWords(waiting, isExact)} the registry, ` +
    `until ${until.toISOString().slice(0, 13)}:00Z at the earliest at ${ratePerSecond} questions a second. ` +
    'The newest drops are asked about first, then the best names.'
  );
}

const DAY_HOURS = 24;

/** What an import leaves to the registry, as the command prints it; '' where no name awaits it. */
export function queueInWords(waiting: number, isExact: boolean, ratePerSecond: number): string {
  if (waiting === 0) return '';
  const hours = waiting / ratePerSecond / HOUR_SECONDS;
  const time = hours < 2 * DAY_HOURS ? `${Math.ceil(hours)} h` : `${(hours / DAY_HOURS).toFixed(1)} days`;
  return (
    `${namesInWords(waiting, isExact)} the registry: ${time} at ${ratePerSecond} questions a second, ` +
    'about twice that beside re-checks.\n'
  );
}

function namesInWords(waiting: number, isExact: boolean): string {
  const names = `${isExact ? '' : 'more than '}${waiting.toLocaleString('en-AU')}`;
  return `${names} ${waiting === 1 ? 'name awaits' : 'names await'}`;
}
