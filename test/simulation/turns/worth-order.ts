import {
  EARLY_CELLS,
  EARLY_STARTS,
  earlyPrior,
  EarlyRates,
  isEarly,
} from '../../../src/domains/freshness/early-rates.js';
import {
  balanceThreshold,
  dueAimedAt,
  FIRST_OFFER_BACK_OFF_MS,
  MAX_DUE_LOOKED_AT,
  questionWorth,
  type Threshold,
} from '../../../src/domains/freshness/next-ask.js';
import { NO_ASKER_CREDITS, NO_CREDITS, nextTurn } from '../../../src/domains/freshness/next-turn.js';
import { evidenceOf } from '../../../src/domains/freshness/rate-table.js';
import {
  capOf,
  isCapped,
  longestCap,
  questionLimits,
  repeatWorth,
  TOP_RANKS,
} from '../../../src/domains/freshness/repeats.js';
import { DAY_MS, isOfToday, MINUTE, Order, type Outside, type Spent } from './orders.js';
import type { Names } from './turn-world.js';

export interface Belief {
  /** By which the prior of the first two days is multiplied. */
  readonly earlyFactor: number;
}

/** A thousand names of which a minute takes a handful: the best is looked for each time, as sorting them costs more. */
class BestFirst {
  private place = -1;

  /** Of equal names the first one is the best. */
  constructor(
    private readonly names: number[],
    private readonly isBetter: (one: number, other: number) => boolean,
  ) {}

  /** The best that may be asked about; what may not is left out for good. */
  best(mayBeAsked: (name: number) => boolean): number | undefined {
    while (this.names.length > 0) {
      if (this.place === -1) this.find();
      const name = this.names[this.place] ?? -1;
      if (mayBeAsked(name)) return name;
      this.drop();
    }
    return undefined;
  }

  /** Takes the best out. */
  drop(): void {
    this.names.splice(this.place, 1);
    this.place = -1;
  }

  private find(): void {
    let best = 0;
    for (let place = 1; place < this.names.length; place += 1)
      if (this.isBetter(this.names[place] ?? -1, this.names[best] ?? -1)) best = place;
    this.place = best;
  }
}

/** The service's own order. */
export class WorthOrder extends Order {
  protected override readonly offerBackOff = FIRST_OFFER_BACK_OFF_MS / DAY_MS;
  private credits = NO_CREDITS;
  private askerCredits = NO_ASKER_CREDITS;
  private early: EarlyRates;
  private readonly prior: Float64Array<ArrayBuffer>;
  private readonly earlyExposure = new Float64Array(EARLY_CELLS);
  private readonly earlyTaken = new Float64Array(EARLY_CELLS);
  private readonly best: Int32Array;
  private young: Int32Array;
  private youngCount = 0;
  /** What a question is worth is kept by name: an object a minute and name is slow. */
  private plan = new BestFirst([], () => false);
  private plannedAt = -Infinity;
  private due = new BestFirst([], () => false);
  private readonly repeatWorth: Float64Array;
  private readonly isOverdue: Uint8Array;
  private readonly dueWorth: Float64Array;
  private readonly isTop: Uint8Array;
  private top: number[] = [];

  constructor(
    names: Names,
    random: { next(): number },
    share: number,
    start: number,
    { earlyFactor }: Belief,
  ) {
    super(names, random, share, start);
    this.prior = earlyPrior(earlyFactor);
    this.early = new EarlyRates(this.prior);
    const best: number[] = [];
    for (let name = 0; name < names.size; name += 1) if (this.bandOf(name) <= 1) best.push(name);
    this.best = Int32Array.from(best).sort((a, b) => (names.rank[b] ?? 0) - (names.rank[a] ?? 0));
    this.young = new Int32Array(4 * names.world.dropsPerDay);
    this.repeatWorth = new Float64Array(names.size);
    this.isOverdue = new Uint8Array(names.size);
    this.dueWorth = new Float64Array(names.size);
    this.isTop = new Uint8Array(names.size);
  }

  override addDrops(names: Int32Array, purged: number): void {
    super.addDrops(names, purged);
    const kept = this.young.subarray(0, this.youngCount).filter((name) => isEarly(this.ageAt(name, purged)));
    this.young.set(kept);
    this.young.set(names, kept.length);
    this.youngCount = kept.length + names.length;
  }

  override choose(now: number, outside: Outside): Spent {
    const retry = this.dueRetry(now);
    const fresh = this.fresh.find((day) => isOfToday(day, now));
    const isPlannable = (name: number) => this.isPlannable(name, now);
    const [repeat, due] = [this.plan.best(isPlannable), this.due.best(isPlannable)];
    const { turn, credits, askerCredits } = nextTurn(
      now * DAY_MS,
      {
        caller: outside.caller,
        canary: outside.canary,
        sample: outside.sample,
        retryAt: retry === -1 ? null : this.retry.momentOf(retry) * DAY_MS,
        newestPurgeAt: fresh ? fresh.purged * DAY_MS : null,
        backlog: this.backlogLeft > 0,
        repeat: repeat === undefined ? null : (this.repeatWorth[repeat] ?? 0),
        isOverdue: repeat !== undefined && this.isOverdue[repeat] === 1,
        recheck: due === undefined ? null : (this.dueWorth[due] ?? 0),
      },
      {
        ...questionLimits(this.threshold.current),
        credits: this.credits,
        askerCredits: this.askerCredits,
      },
    );
    this.credits = credits;
    this.askerCredits = askerCredits;
    switch (turn) {
      case 'retry':
        return { turn, name: retry };
      case 'fresh':
        return this.takeFresh(now);
      case 'repeat':
        this.plan.drop();
        return { turn, name: repeat ?? -1 };
      case 'recheck':
        this.due.drop();
        return { turn, name: due ?? -1 };
      case 'backlog':
        return this.takeBacklog();
      default:
        return { turn, name: -1 };
    }
  }

  override keepUp(now: number): void {
    super.keepUp(now);
    this.plannedAt = now;
    this.planRepeats(now);
    this.planRechecks(now);
  }

  private planRepeats(now: number): void {
    const { world, rank } = this.names;
    for (const name of this.top) this.isTop[name] = 0;
    this.top = [];
    for (const name of this.best) {
      if (this.top.length === TOP_RANKS) break;
      if (!this.isOffered[name]) continue;
      this.top.push(name);
      this.isTop[name] = 1;
    }
    const planned: number[] = [];
    const { leastWorth } = questionLimits(this.threshold.current);
    const longest = longestCap(this.countCapped(now), world.ratePerSecond * (1 - world.callers));
    const plan = (name: number) => {
      if (this.isRepeatWanted(name, now, leastWorth, longest)) planned.push(name);
    };
    for (let place = 0; place < this.youngCount; place += 1) plan(this.young[place] ?? -1);
    for (const name of this.top) if (!isEarly(this.ageAt(name, now))) plan(name);
    const { repeatWorth: worth, isOverdue } = this;
    this.plan = new BestFirst(planned, (a, b) => {
      const sooner =
        (isOverdue[a] ?? 0) - (isOverdue[b] ?? 0) ||
        (worth[a] ?? 0) - (worth[b] ?? 0) ||
        (rank[a] ?? 0) - (rank[b] ?? 0);
      return sooner > 0;
    });
  }

  /** @returns whether the question is worth a turn, or may wait no longer */
  private isRepeatWanted(name: number, now: number, leastWorth: number, longest: number): boolean {
    if (!this.isPlannable(name, now)) return false;
    const [band, age, unasked] = [this.bandOf(name), this.ageAt(name, now), now - (this.checked[name] ?? 0)];
    const isOverdue = isCapped({ band, age, unasked }) && unasked > capOf(age, longest);
    const isTop = this.isTop[name] === 1;
    const worth = repeatWorth({ band, age, unasked, isTop }, this.early, this.rates);
    this.repeatWorth[name] = worth;
    this.isOverdue[name] = Number(isOverdue);
    return worth >= leastWorth || isOverdue;
  }

  private planRechecks(now: number): void {
    const due = this.recheck.listUpTo(Infinity, MAX_DUE_LOOKED_AT);
    const { dueWorth: worth } = this;
    for (const name of due) worth[name] = this.recheckWorth(name, now);
    this.due = new BestFirst(due, (a, b) => (worth[a] ?? 0) > (worth[b] ?? 0));
  }

  private recheckWorth(name: number, now: number): number {
    const checked = this.checked[name] ?? 0;
    const worth = questionWorth(this.rates, this.bandOf(name), this.ageAt(name, checked), now - checked);
    // Some are due for another reason: their offer is about to end.
    return this.recheck.momentOf(name) <= now ? Math.max(worth, this.threshold.current) : worth;
  }

  protected override adjust(now: number): Threshold {
    const due = this.recheck.listUpTo(now, MAX_DUE_LOOKED_AT).length;
    const aimed = dueAimedAt(this.names.world.ratePerSecond);
    const current = balanceThreshold(this.threshold.current, due / aimed, MINUTE * DAY_MS);
    return { steady: current, current };
  }

  private countCapped(now: number): number {
    let capped = 0;
    for (let place = 0; place < this.youngCount; place += 1) {
      const name = this.young[place] ?? -1;
      const [band, age, unasked] = [
        this.bandOf(name),
        this.ageAt(name, now),
        now - (this.checked[name] ?? 0),
      ];
      if (this.isOffered[name] && isCapped({ band, age, unasked })) capped += 1;
    }
    return capped;
  }

  private isPlannable(name: number, now: number): boolean {
    const isAsked = (this.checked[name] ?? 0) > this.plannedAt;
    return this.isOffered[name] === 1 && !isAsked && (this.blockedUntil[name] ?? 0) <= now;
  }

  protected override relearn(): void {
    super.relearn();
    this.early = EarlyRates.learned(
      this.prior,
      Array.from(this.earlyExposure, (exposureDays, cell) => ({
        suffix: '',
        cell,
        exposureDays,
        taken: this.earlyTaken[cell] ?? 0,
      })),
    );
  }

  protected override learn(name: number, now: number, isTaken: boolean): void {
    super.learn(name, now, isTaken);
    const since = this.isOffered[name] ? (this.checked[name] ?? 0) : (this.names.purged[name] ?? 0);
    const age = this.ageAt(name, since);
    if (!isEarly(age + now - since)) return;
    const shares = evidenceOf(this.early.rates, this.bandOf(name), age, now - since, isTaken, EARLY_STARTS);
    for (const share of shares) {
      this.earlyExposure[share.cell] = (this.earlyExposure[share.cell] ?? 0) + share.exposureDays;
      this.earlyTaken[share.cell] = (this.earlyTaken[share.cell] ?? 0) + share.taken;
    }
  }
}
