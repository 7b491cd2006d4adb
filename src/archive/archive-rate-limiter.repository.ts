import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database, type Clock } from '../db/database.js';
import type { ArchiveAnswer, ArchiveClient } from './archive-client.js';

type ArchiveTurn =
  | { readonly granted: true }
  /** When there may be a turn, in milliseconds from now. */
  | { readonly granted: false; readonly againInMs: number; readonly isResting: boolean };

/** How the archive does, as all instances together have seen it. */
interface ArchiveServiceState {
  readonly nextTurnAt: Date;
  /** Until when it is left alone, and why; null when it is not. */
  readonly restUntil: Date | null;
  readonly restReason: string | null;
  /** Questions without an answer since the last answer. */
  readonly failuresInRow: number;
  readonly lastAskedAt: Date | null;
  readonly lastAnsweredAt: Date | null;
}

/** Longest rest believed: neither a mistaken header nor a clock set back may silence the installation for years. */
const MAX_REST_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;
/** What -infinity, at which the row begins, stands for. */
const LONG_AGO = new Date(0);

/** The one pace at which the whole installation asks the archive, and its rest: archives ban by address. */
@Injectable()
export class ArchiveRateLimiter {
  private readonly gapMs: number;

  constructor(
    private readonly database: Database,
    { archive }: Config,
  ) {
    this.gapMs = MINUTE_MS / archive.ratePerMinute;
  }

  /**
   * Takes a turn to ask now, or returns at once without one. A late turn leaves the next turn where it was, by one
   * gap at most: the average pace is kept and at most one question is made up for. A time further ahead than these
   * rules allow is ignored: the clock was set back or the pace was changed.
   */
  async take(now: Date): Promise<ArchiveTurn> {
    const [taken] = await this.database.transaction((transaction) =>
      transaction.query(
        `UPDATE archive_service
            SET last_asked_at = $1,
                next_turn_at = CASE WHEN next_turn_at > $1 THEN $1
                                    ELSE greatest(next_turn_at, $1 - $2 * interval '1 ms') END
                               + $2 * interval '1 ms'
          WHERE (next_turn_at <= $1 OR next_turn_at > $1 + $2 * interval '1 ms')
            AND (rest_until IS NULL OR rest_until <= $1 OR rest_until > $1 + $3 * interval '1 ms')
         RETURNING true`,
        [now, this.gapMs, MAX_REST_MS],
      ),
    );
    if (taken) return { granted: true };
    const { nextTurnAt, restUntil } = await this.read();
    const againAt = Math.max(nextTurnAt.getTime(), restUntil?.getTime() ?? 0);
    return {
      granted: false,
      againInMs: Math.max(1, againAt - now.getTime()),
      isResting: restUntil !== null && restUntil > now,
    };
  }

  /** The archive answered: resets its failures and its rest. */
  async noteAnswer(now: Date): Promise<void> {
    await this.database.query(
      `UPDATE archive_service
          SET failures_in_row = 0, rest_until = NULL, rest_reason = NULL, last_answered_at = $1`,
      [now],
    );
  }

  async noteFailure(): Promise<number> {
    const [row] = await this.database.query<{ failures: number }>(
      'UPDATE archive_service SET failures_in_row = failures_in_row + 1 RETURNING failures_in_row AS failures',
      [],
    );
    return row?.failures ?? 1;
  }

  /** Leaves the archive alone, on all instances; a longer rest that is under way stays. */
  async rest(now: Date, restMs: number, reason: string): Promise<void> {
    const until = new Date(now.getTime() + Math.min(restMs, MAX_REST_MS));
    await this.database.query(
      `UPDATE archive_service SET rest_until = $1, rest_reason = $2
        WHERE rest_until IS NULL OR rest_until < $1`,
      [until, reason],
    );
  }

  async read(): Promise<ArchiveServiceState> {
    const [row] = await this.database.query<{
      nextTurnAt: Date | null;
      restUntil: Date | null;
      restReason: string | null;
      failuresInRow: number;
      lastAskedAt: Date | null;
      lastAnsweredAt: Date | null;
    }>(
      `SELECT nullif(next_turn_at, '-infinity') AS "nextTurnAt", rest_until AS "restUntil", rest_reason AS "restReason",
              failures_in_row AS "failuresInRow", last_asked_at AS "lastAskedAt", last_answered_at AS "lastAnsweredAt"
         FROM archive_service`,
    );
    if (!row) throw new Error('archive_service has lost its row');
    return { ...row, nextTurnAt: row.nextTurnAt ?? LONG_AGO };
  }
}

/** Longest wait of an operator at a terminal, as jobs may take turns first. */
const MAX_WAIT_MS = 60_000;

interface Asker {
  readonly client: ArchiveClient;
  readonly turns: ArchiveRateLimiter;
  readonly clock: Clock;
}

/**
 * Asks about one name as soon as the installation's pace has a turn.
 *
 * @throws when the archive rests, or no turn comes within MAX_WAIT_MS
 */
export async function askByHand(
  { client, turns, clock }: Asker,
  domain: string,
  signal: AbortSignal,
): Promise<{ answer: ArchiveAnswer; askedAt: Date }> {
  const giveUpAt = (await clock.now()).getTime() + MAX_WAIT_MS;
  for (;;) {
    const now = await clock.now();
    const turn = await turns.take(now);
    if (turn.granted) return { answer: await client.ask(domain, now, signal), askedAt: now };
    const again = new Date(now.getTime() + turn.againInMs);
    if (turn.isResting)
      throw new Error(`The archive wants to be left alone until ${again.toISOString()}; it was not asked.`);
    if (again.getTime() > giveUpAt)
      throw new Error('Others ask the archive all the time; no turn came. Try again.');
    await sleep(turn.againInMs, undefined, { signal });
  }
}
