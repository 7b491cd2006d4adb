import { showWeight } from '../../../src/domains/freshness/next-ask.js';
import type { TurnClass } from '../../../src/domains/freshness/next-turn.js';
import { SCORE_BANDS } from '../../../src/domains/schema/filters/score-bands.js';
import { SeededRandom } from '../random.js';
import type { Order } from './orders.js';
import { type Names, WARM_UP_DAYS } from './turn-world.js';

const MINUTE = 1 / 1_440;
const UNANSWERED = 0.02;
const FIRST_SHOWN = 100;
const LAST_CAUGHT_BAND = SCORE_BANDS.findIndex(({ from }) => from === 10);
/** What is caught so late may be noticed after the end. */
const UNCOUNTED_DAYS = 2 / 24;
const YOUNG_DAYS = 2;
const BEFORE_DROP_DAYS = 45 / 1_440;
const DELAY_SLICES = 10;
const DELAY_BIN_MINUTES = 0.25;
const DELAY_BINS = (5 * 1_440) / DELAY_BIN_MINUTES;
/** One old name of the lower bands in so many stands for all. */
const STRIDE = 40;

/** Times are minutes, shares from 0 to 1. */
export interface Measured {
  /** From the purge until 98 % of the day's drops had an answer, the slowest counted day. */
  readonly confirmed: number;
  readonly retryLate: { readonly p95: number; readonly p999: number };
  /** From a first-day catch of score >= 10 outside the drop hour until it is noticed: expected, and the latest that was. */
  readonly noticed: { readonly median: number; readonly p999: number; readonly max: number };
  /** False among the first 100 of the day's drops, of all offers, and among all as shown: expected. */
  readonly falseNew: number;
  readonly falseTop: number;
  readonly falseAll: number;
  readonly backlogLeft: number;
  readonly backlogPerDay: number;
  readonly turns: Readonly<Record<string, number>>;
  readonly threshold: number;
}

/** Spends the turns of some days. Day 0 is the first that counts, each day begins with its purge. */
export function play(names: Names, order: Order, seed: number): Measured {
  const { world, days } = names;
  const random = new SeededRandom(seed + 1);
  const end = days - WARM_UP_DAYS;
  const step = 1 / (86_400 * world.ratePerSecond);
  const firstAnswer = new Float64Array(names.size);
  const turns: Record<string, number> = {};
  const retries: number[] = [];
  const dropHourEnds: number[] = [];
  const confirmedAt: number[] = [];
  let [answeredOfDay, day, nextMinute, minutes] = [0, -WARM_UP_DAYS - 1, -WARM_UP_DAYS, 0];
  let [callers, canaryAt, sampleAt] = [0, -Infinity, -Infinity];
  const noticed = new Delays(names, isOutside);
  const falseShares = new Shares(names, order, end, world.outageDay);
  let backlogStart = 0;
  let backlogDoneAt = NaN;
  let freshPending = false;
  let latest = 0;

  const count = Math.round(days / step);
  for (let turn = 0; turn < count; turn += 1) {
    const now = -WARM_UP_DAYS + turn * step;
    if (Math.floor(now + 1e-9) > day) {
      day += 1;
      order.addDrops(names.dropsOf(day), day);
      answeredOfDay = 0;
      freshPending = true;
      if (day === 0 && world.backlog > 0) {
        order.addBacklog(names.backlog);
        backlogStart = now;
      }
    }
    for (; nextMinute <= now; nextMinute += MINUTE) {
      order.keepUp(nextMinute);
      minutes += 1;
      if (nextMinute > 0) falseShares.sample(nextMinute, minutes);
    }
    if (world.outageDay !== null && Math.floor(now) === world.outageDay) continue;
    if (random.next() < world.callers) callers += 1;
    const outside = { caller: callers > 0, canary: canaryAt <= now, sample: sampleAt <= now };
    const { turn: kind, name } = order.choose(now, outside);
    const key: TurnClass | 'idle' = kind ?? 'idle';
    if (now >= 0) turns[key] = (turns[key] ?? 0) + 1;
    if (kind === 'caller') callers -= 1;
    if (kind === 'canary') canaryAt = now + 1 / world.canariesPerDay;
    if (kind === 'sample') sampleAt = now + 1 / world.samplesPerDay;
    if (freshPending && order.freshLeft(now) === 0) {
      freshPending = false;
      dropHourEnds[day + WARM_UP_DAYS] = now;
    }
    if (kind === 'backlog' && order.backlogLeft === 0 && Number.isNaN(backlogDoneAt)) backlogDoneAt = now;
    if (name === -1) continue;
    if (kind === 'retry' && now >= 0) retries.push((now - order.retryMoment(name)) / MINUTE);
    if (random.next() < UNANSWERED) {
      order.fail(name, now);
      continue;
    }
    const taken = names.taken[name] ?? Infinity;
    const isTaken = taken <= now;
    if (order.isOffered[name] && now >= 0 && (names.band[name] ?? 9) <= LAST_CAUGHT_BAND) {
      noticed.add(name, order.checked[name] ?? 0, now);
      if (isTaken) note(name, taken, now);
    }
    if (firstAnswer[name] === 0) {
      firstAnswer[name] = 1;
      if ((names.purged[name] ?? 0) === day) {
        answeredOfDay += 1;
        if (answeredOfDay === Math.ceil(0.98 * world.dropsPerDay))
          confirmedAt[day + WARM_UP_DAYS] = (now - day) / MINUTE;
      }
    }
    order.answer(name, now, isTaken);
  }

  function note(name: number, taken: number, now: number): void {
    if (isOutside(name, taken)) latest = Math.max(latest, (now - taken) / MINUTE);
  }

  /** Whether a catch at that time counts: of the first day, and not while drops or an outage keep all turns. */
  function isOutside(name: number, time: number): boolean {
    const [purged, today] = [names.purged[name] ?? 0, Math.floor(time)];
    if (purged < -1 || time - purged >= 1 || time >= end - UNCOUNTED_DAYS) return false;
    // What is caught just before a purge waits for the end of its drop hour.
    if (time - today > 1 - BEFORE_DROP_DAYS) return false;
    if (time < Math.max(0, dropHourEnds[today + WARM_UP_DAYS] ?? Infinity)) return false;
    const { outageDay } = world;
    return outageDay === null || ![today, today - 1, purged].includes(outageDay);
  }

  for (let name = 0; name < names.size; name += 1) {
    const taken = names.taken[name] ?? Infinity;
    const isWatched = order.isOffered[name] && (names.band[name] ?? 9) <= LAST_CAUGHT_BAND;
    if (isWatched && taken < end) note(name, taken, end);
  }
  retries.sort((a, b) => a - b);
  const counted = confirmedAt
    .slice(WARM_UP_DAYS)
    .filter((_, place) => world.outageDay === null || place !== world.outageDay);
  const backlogDone = Number.isNaN(backlogDoneAt) ? end : backlogDoneAt;
  const backlogTaken = names.world.backlog - order.backlogLeft;
  return {
    confirmed: Math.max(...counted),
    retryLate: { p95: at(retries, 0.95), p999: at(retries, 0.999) },
    noticed: { median: noticed.quantile(0.5), p999: noticed.quantile(0.999), max: latest },
    ...falseShares.result(),
    backlogLeft: order.backlogLeft,
    backlogPerDay: backlogTaken / (backlogDone - backlogStart),
    turns: Object.fromEntries(Object.entries(turns).map(([key, value]) => [key, value / (end / step)])),
    threshold: order.currentThreshold,
  };
}

/**
 * How late catches are noticed, expected by the world's own chances: a run of some days has a handful of catches, whose
 * median is chance.
 */
class Delays {
  private readonly weights = new Float64Array(DELAY_BINS);
  private total = 0;

  constructor(
    private readonly names: Names,
    private readonly counts: (name: number, time: number) => boolean,
  ) {}

  /** The name was free at one time, and is asked about at another one. */
  add(name: number, free: number, now: number): void {
    const slice = (now - free) / DELAY_SLICES;
    let missed = 0;
    for (let place = 0; place < DELAY_SLICES; place += 1) {
      const middle = free + (place + 0.5) * slice;
      const caught = this.names.falseChance(name, free, free + (place + 1) * slice);
      if (this.counts(name, middle)) {
        const bin = Math.min(DELAY_BINS - 1, Math.floor((now - middle) / (DELAY_BIN_MINUTES * MINUTE)));
        this.weights[bin] = (this.weights[bin] ?? 0) + caught - missed;
        this.total += caught - missed;
      }
      missed = caught;
    }
  }

  quantile(share: number): number {
    let left = share * this.total;
    const bin = this.weights.findIndex((weight) => (left -= weight) <= 0);
    return (bin + 0.5) * DELAY_BIN_MINUTES;
  }
}

/** Shares of what is shown that is false, expected by the world's own chances, as means over the counted days. */
class Shares {
  private readonly sums = { falseNew: 0, falseTop: 0, falseAll: 0 };
  private samples = 0;
  private allSamples = 0;
  private readonly best: Int32Array;
  private readonly others: Int32Array;

  constructor(
    private readonly names: Names,
    private readonly order: Order,
    private readonly end: number,
    private readonly outageDay: number | null,
  ) {
    const better = (a: number, b: number) => (names.rank[b] ?? 0) - (names.rank[a] ?? 0);
    const all = Array.from({ length: names.size }, (_, name) => name);
    this.best = Int32Array.from(all.filter((name) => (names.band[name] ?? 9) <= 1)).sort(better);
    // Names of older purges stay old.
    const older = names.world.offers + names.world.backlog;
    const isStrided = (name: number) => name < older && (names.band[name] ?? 9) > 2;
    this.others = Int32Array.from(all.filter((name) => !isStrided(name) || name % STRIDE === 0));
  }

  sample(now: number, minutes: number): void {
    // After an outage the next day counts, during it nothing can be done.
    if (this.outageDay !== null && Math.floor(now) !== this.outageDay + 1) return;
    if (now >= this.end || minutes % 10 !== 0) return;
    this.samples += 1;
    this.sums.falseTop += this.falseAmong(this.best, now);
    this.sums.falseNew += this.falseAmong(this.dropsOf(Math.floor(now)), now);
    if (minutes % 60 !== 0) return;
    this.allSamples += 1;
    this.sums.falseAll += this.falseOfAll(now);
  }

  result(): Pick<Measured, 'falseNew' | 'falseTop' | 'falseAll'> {
    const { falseNew, falseTop, falseAll } = this.sums;
    return {
      falseNew: falseNew / this.samples,
      falseTop: falseTop / this.samples,
      falseAll: falseAll / this.allSamples,
    };
  }

  private drops: { day: number; names: Int32Array } = { day: NaN, names: new Int32Array(0) };

  private dropsOf(day: number): Int32Array {
    if (this.drops.day !== day) this.drops = { day, names: this.names.dropsOf(day) };
    return this.drops.names;
  }

  private falseAmong(ranked: Int32Array, now: number): number {
    let [shown, wrong] = [0, 0];
    for (const name of ranked) {
      if (shown === FIRST_SHOWN) break;
      if (!this.order.isOffered[name]) continue;
      shown += 1;
      wrong += this.names.falseChance(name, this.order.checked[name] ?? 0, now);
    }
    return shown === 0 ? 0 : wrong / shown;
  }

  private falseOfAll(now: number): number {
    let [shown, wrong] = [0, 0];
    for (const name of this.others) {
      if (!this.order.isOffered[name]) continue;
      const band = this.names.band[name] ?? 0;
      const isYoung = now - (this.names.purged[name] ?? 0) < YOUNG_DAYS;
      const stride = isYoung || band <= 2 ? 1 : STRIDE;
      if (name % stride !== 0) continue;
      const weight = showWeight(band) * stride;
      shown += weight;
      wrong += weight * this.names.falseChance(name, this.order.checked[name] ?? 0, now);
    }
    return wrong / shown;
  }
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
