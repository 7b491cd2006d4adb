import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { unscoped } from '../../db/scope.js';
import { messageOf } from '../../validation/unknown-values.js';
import { type OfferedName, type Outcome, RecheckSchedule } from '../lifecycle/lifecycle.js';
import { FreshnessRepository, type MovedMoment, type ScheduledName } from './freshness.repository.js';
import { EARLY_STARTS, earlyPrior, EarlyRates, isEarly } from './early-rates.js';
import {
  adjustThreshold,
  ageInDays,
  balanceThreshold,
  dueAimedAt,
  FIRST_THRESHOLD,
  isOutdated,
  MAX_DUE_LOOKED_AT,
  nextCheckAt,
  SWEPT_AT_ONCE,
  MAINTENANCE_EVERY_MS,
} from './next-ask.js';
import { bandOf, chanceTaken, evidenceOf, posteriorTable, priorTable, type RateTable } from './rate-table.js';

const DAY_MS = 86_400_000;
/** Beyond this without an answer, lateness says that the registry is away, and not that too much is asked. */
const MAX_SILENCE_MS = 30 * 60_000;

/** What the choice rests on, as every instance has it from PostgreSQL. */
interface Belief {
  readonly rates: RateTable;
  readonly early: EarlyRates;
  /** The current one. */
  readonly threshold: number;
}

/**
 * When each name on offer is asked about again: where a question finds the most false offers, by rates that are
 * learned from the answers. Every instance reads them once a minute; whichever runs the jobs moves them.
 */
@Injectable()
export class Freshness extends RecheckSchedule {
  private readonly logger = new Logger('Freshness');
  private readonly prior = priorTable();
  private readonly earlyPrior = earlyPrior();
  private readonly offerMaxAgeDays: number;
  private belief: Belief = {
    rates: this.prior,
    early: new EarlyRates(this.earlyPrior),
    threshold: FIRST_THRESHOLD.current,
  };
  private readAtMs = -Infinity;
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly stored: FreshnessRepository,
    private readonly config: Config,
  ) {
    super();
    this.offerMaxAgeDays = config.lifecycle.offerMaxAgeMs / DAY_MS;
  }

  get rates(): RateTable {
    return this.belief.rates;
  }

  get early(): EarlyRates {
    return this.belief.early;
  }

  /** The worth at which a question is due. */
  get threshold(): number {
    return this.belief.threshold;
  }

  /** Reads once a minute. If that fails, the earlier rates stay. */
  override prepare(): Promise<void> {
    if (performance.now() - this.readAtMs > MAINTENANCE_EVERY_MS) {
      this.reading = unscoped(() => this.refresh()).catch((error: unknown) =>
        this.logger.warn(`The rates at which names are taken could not be read: ${messageOf(error)}`),
      );
    }
    return this.reading;
  }

  /** Waits for nothing, as it is asked inside of transactions. */
  override nextCheckAt(name: OfferedName): Date {
    return nextCheckAt(name, this.belief.rates, this.belief.threshold, this.offerMaxAgeDays);
  }

  /** Reads rates and threshold. @throws {DatabaseUnavailable}, and the belief stays as it was */
  async refresh(): Promise<void> {
    this.readAtMs = performance.now();
    const [{ exposureDays, taken }, early, threshold] = await Promise.all([
      this.stored.readEvidence(),
      this.stored.readEarlyEvidence(),
      this.stored.readThreshold(),
    ]);
    this.belief = {
      rates: posteriorTable(this.prior, exposureDays, taken),
      early: EarlyRates.learned(this.earlyPrior, early),
      threshold: (threshold ?? FIRST_THRESHOLD).current,
    };
  }

  /**
   * Learns from the answer to a question of our own choice about a name that was on offer. Callers' questions teach
   * nothing: they ask about names that are about to be taken.
   *
   * @param answeredAt checkedAt of the answer
   */
  async learn(outcome: Outcome, answeredAt: Date): Promise<void> {
    await this.learnEarly(outcome, answeredAt);
    const { from, to, name } = outcome;
    if (!name?.checkedAt || (from !== 'available' && from !== 'stale')) return;
    const isTaken = to === 'taken';
    if (!isTaken && to !== 'available') return;
    const asked = { ...name, checkedAt: name.checkedAt };
    const days = (answeredAt.getTime() - asked.checkedAt.getTime()) / DAY_MS;
    if (days <= 0) return;
    const age = ageInDays(asked, asked.checkedAt);
    const [{ rates }, band] = [this.belief, bandOf(name.wayback)];
    await this.stored.addEvidence(evidenceOf(rates, band, age, days, isTaken), answeredAt);
    await this.stored.addRecheck(isTaken, chanceTaken(rates, band, age, days), answeredAt);
  }

  /** Rates count in minutes since the purge. A name found taken at its first question was taken after the purge. */
  private async learnEarly({ from, to, name }: Outcome, answeredAt: Date): Promise<void> {
    const purgeAt = name?.purgeAt ?? name?.droppedAt;
    const isFirst = from === 'purged';
    const freeAt = isFirst ? purgeAt : name?.checkedAt;
    if (!name || !purgeAt || !freeAt || (!isFirst && from !== 'available')) return;
    if (to !== 'available' && to !== 'taken') return;
    const [age, days] = [freeAt, answeredAt].map((at) => (at.getTime() - purgeAt.getTime()) / DAY_MS);
    if (age === undefined || days === undefined || days <= age || !isEarly(days)) return;
    const { rates } = this.belief.early;
    const shares = evidenceOf(rates, bandOf(name.wayback), age, days - age, to === 'taken', EARLY_STARTS);
    await this.stored.addEarlyEvidence(name.suffix, shares, answeredAt);
  }

  /**
   * Keeps the times of the next questions right, once a minute: moves the threshold by how late the queue runs;
   * checks whether due names are still due, and some of all the others.
   *
   * @param after where the last sweep ended, '' at first
   * @returns where this one ended, '' at the end of the alphabet
   */
  async keepUp(now: Date, after: string): Promise<string> {
    const first = await this.stored.findFirstMoment();
    if (first) await this.adjust(now, first);
    await this.refresh();
    await this.correct(await this.stored.listDue(now, MAX_DUE_LOOKED_AT));
    const { names, last } = await this.stored.listBehind(after, SWEPT_AT_ONCE);
    await this.correct(names);
    return last ?? '';
  }

  private async adjust(now: Date, first: Date): Promise<void> {
    const latenessMs = now.getTime() - first.getTime();
    const [before, { observedAt }] = await Promise.all([
      this.stored.readThreshold(),
      this.stored.readEvidence(),
    ]);
    const isSilent = observedAt === null || now.getTime() - observedAt.getTime() > MAX_SILENCE_MS;
    if (latenessMs > 0 && isSilent) return;
    const elapsedMs = before ? now.getTime() - before.adjustedAt.getTime() : MAINTENANCE_EVERY_MS;
    const known = before ?? FIRST_THRESHOLD;
    const { policy, ratePerSecond } = this.config.registry;
    if (policy === 'former')
      return this.stored.saveThreshold(adjustThreshold(known, latenessMs, elapsedMs), now);
    const due = (await this.stored.listDue(now, MAX_DUE_LOOKED_AT)).length;
    const current = balanceThreshold(known.current, due / dueAimedAt(ratePerSecond), elapsedMs);
    await this.stored.saveThreshold({ steady: current, current }, now);
  }

  private async correct(names: readonly ScheduledName[]): Promise<void> {
    await this.stored.move(names.flatMap((name) => this.correctionOf(name) ?? []));
  }

  private correctionOf(name: ScheduledName): MovedMoment | null {
    const to = this.nextCheckAt(name);
    if (!isOutdated(name.nextCheckAt.getTime(), to.getTime(), name.checkedAt.getTime())) return null;
    return { domain: name.domain, from: name.nextCheckAt, to };
  }
}
