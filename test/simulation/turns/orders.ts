import {
  adjustThreshold,
  daysToNextQuestion,
  isOutdated,
  MAX_DUE_LOOKED_AT,
  SWEPT_AT_ONCE,
  type Threshold,
} from '../../../src/domains/freshness/next-ask.js';
import { FRESH_MS, type TurnClass } from '../../../src/domains/freshness/next-turn.js';
import {
  evidenceOf,
  posteriorTable,
  RATE_CELLS,
  type RateTable,
} from '../../../src/domains/freshness/rate-table.js';
import { trueTable } from '../contest.js';
import { MomentQueue } from '../moment-queue.js';
import { WORLDS } from '../world.js';
import type { Names } from './turn-world.js';

export const DAY_MS = 86_400_000;
export const MINUTE = 1 / 1_440;
const FRESH_DAYS = FRESH_MS / DAY_MS;
const OFFER_MAX_AGE_DAYS = 120;
const FIRST_BACK_OFF = 5 * MINUTE;
/** Until the time of a last answer and the interval that follows from it agree. */
const STEADY_STEPS = 8;
const MAX_BACK_OFF = 60 * MINUTE;

/** Who wants the turn beside the queues. */
export interface Outside {
  readonly caller: boolean;
  readonly canary: boolean;
  readonly sample: boolean;
}

/** What the turn is spent on; `name` is -1 where it is no name of a queue. */
export interface Spent {
  readonly turn: TurnClass | null;
  readonly name: number;
}

const NOTHING: Spent = { turn: null, name: -1 };

/** The queues of a dataset, and one order in which they are served. Times are days. */
export abstract class Order {
  protected readonly offerBackOff: number = FIRST_BACK_OFF;
  protected readonly retry: MomentQueue;
  protected readonly recheck: MomentQueue;
  readonly checked: Float64Array;
  readonly isOffered: Uint8Array;
  protected readonly blockedUntil: Float64Array;
  private readonly failures: Uint8Array;
  protected fresh: { readonly names: Int32Array; next: number; readonly purged: number }[] = [];
  protected backlog: { names: Int32Array; next: number } = { names: new Int32Array(0), next: 0 };
  protected rates: RateTable;
  protected threshold: Threshold;
  private readonly known: RateTable;
  private readonly exposure = new Float64Array(RATE_CELLS);
  private readonly taken = new Float64Array(RATE_CELLS);
  private swept = 0;
  private minutes = 0;

  /** @param share of the turns that re-checks have at the beginning, for a threshold at its balance */
  constructor(
    protected readonly names: Names,
    protected readonly random: { next(): number },
    share: number,
    private readonly start: number,
  ) {
    const { size, world } = names;
    this.known = trueTable(world.looksAtScores ? WORLDS.base : WORLDS.flat);
    this.rates = this.known;
    this.retry = new MomentQueue(size);
    this.recheck = new MomentQueue(size);
    this.checked = new Float64Array(size);
    this.isOffered = new Uint8Array(size);
    this.blockedUntil = new Float64Array(size).fill(-Infinity);
    this.failures = new Uint8Array(size);
    const balanced = this.balance(share * world.ratePerSecond * 86_400);
    this.threshold = { steady: balanced, current: balanced };
    for (let name = 0; name < world.offers; name += 1) {
      const lot = this.random.next();
      this.checked[name] = start;
      for (let step = 0; step < STEADY_STEPS; step += 1)
        this.checked[name] = start - lot * this.recheckDays(name);
      this.isOffered[name] = 1;
      this.recheck.set(name, Math.max(start, (this.checked[name] ?? 0) + this.recheckDays(name)));
    }
  }

  get currentThreshold(): number {
    return this.threshold.current;
  }

  abstract choose(now: number, outside: Outside): Spent;

  addDrops(names: Int32Array, purged: number): void {
    this.fresh.unshift({ names, next: 0, purged });
  }

  addBacklog(names: Int32Array): void {
    this.backlog = { names, next: 0 };
  }

  get backlogLeft(): number {
    return this.backlog.names.length - this.backlog.next;
  }

  freshLeft(now: number): number {
    return this.fresh.reduce((sum, one) => sum + (isOfToday(one, now) ? one.names.length - one.next : 0), 0);
  }

  retryMoment(name: number): number {
    return this.retry.momentOf(name);
  }

  fail(name: number, now: number): void {
    const failures = (this.failures[name] ?? 0) + 1;
    this.failures[name] = failures;
    const first = this.isOffered[name] ? this.offerBackOff : FIRST_BACK_OFF;
    const until = now + Math.min(MAX_BACK_OFF, first * 2 ** (failures - 1));
    if (this.isOffered[name]) {
      this.blockedUntil[name] = until;
      this.recheck.set(name, until);
    } else this.retry.set(name, until);
  }

  answer(name: number, now: number, isTaken: boolean): void {
    this.learn(name, now, isTaken);
    this.failures[name] = 0;
    this.blockedUntil[name] = -Infinity;
    this.retry.remove(name);
    this.checked[name] = now;
    this.isOffered[name] = isTaken ? 0 : 1;
    if (isTaken) this.recheck.remove(name);
    else this.recheck.set(name, now + this.recheckDays(name));
  }

  /** The upkeep of a minute. */
  keepUp(now: number): void {
    this.minutes += 1;
    if (this.minutes % 60 === 0) this.relearn();
    this.threshold = this.adjust(now);
    for (const name of this.recheck.listUpTo(now, MAX_DUE_LOOKED_AT)) this.correct(name);
    for (let row = 0; row < SWEPT_AT_ONCE; row += 1) {
      this.swept = (this.swept + 1) % this.names.size;
      if (this.recheck.has(this.swept)) this.correct(this.swept);
    }
  }

  protected adjust(now: number): Threshold {
    return adjustThreshold(this.threshold, this.latenessMs(now), MINUTE * DAY_MS);
  }

  protected latenessMs(now: number): number {
    return this.recheck.first === -1 ? 0 : (now - this.recheck.momentOf(this.recheck.first)) * DAY_MS;
  }

  protected relearn(): void {
    this.rates = posteriorTable(this.known, this.exposure, this.taken);
  }

  protected learn(name: number, now: number, isTaken: boolean): void {
    if (!this.isOffered[name]) return;
    // Before the start everything was free, whatever the rates say.
    const checked = Math.max(this.start, this.checked[name] ?? 0);
    const age = this.ageAt(name, checked);
    for (const share of evidenceOf(this.rates, this.bandOf(name), age, now - checked, isTaken)) {
      this.exposure[share.cell] = (this.exposure[share.cell] ?? 0) + share.exposureDays;
      this.taken[share.cell] = (this.taken[share.cell] ?? 0) + share.taken;
    }
  }

  protected takeFresh(now: number): Spent {
    for (const day of this.fresh)
      if (isOfToday(day, now)) return { turn: 'fresh', name: day.names[day.next++] ?? -1 };
    return NOTHING;
  }

  protected takeBacklog(): Spent {
    return this.backlogLeft > 0
      ? { turn: 'backlog', name: this.backlog.names[this.backlog.next++] ?? -1 }
      : NOTHING;
  }

  protected dueRetry(now: number): number {
    const { first } = this.retry;
    return first !== -1 && this.retry.momentOf(first) <= now ? first : -1;
  }

  protected dueRecheck(now: number): number {
    const { first } = this.recheck;
    return first !== -1 && this.recheck.momentOf(first) <= now ? first : -1;
  }

  protected bandOf(name: number): number {
    return this.names.band[name] ?? 0;
  }

  protected ageAt(name: number, time: number): number {
    return time - (this.names.purged[name] ?? 0);
  }

  private recheckDays(name: number, threshold = this.threshold.current): number {
    const age = this.ageAt(name, this.checked[name] ?? 0);
    return daysToNextQuestion(this.rates, this.bandOf(name), age, threshold, OFFER_MAX_AGE_DAYS);
  }

  private correct(name: number): void {
    if (Number.isFinite(this.blockedUntil[name])) return;
    const checked = this.checked[name] ?? 0;
    const moment = checked + this.recheckDays(name);
    if (isOutdated(this.recheck.momentOf(name), moment, checked)) this.recheck.set(name, moment);
  }

  /** The threshold at which the older offers need so many questions a day. */
  private balance(questions: number): number {
    let [low, high] = [1e-3, 1e3];
    const { offers } = this.names.world;
    const step = Math.max(1, Math.floor(offers / 20_000));
    for (let round = 0; round < 30; round += 1) {
      const middle = Math.sqrt(low * high);
      let wanted = 0;
      for (let name = 0; name < offers; name += step) wanted += step / this.recheckDays(name, middle);
      if (wanted > questions) low = middle;
      else high = middle;
    }
    return high;
  }
}

/** What was done before turns had classes: all first answers by score, then retries, then re-checks. */
export class ByScoreOrder extends Order {
  override choose(now: number, outside: Outside): Spent {
    const other = outsideTurn(outside);
    if (other) return { turn: other, name: -1 };
    const days = this.fresh.filter(({ names, next }) => next < names.length);
    const rankOf = (queue: { names: Int32Array; next: number }) =>
      this.names.rank[queue.names[queue.next] ?? -1] ?? -1;
    let best: { names: Int32Array; next: number } | null = this.backlogLeft > 0 ? this.backlog : null;
    for (const day of days) if (!best || rankOf(day) > rankOf(best)) best = day;
    if (best)
      return { turn: best === this.backlog ? 'backlog' : 'fresh', name: best.names[best.next++] ?? -1 };
    const retry = this.dueRetry(now);
    if (retry !== -1) return { turn: 'retry', name: retry };
    const due = this.dueRecheck(now);
    return due === -1 ? NOTHING : { turn: 'recheck', name: due };
  }
}

/** The order that REGISTRY_POLICY=former brings back: drops first, then retries, then re-checks and backlog by turns. */
export class FormerOrder extends Order {
  private sinceRetry = 0;
  private isRecheckTurn = true;

  override choose(now: number, outside: Outside): Spent {
    const other = outsideTurn(outside);
    if (other) return { turn: other, name: -1 };
    const [retry, due, isFresh] = [this.dueRetry(now), this.dueRecheck(now), this.freshLeft(now) > 0];
    if (retry !== -1 && (!isFresh || this.sinceRetry >= 10)) {
      this.sinceRetry = 1;
      return { turn: 'retry', name: retry };
    }
    this.sinceRetry += 1;
    if (isFresh) return this.takeFresh(now);
    const takesRecheck = due !== -1 && (this.isRecheckTurn || this.backlogLeft === 0);
    this.isRecheckTurn = !takesRecheck;
    return takesRecheck ? { turn: 'recheck', name: due } : this.takeBacklog();
  }
}

function outsideTurn({ caller, canary, sample }: Outside): TurnClass | null {
  if (caller) return 'caller';
  if (canary) return 'canary';
  return sample ? 'sample' : null;
}

export function isOfToday({ names, next, purged }: Order['fresh'][number], now: number): boolean {
  return next < names.length && now - purged < FRESH_DAYS;
}
