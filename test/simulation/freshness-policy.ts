import {
  adjustThreshold,
  daysToNextQuestion,
  FIRST_THRESHOLD,
  isOutdated,
  MAX_DUE_LOOKED_AT,
  MAINTENANCE_EVERY_MS,
} from '../../src/domains/freshness/next-ask.js';
import {
  evidenceOf,
  posteriorTable,
  RATE_CELLS,
  type RateTable,
} from '../../src/domains/freshness/rate-table.js';
import { MomentQueue } from './moment-queue.js';
import type { Offers } from './offers.js';
import type { Policy } from './policies.js';
import type { Population } from './population.js';

const DAY_MS = 86_400_000;
const UPKEEPS_A_DAY = DAY_MS / MAINTENANCE_EVERY_MS;
/** The rates of an hour: the posterior of every minute would take most of the time. */
const UPKEEPS_BETWEEN_RATES = 60;
const OFFER_MAX_AGE_DAYS = 120;

export interface FreshnessOptions {
  /** The rates that are believed before anything was observed. */
  readonly prior: RateTable;
  readonly learns: boolean;
  readonly sweptAtOnce: number;
}

/** The service's own policy, with arrays where the service has tables. */
export class FreshnessPolicy implements Policy {
  private threshold = FIRST_THRESHOLD;
  private rates: RateTable;
  private readonly exposureDays = new Float64Array(RATE_CELLS);
  private readonly taken = new Float64Array(RATE_CELLS);
  private readonly queue: MomentQueue;
  private readonly checkedDay: Float64Array;
  private swept = 0;

  constructor(
    private readonly names: Population,
    private readonly offers: Offers,
    private readonly options: FreshnessOptions,
  ) {
    this.rates = options.prior;
    this.queue = new MomentQueue(names.size);
    this.checkedDay = new Float64Array(names.size);
  }

  add(name: number, day: number): void {
    this.confirm(name, day);
  }

  spendDay(day: number, questions: number): void {
    let turn = 0;
    for (let minute = 1; minute <= UPKEEPS_A_DAY; minute += 1) {
      for (; turn < (questions * minute) / UPKEEPS_A_DAY; turn += 1) this.takeTurn(day + turn / questions);
      this.keepUp(day + minute / UPKEEPS_A_DAY);
      if (this.options.learns && minute % UPKEEPS_BETWEEN_RATES === 0) {
        this.rates = posteriorTable(this.options.prior, this.exposureDays, this.taken);
      }
    }
  }

  lastAsked(name: number): number {
    return this.checkedDay[name] ?? 0;
  }

  private takeTurn(now: number): void {
    const name = this.queue.first;
    if (name === -1 || this.queue.momentOf(name) > now) return;
    const unasked = now - this.lastAsked(name);
    const taken = this.offers.ask(name, now);
    for (const share of evidenceOf(this.rates, this.bandOf(name), this.ageAtCheck(name), unasked, taken)) {
      this.exposureDays[share.cell] = (this.exposureDays[share.cell] ?? 0) + share.exposureDays;
      this.taken[share.cell] = (this.taken[share.cell] ?? 0) + share.taken;
    }
    if (taken) this.queue.remove(name);
    else this.confirm(name, now);
  }

  private confirm(name: number, now: number): void {
    this.checkedDay[name] = now;
    this.queue.set(name, this.freshMoment(name));
  }

  /** The minute's upkeep: the threshold, the moments of those who are due, and of a few of all the others. */
  private keepUp(now: number): void {
    if (this.queue.first === -1) return;
    const latenessMs = (now - this.queue.momentOf(this.queue.first)) * DAY_MS;
    this.threshold = adjustThreshold(this.threshold, latenessMs, MAINTENANCE_EVERY_MS);
    for (let row = 0; row < MAX_DUE_LOOKED_AT; row += 1) {
      const name = this.queue.first;
      if (name === -1 || this.queue.momentOf(name) > now || !this.correct(name)) break;
    }
    for (let row = 0; row < this.options.sweptAtOnce; row += 1) {
      this.swept = (this.swept + 1) % this.names.size;
      if (this.queue.has(this.swept)) this.correct(this.swept);
    }
  }

  private correct(name: number): boolean {
    const moment = this.freshMoment(name);
    if (!isOutdated(this.queue.momentOf(name), moment, this.lastAsked(name))) return false;
    this.queue.set(name, moment);
    return true;
  }

  private freshMoment(name: number): number {
    const days = daysToNextQuestion(
      this.rates,
      this.bandOf(name),
      this.ageAtCheck(name),
      this.threshold.current,
      OFFER_MAX_AGE_DAYS,
    );
    return this.lastAsked(name) + days;
  }

  private bandOf(name: number): number {
    return this.names.band[name] ?? 0;
  }

  private ageAtCheck(name: number): number {
    return this.lastAsked(name) - (this.names.droppedDay[name] ?? 0);
  }
}
