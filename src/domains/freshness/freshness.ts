import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { Outcome } from '../lifecycle/lifecycle.js';
import { type OfferedName, RecheckSchedule } from '../lifecycle/recheck-schedule.js';
import { messageOf } from '../../validation/unknown-values.js';
import { evidenceOf } from './evidence.js';
import { ageInDays, nextAskAt } from './next-ask.js';
import { bandOf } from './rate-cells.js';
import { posteriorTable, priorTable, type RateTable } from './rate-table.js';
import { RecheckMomentRepository } from './recheck-moment.repository.js';
import { TakenRateRepository } from './taken-rate.repository.js';
import { FIRST_THRESHOLD } from './threshold.js';
import { UPKEEP_EVERY_MS } from './upkeep.js';

const DAY_MS = 86_400_000;

/** What the choice rests on, as every instance has it from PostgreSQL. */
interface Belief {
  readonly rates: RateTable;
  /** The current one. */
  readonly threshold: number;
}

/**
 * When each name on offer is asked about again: where a question finds the most false offers, by rates that are learned from
 * the answers. Every instance reads them once a minute; whichever runs the jobs moves them.
 */
@Injectable()
export class Freshness extends RecheckSchedule {
  private readonly logger = new Logger('Freshness');
  private readonly prior = priorTable();
  private readonly offerMaxAgeDays: number;
  private belief: Belief = { rates: this.prior, threshold: FIRST_THRESHOLD.current };
  private readAtMs = -Infinity;
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly takenRates: TakenRateRepository,
    private readonly moments: RecheckMomentRepository,
    { lifecycle }: Config,
  ) {
    super();
    this.offerMaxAgeDays = lifecycle.offerMaxAgeMs / DAY_MS;
  }

  /** Reads once a minute. Where that fails, what was believed before holds. */
  override prepare(): Promise<void> {
    if (performance.now() - this.readAtMs > UPKEEP_EVERY_MS) {
      this.reading = this.refresh().catch((error: unknown) =>
        this.logger.warn(`The rates at which names are taken could not be read: ${messageOf(error)}`),
      );
    }
    return this.reading;
  }

  /** Waits for nothing, as it is asked inside of transactions. */
  override nextAskAt(name: OfferedName): Date {
    return nextAskAt(name, this.belief.rates, this.belief.threshold, this.offerMaxAgeDays);
  }

  /** Reads rates and threshold. @throws {DatabaseUnavailable}, and the belief stays as it was */
  async refresh(): Promise<void> {
    this.readAtMs = performance.now();
    const [{ exposureDays, taken }, threshold] = await Promise.all([
      this.takenRates.read(),
      this.moments.readThreshold(),
    ]);
    this.belief = {
      rates: posteriorTable(this.prior, exposureDays, taken),
      threshold: (threshold ?? FIRST_THRESHOLD).current,
    };
  }

  /**
   * Learns from the answer to a question of our own choice about a name that was on offer. Callers' questions teach nothing:
   * they ask about names that somebody is about to take.
   *
   * @param answeredAt checkedAt of the answer
   */
  async learn({ from, to, name }: Outcome, answeredAt: Date): Promise<void> {
    if (!name?.checkedAt || (from !== 'available' && from !== 'stale')) return;
    const isTaken = to === 'taken';
    if (!isTaken && to !== 'available') return;
    const asked = { ...name, checkedAt: name.checkedAt };
    const days = (answeredAt.getTime() - asked.checkedAt.getTime()) / DAY_MS;
    if (days <= 0) return;
    const age = ageInDays(asked, asked.checkedAt);
    await this.takenRates.add(
      evidenceOf(this.belief.rates, bandOf(name.wayback), age, days, isTaken),
      answeredAt,
    );
  }
}
