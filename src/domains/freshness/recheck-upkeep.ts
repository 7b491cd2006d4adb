import { Injectable } from '@nestjs/common';
import { Freshness } from './freshness.js';
import {
  RecheckMomentRepository,
  type MovedMoment,
  type ScheduledName,
} from './recheck-moment.repository.js';
import { TakenRateRepository } from './taken-rate.repository.js';
import { adjustThreshold, FIRST_THRESHOLD, isOutdated } from './threshold.js';
import { MAX_DUE_LOOKED_AT, SWEPT_AT_ONCE, UPKEEP_EVERY_MS } from './upkeep.js';

/** Beyond this without an answer, lateness says that the registry is away, and not that too much is asked. */
const MAX_SILENCE_MS = 30 * 60_000;

/** What is done once a minute so that the moments of the next questions stay right. */
@Injectable()
export class RecheckUpkeep {
  constructor(
    private readonly freshness: Freshness,
    private readonly moments: RecheckMomentRepository,
    private readonly takenRates: TakenRateRepository,
  ) {}

  /**
   * Moves the threshold by how late the queue runs; looks whether those who are due would still be, and over some of all the
   * others.
   *
   * @param after where the last sweep ended, '' at first
   * @returns where this one ended, '' at the end of the alphabet
   */
  async keepUp(now: Date, after: string): Promise<string> {
    const first = await this.moments.findFirstMoment();
    if (first) await this.adjust(now, first);
    await this.freshness.refresh();
    await this.correct(await this.moments.listDue(now, MAX_DUE_LOOKED_AT));
    const { names, last } = await this.moments.listBehind(after, SWEPT_AT_ONCE);
    await this.correct(names);
    return last ?? '';
  }

  private async adjust(now: Date, first: Date): Promise<void> {
    const latenessMs = now.getTime() - first.getTime();
    const [before, { observedAt }] = await Promise.all([
      this.moments.readThreshold(),
      this.takenRates.read(),
    ]);
    const isSilent = observedAt === null || now.getTime() - observedAt.getTime() > MAX_SILENCE_MS;
    if (latenessMs > 0 && isSilent) return;
    const elapsedMs = before ? now.getTime() - before.adjustedAt.getTime() : UPKEEP_EVERY_MS;
    await this.moments.saveThreshold(adjustThreshold(before ?? FIRST_THRESHOLD, latenessMs, elapsedMs), now);
  }

  private async correct(names: readonly ScheduledName[]): Promise<void> {
    await this.moments.move(names.flatMap((name) => this.correctionOf(name) ?? []));
  }

  private correctionOf(name: ScheduledName): MovedMoment | null {
    const to = this.freshness.nextAskAt(name);
    if (!isOutdated(name.askAt.getTime(), to.getTime(), name.checkedAt.getTime())) return null;
    return { domain: name.domain, from: name.askAt, to };
  }
}
