import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';
import { DatabaseUnavailable } from '../errors/database-failure.js';
import type { RegistrySource, Service } from './answer.js';
import {
  schedule,
  EMPTY_LINE,
  type Pace,
  type TurnDecision,
  type FairQueue,
  type TurnWish,
} from './fair-queue.js';

/** What keeps all instances from asking a service now. */
export interface Obstacles {
  /** How long the registry still wants to be left alone; null when it does not. */
  readonly pausedMs: number | null;
  /** How long the circuit breaker stays open; 0 or less when a probe is due; null when it is closed. */
  readonly openMs: number | null;
}

/** A wish, and the moment at which it is decided on, by the dataset's clock. */
export interface Draw {
  readonly wish: TurnWish;
  readonly now: Date;
}

interface LineRow extends Obstacles {
  readonly version: string;
  readonly fullAt: number;
  readonly line: Partial<Omit<FairQueue, 'fullAt'>>;
}

// By PostgreSQL's clock: it is about the service of this moment.
const OBSTACLES = `
  (SELECT extract(epoch FROM until - $3::timestamptz) * 1000
     FROM registry_pause WHERE source = $1 AND until > $3)::float8 AS "pausedMs",
  (SELECT extract(epoch FROM open_until - clock_timestamp()) * 1000
     FROM registry_health WHERE source = $1 AND address = $2)::float8 AS "openMs"`;

/** All SQL on the turns to ask the registry, and on its pauses. */
@Injectable()
export class TurnRepository {
  private line: Promise<unknown> = Promise.resolve();

  constructor(private readonly database: Database) {}

  /**
   * Takes a turn of the installation, or a place in its line. Nothing is locked between reading and writing, so no
   * instance that stands still keeps the others waiting: who finds the row changed decides again. Within an instance
   * one goes after the other.
   *
   * @param draw read when the turn is drawn, which may be long after it was asked for
   */
  takeTurn(service: Service, pace: Pace, draw: () => Draw): Promise<TurnDecision & Obstacles> {
    const turn = this.line.then(() => this.tryTurn(service, pace, draw));
    // Of a database that does not answer, those behind fail too: each would wait for it, one after the other.
    // A run that lost its lease, or a caller who hung up, fails alone.
    const line = turn.catch((error: unknown) => {
      if (error instanceof DatabaseUnavailable) throw error;
    });
    this.line = line;
    line.catch(() => {
      if (this.line === line) this.line = Promise.resolve();
    });
    return turn;
  }

  private async tryTurn(service: Service, pace: Pace, draw: () => Draw): Promise<TurnDecision & Obstacles> {
    for (;;) {
      const { wish, now } = draw();
      // So the line of this instance is never longer than callers may wait, however slow the database is.
      if (wish.maxWaitMs < 0) return outOfTime(pace);
      const { version, fullAt, line, pausedMs, openMs } = await this.read(service, now);
      const known: FairQueue = { ...EMPTY_LINE, ...line, fullAt };
      const mayAsk = pausedMs === null && (openMs === null || openMs <= 0);
      const decision = mayAsk
        ? schedule(known, pace, wish, now.getTime())
        : { line: without(known, wish.id), granted: false, waitMs: 0, retryMs: null };
      if (await this.write(version, known, decision.line)) return { ...decision, pausedMs, openMs };
    }
  }

  private async read({ source, address }: Service, now: Date): Promise<LineRow> {
    const [row] = await this.database.kept<LineRow>(
      `SELECT version, extract(epoch FROM full_at)::float8 * 1000 AS "fullAt", line, ${OBSTACLES} FROM registry_pace`,
      [source, address, now],
    );
    if (!row) throw new Error('registry_pace has lost its row');
    return row;
  }

  /** @returns whether the row was still the same */
  private async write(version: string, known: FairQueue, { fullAt, ...line }: FairQueue): Promise<boolean> {
    const isNews = fullAt !== known.fullAt || placesOf(line) !== placesOf(known);
    if (!isNews) return true;
    const rows = await this.database.kept(
      `UPDATE registry_pace
          SET version = version + 1, full_at = to_timestamp($2::float8 / 1000), line = $3
        WHERE version = $1 RETURNING version`,
      [version, fullAt, JSON.stringify(line)],
    );
    return rows.length > 0;
  }

  /** How many callers wait in the line; one that has not come back for its turn died with its process. */
  async countWaiting(now: Date): Promise<number> {
    const [row] = await this.database.kept<{ line: Partial<FairQueue> | null }>(
      'SELECT line FROM registry_pace',
    );
    return (row?.line?.waiting ?? []).filter(
      ({ asker, lapsesAt }) => asker === undefined && lapsesAt > now.getTime(),
    ).length;
  }

  /** Leaves the source alone for so long, on all instances; a longer pause that is already known stays. */
  async pause(source: RegistrySource, seconds: number, now: Date): Promise<void> {
    await this.database.kept(
      `INSERT INTO registry_pause AS known (source, until)
       VALUES ($1, $3::timestamptz + make_interval(secs => $2))
       ON CONFLICT (source) DO UPDATE SET until = greatest(known.until, excluded.until)`,
      [source, seconds, now],
    );
  }
}

function outOfTime({ maxWaitMs }: Pace): TurnDecision & Obstacles {
  const line = { ...EMPTY_LINE, fullAt: 0 };
  return { line, granted: false, waitMs: maxWaitMs, retryMs: null, pausedMs: null, openMs: null };
}

function placesOf({ waiting }: Pick<FairQueue, 'waiting'>): string {
  return JSON.stringify(waiting);
}

function without(line: FairQueue, id: string): FairQueue {
  return { ...line, waiting: line.waiting.filter((other) => other.id !== id) };
}
