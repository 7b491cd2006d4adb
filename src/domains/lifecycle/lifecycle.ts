import { Logger } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { Closing, type Database, type Queryable } from '../../db/database.js';
import { isReservedForGood } from '../name/name-rules.js';
import type { FeedType } from '../schema/events.js';
import type { DomainState } from '../schema/states.js';
import { countNames, moveName } from '../search/cube/cube.repository.js';
import { judgeAnswer, newDropOf, type ObservedAnswer } from './answer-moves.js';
import { type HeldName, holdName, publish, restsMuch, writeVerdict } from './answers.repository.js';
import {
  findUnscheduled,
  markPurged,
  markStale,
  tellOfPurges,
  withdraw,
  writeNextQuestion,
  writeSchedule,
} from './expiry.repository.js';
import {
  countFlip,
  type GuardState,
  liftGuard,
  listResumedWrites,
  readGuard,
  type ResumedWrites,
} from './guard.repository.js';
import {
  deleteName,
  eventOfShowing,
  offerDelta,
  writeHidden,
  type ObservedScore,
  writeScore,
} from './name-writes.repository.js';

// Checks wait too. A batch of an import holds its names for 100 ms as a rule. With 200 ms, 78 writes of the answers for
// 595 names failed on a server with six times the load it can take.
const LOCK_TIMEOUT_MS = 1_000;

/** What an operator types to have answers written again. */
export const RESUME_COMMAND = 'npm run bowerbird -- circuit reset --reason TEXT';

/** What became of an observation. */
export interface Outcome {
  readonly known: boolean;
  readonly from: DomainState | null;
  readonly to: DomainState | null;
  readonly event: FeedType | null;
  /** Whether the answer counts only when another one, minutes later, says the same. */
  readonly needsSecondAnswer: boolean;
  /** Whether nothing was written because the guard has stopped all writes of answers. */
  readonly isStopped: boolean;
  /**
   * A change of the operator's lists since the answer was given: a process reads the lists every half minute. `held`:
   * the name is reserved now; `released`: it is not reserved any more, and nothing was written.
   */
  readonly hold: 'held' | 'released' | null;
  /** The name when it was asked about, for the statistics of answers. */
  readonly name: Pick<HeldName, 'suffix' | 'wayback' | 'purgeAt' | 'droppedAt' | 'checkedAt'> | null;
}

const UNKNOWN: Outcome = {
  known: false,
  from: null,
  to: null,
  event: null,
  needsSecondAnswer: false,
  isStopped: false,
  hold: null,
  name: null,
};

/** Written with an observation, such as the evidence of an answer, or who gave an operator's word. */
type Also = (transaction: Queryable) => Promise<void>;

/**
 * The one writer of the dataset: every observation of a name comes here, and its changes are decided here. Row,
 * event and counters change in one transaction. Locks are taken in this order: the row of the name, the guard's,
 * the dataset's.
 */
export class Lifecycle {
  private readonly logger = new Logger(Lifecycle.name);
  readonly lockTimeoutMs: number = LOCK_TIMEOUT_MS;

  constructor(
    private readonly database: Database,
    private readonly rules: Config['lifecycle'],
    private readonly schedule: RecheckSchedule,
  ) {}

  /**
   * A registry has answered for a name.
   *
   * @param also written in the same transaction, with which COMMIT travels: statements that wait for no answer
   * @throws SQLSTATE 55P03 when another writer holds the locks for longer than LOCK_TIMEOUT_MS; nothing is written then
   */
  async observeAnswer(domain: string, answer: ObservedAnswer, also?: Also): Promise<Outcome> {
    await this.schedule.prepare();
    return this.write(async (transaction) => {
      const name = await holdName(transaction, domain);
      const outcome = name ? await this.apply(transaction, domain, name, answer) : UNKNOWN;
      return also ? new Closing(also(transaction).then(() => outcome)) : outcome;
    });
  }

  /** Whether a second service has to bear out that a name is available, where there is one. */
  needsTwoServices(domain: string, now: Date): Promise<boolean> {
    return restsMuch(this.database, domain, this.rules.twoServicesMinScore, now);
  }

  /**
   * Time has passed: names whose purge is over wait for their confirmation.
   *
   * @returns how many those were, `limit` at most; when it is that many there may be more
   * @throws as observeAnswer does
   */
  observePurges(now: Date, limit: number): Promise<number> {
    return this.write(async (transaction) => {
      const { count, news } = await markPurged(transaction, now, limit);
      if (news.length > 0) await tellOfPurges(transaction, news, now);
      return count;
    });
  }

  /**
   * Time has passed: names whose last answer is older than the operator allows are no longer offered.
   *
   * @returns and @throws as observePurges does
   */
  observeStale(now: Date, limit: number): Promise<number> {
    const before = new Date(now.getTime() - this.rules.offerMaxAgeMs);
    return this.write(async (transaction) => {
      const { count, shown } = await markStale(transaction, before, limit);
      if (shown.length > 0) {
        await withdraw(transaction, shown.length);
        await countNames(transaction, shown, -1);
      }
      return count;
    });
  }

  /** The web archive has been asked about a name. @throws as observeAnswer does */
  observeScore(domain: string, score: ObservedScore): Promise<void> {
    return this.write(async (transaction) => {
      const former = await writeScore(transaction, domain, score);
      if (former !== null && score.wayback !== null)
        await moveName(transaction, domain, former, score.wayback);
    });
  }

  /** The registry gave no answer for a name: it is not asked about before then. @throws as observeAnswer does */
  postpone(domain: string, until: Date): Promise<void> {
    return this.write((transaction) => writeNextQuestion(transaction, [domain], until));
  }

  /** Names that an operator no longer holds back are asked about. @param transaction of that change */
  askAgain(domains: readonly string[], at: Date, transaction: Queryable): Promise<void> {
    return writeNextQuestion(transaction, domains, at);
  }

  /**
   * Schedules the next question about names on offer that have none, as an import leaves them; looks at `limit`
   * names behind `after`, in the order of the alphabet.
   *
   * @returns how many it scheduled, and where to go on; null at the end
   */
  async scheduleRechecks(after: string, limit: number): Promise<{ scheduled: number; next: string | null }> {
    const { names, last } = await findUnscheduled(this.database, after, limit);
    if (names.length === 0) return { scheduled: 0, next: last };
    await this.schedule.prepare();
    const schedule = names.map((name) => ({
      domain: name.domain,
      nextCheckAt: this.schedule.nextCheckAt(name),
    }));
    const scheduled = await this.write((transaction) => writeSchedule(transaction, schedule));
    return { scheduled, next: last };
  }

  /**
   * The operator withholds a name from discovery, or shows it again: copies get an event for either, without a reason.
   *
   * @param also written in the same transaction
   * @returns whether it was not so before; null when the dataset does not have the name
   * @throws as observeAnswer does
   */
  async observeHidden(domain: string, hidden: boolean, at: Date, also: Also): Promise<boolean | null> {
    return this.write(async (transaction) => {
      const name = await holdName(transaction, domain);
      if (!name || name.hidden === hidden) return name && false;
      await also(transaction);
      const event = hidden ? 'domain.removed' : eventOfShowing(name.state);
      await writeHidden(transaction, domain, hidden, event);
      await publish(transaction, domain, event, offerDelta(name, hidden), at);
      return true;
    });
  }

  /**
   * The operator has a name forgotten. The next list that has it brings it back.
   *
   * @param also written in the same transaction
   * @returns whether the dataset had it
   * @throws as observeAnswer does
   */
  async forget(domain: string, at: Date, also: Also): Promise<boolean> {
    return this.write(async (transaction) => {
      const name = await holdName(transaction, domain);
      if (!name) return false;
      await also(transaction);
      // One that is withheld has been told of.
      if (!name.hidden) await publish(transaction, domain, 'domain.removed', offerDelta(name, true), at);
      await deleteName(transaction, domain);
      return true;
    });
  }

  /** What the guard has seen, and whether answers are written. */
  readGuard(): Promise<GuardState> {
    return readGuard(this.database);
  }

  /**
   * The operator has looked into what the guard stopped for: answers are written again.
   *
   * @returns the record of the stop; null when there was none
   */
  resumeWrites(by: string, at: Date, source: Queryable = this.database): Promise<ResumedWrites | null> {
    return liftGuard(source, by, at);
  }

  /** The last times that writes were resumed, the newest first. */
  listResumedWrites(limit: number): Promise<ResumedWrites[]> {
    return listResumedWrites(this.database, limit);
  }

  private write<Result>(
    work: (transaction: Queryable) => Promise<Result | Closing<Result>>,
  ): Promise<Result> {
    return this.database.transaction(work, this.lockTimeoutMs);
  }

  private async apply(
    transaction: Queryable,
    domain: string,
    name: HeldName,
    given: ObservedAnswer,
  ): Promise<Outcome> {
    const hold = holdSince(domain, name, given);
    const unchanged = { ...UNKNOWN, known: true, from: name.state, to: name.state, hold, name };
    if (name.isStopped) return { ...unchanged, isStopped: true };
    if (hold === 'released') return unchanged;
    const answer = hold === 'held' ? { ...given, ...RESERVED } : given;
    const verdict = judgeAnswer(name, answer, this.rules.secondAnswerMs);
    if (!verdict) return unchanged;
    if (verdict.isFlip && (await this.stopsWrites(transaction, answer.checkedAt)))
      return { ...unchanged, isStopped: true };
    const newDropAt = newDropOf(name, answer, verdict);
    const droppedAt = newDropAt ?? name.droppedAt;
    const recheckAt =
      verdict.to === 'available'
        ? this.schedule.nextCheckAt({ ...name, droppedAt, checkedAt: answer.checkedAt })
        : null;
    await writeVerdict(transaction, domain, answer, verdict, newDropAt, recheckAt);
    const delta = name.hidden ? 0 : Number(verdict.to === 'available') - Number(name.state === 'available');
    if (verdict.event !== null || delta !== 0)
      await publish(transaction, domain, verdict.event, delta, answer.checkedAt);
    const { to, event, needsSecondAnswer } = verdict;
    return { ...unchanged, to, event, needsSecondAnswer };
  }

  private async stopsWrites(transaction: Queryable, at: Date): Promise<boolean> {
    const reason = await countFlip(transaction, at, this.rules.maxFlipsPerHour);
    if (reason === null) return false;
    this.logger.error(
      `No answer of a registry is written from now on: ${reason}. When the registry can be believed ` +
        `again: ${RESUME_COMMAND}`,
    );
    return true;
  }
}

const RESERVED = { state: 'reserved', source: 'reserved_names', registeredAt: null } as const;

function holdSince(domain: string, { isOnHold }: HeldName, { source }: ObservedAnswer): Outcome['hold'] {
  if (source !== RESERVED.source) return isOnHold ? 'held' : null;
  return isOnHold || isReservedForGood(domain) ? null : 'released';
}

export type { ObservedAnswer, ObservedScore };

/** A name on offer, as the choice of its next question sees it. */
export interface OfferedName {
  /** Null when unknown. */
  readonly droppedAt: Date | null;
  readonly wayback: number;
  /** When the answer was given that the offer rests on. */
  readonly checkedAt: Date;
}

/** When a name on offer is asked about again: ../freshness knows. */
export abstract class RecheckSchedule {
  /** To be awaited before the transaction that asks: brings what the choice rests on up to date. */
  abstract prepare(): Promise<void>;
  abstract nextCheckAt(name: OfferedName): Date;
}
