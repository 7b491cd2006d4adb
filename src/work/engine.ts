import { Injectable, Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { LeaseLostError } from '../db/database.js';
import { fenced } from '../db/scope.js';
import { tracedRun } from '../db/traced.js';
import { isSqlState, LOCK_NOT_AVAILABLE } from '../errors/database-failure.js';
import { messageOf } from '../validation/unknown-values.js';
import {
  backOffMs,
  DeadlineError,
  DEADLINE_MS,
  GRACE_MS,
  type Kind,
  longestMs,
  WorkKinds,
  type WorkResult,
} from './kind.js';
import { type ClaimedWork, type EndedWork, fenceOf, WorkRepository } from './work.repository.js';

/** From one sign of life to the next; three fit into a lease. */
const BEAT_EVERY_MS = 5_000;
/** Runs that end within this time are written down together. */
const GATHER_MS = 2;
/** From a run that found a lock held to the next look. */
const UNLOCKED_IN_MS = 5_000;
/** Times its places, that a kind runs keys while some became slow under way. */
const MAX_SLOWED = 4;
/** Characters of an error that are kept. */
const MAX_ERROR_LENGTH = 500;

/** The result of one poll for due keys. */
export interface Step {
  /** Each resolves when its run is recorded, and never rejects: whether its key is due again at once. */
  readonly begun: readonly Promise<boolean>[];
  /** When the first of the keys that wait is due; null when none waits. */
  readonly nextDue: Date | null;
}

interface Running {
  readonly work: ClaimedWork;
  isSlow: boolean;
  readonly cut: AbortController;
  ended: Promise<unknown>;
}

/** Runs the work of this process's kinds. Any number of processes may; a key runs in one of them at a time. */
@Injectable()
export class Engine {
  private readonly logger = new Logger('Work');
  private readonly holder = randomUUID();
  private readonly running = new Map<string, Running>();
  private unrecorded: EndedWork[] = [];
  private recording: Promise<Map<string, boolean>> | null = null;
  private beatAt: Date | null = null;
  /** When the first lease ends, of a process that may have died. */
  private reapAt: Date | null = null;
  private isStopping = false;

  constructor(
    private readonly kinds: WorkKinds,
    private readonly repository: WorkRepository,
  ) {}

  /** Does one run of every key that is due. @returns whether one of them is due again at once */
  async runDue(now: Date): Promise<boolean> {
    const { begun } = await this.step(now);
    return (await Promise.all(begun)).includes(true);
  }

  /**
   * Starts due keys without waiting for them.
   * @throws {DatabaseUnavailable}
   */
  async step(now: Date): Promise<Step> {
    const kinds = this.kinds.all;
    if (this.isStopping || kinds.length === 0) return { begun: [], nextDue: null };
    if (this.unrecorded.length > 0) await this.record();
    if (!this.beatAt || Math.abs(now.getTime() - this.beatAt.getTime()) >= BEAT_EVERY_MS)
      await this.beat(now);
    else if (this.reapAt && this.reapAt <= now) this.reapAt = await this.repository.reap(now);
    const names = kinds.map(({ name }) => name);
    const { ready, nextDue } = await this.repository.promote(names, now);
    const places = kinds
      .filter(({ name }) => ready.includes(name))
      .flatMap((kind) => this.freePlaces(kind))
      .filter(({ free }) => free > 0);
    if (places.length === 0) return { begun: [], nextDue };
    const claimed = await this.repository.claim(this.holder, places, now);
    return { begun: claimed.map((work) => this.begin(this.kinds.get(work.kind), work, now)), nextDue };
  }

  /** Stops running keys and releases them to other processes at once. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const running = [...this.running.values()];
    for (const { cut } of running) cut.abort(new Error('the process stops'));
    const graceMs = running.map(({ work }) => this.kinds.get(work.kind).graceMs ?? GRACE_MS);
    const ended = Promise.all(running.map(({ ended }) => ended));
    await Promise.race([ended, sleep(Math.max(0, ...graceMs), undefined, { ref: false })]);
    if (this.beatAt) await this.repository.release(this.holder);
  }

  /** Runs that became slow under way count as slow: with them a process runs up to four times as many keys. */
  private freePlaces(kind: Kind): { kind: Kind; isSlow: boolean; free: number }[] {
    const { atOnce = 1, slowAtOnce } = kind;
    const running = [...this.running.values()].filter(({ work }) => work.kind === kind.name);
    if (slowAtOnce === undefined) return [{ kind, isSlow: false, free: atOnce - running.length }];
    const slow = running.filter(({ isSlow }) => isSlow).length;
    const prompt = running.length - slow;
    return [
      {
        ...{ kind, isSlow: false },
        free: Math.min(atOnce - prompt - Math.min(slow, slowAtOnce), MAX_SLOWED * atOnce - running.length),
      },
      { kind, isSlow: true, free: Math.min(atOnce - running.length, slowAtOnce - slow) },
    ];
  }

  private async beat(now: Date): Promise<void> {
    const kinds = this.kinds.all;
    const process = `${hostname()}:${globalThis.process.pid}`;
    const held = await this.repository.beat(
      this.holder,
      process,
      kinds.map(({ name }) => name),
      now,
    );
    const fences = new Set(held.map(placeOf));
    for (const { work, cut } of this.running.values())
      if (!fences.has(placeOf(work))) cut.abort(new LeaseLostError());
    await this.repository.schedule(kinds, now);
    this.reapAt = await this.repository.reap(now);
    this.beatAt = now;
  }

  private begin(kind: Kind, work: ClaimedWork, now: Date): Promise<boolean> {
    const { cut, isOverdue, clear } = timeLimits(kind);
    const running: Running = { work, cut, isSlow: work.isSlow, ended: Promise.resolve() };
    this.running.set(placeOf(work), running);
    // The key may be a name.
    const run = tracedRun(`job ${kind.name}`, { 'bowerbird.job': kind.name }, () =>
      fenced(fenceOf(this.holder, work), () =>
        kind.run(work, now, cut.signal, () => (running.isSlow = true)),
      ),
    );
    const place = placeOf(work);
    const settled = Promise.race([run, isOverdue])
      .then(
        (result) => this.ended(kind, work, now, result),
        (error: unknown) => this.broken(work, now, error, cut.signal.reason instanceof DeadlineError),
      )
      .finally(() => {
        clear();
        this.running.delete(place);
      });
    running.ended = settled;
    return settled;
  }

  private ended(kind: Kind, work: ClaimedWork, at: Date, result: WorkResult): Promise<boolean> {
    const limitMs = kind.everyMs === undefined ? Infinity : longestMs(kind);
    const inMs = result.againInMs ?? kind.everyMs;
    const dueAt = inMs === undefined ? null : new Date(at.getTime() + Math.max(0, Math.min(inMs, limitMs)));
    return this.note({
      ...placed(work),
      ...{ at, outcome: 'done', dueAt, cursor: result.cursor, isSlow: result.isSlow },
    });
  }

  private async broken(work: ClaimedWork, at: Date, error: unknown, hasOverrun: boolean): Promise<boolean> {
    const { kind, key, failures } = work;
    const name = key === '' ? kind : `${kind} ${key}`;
    if (this.isStopping || error instanceof LeaseLostError) {
      this.logger.log(`A run of ${name} was broken off: ${messageOf(error)}`);
      return false;
    }
    // The first import holds the dataset for minutes: that is no failure.
    if (isSqlState(error, LOCK_NOT_AVAILABLE)) {
      this.logger.debug(`${name} is put off: what it would write is locked`);
      return this.note({
        ...placed(work),
        at,
        outcome: 'put off',
        dueAt: new Date(at.getTime() + UNLOCKED_IN_MS),
      });
    }
    const message = messageOf(error).slice(0, MAX_ERROR_LENGTH);
    this.logger.warn(`${name} failed and backs off: ${message}`);
    const dueAt = new Date(at.getTime() + backOffMs(failures));
    return this.note({ ...placed(work), at, outcome: 'failed', dueAt, error: message, hasOverrun });
  }

  private async note(end: EndedWork): Promise<boolean> {
    this.unrecorded.push(end);
    this.recording ??= sleep(GATHER_MS).then(() => {
      this.recording = null;
      return this.record();
    });
    try {
      const written = await this.recording;
      const isDueAgain = end.outcome === 'done' && end.dueAt !== null && end.dueAt <= end.at;
      return isDueAgain && written.get(placeOf(end)) === true;
    } catch (error) {
      this.logger.warn(`The end of ${end.kind} is recorded later: ${messageOf(error)}`);
      return false;
    }
  }

  /**
   * Results that cannot be written are kept for the next step: the database is away, or a run that did not end in
   * time has its row locked.
   *
   * @returns whether each was written, without the results whose key was lost
   */
  private async record(): Promise<Map<string, boolean>> {
    const ended = this.unrecorded;
    this.unrecorded = [];
    try {
      const rows = await this.repository.end(this.holder, ended);
      const kept = new Map(rows.map((row) => [placeOf(row), row.isWritten]));
      this.unrecorded.push(...ended.filter((end) => kept.get(placeOf(end)) === false));
      return kept;
    } catch (error) {
      this.unrecorded.push(...ended);
      throw error;
    }
  }
}

const placeOf = ({ kind, key, fence }: { kind: string; key: string; fence: string }) =>
  `${kind} ${key} ${fence}`;
const placed = ({ kind, key, fence }: ClaimedWork) => ({ kind, key, fence });

/** Aborts a run at its deadline, and leaves it behind when it has not ended a while later. */
function timeLimits({ deadlineMs = DEADLINE_MS, graceMs = GRACE_MS }: Kind): {
  cut: AbortController;
  isOverdue: Promise<never>;
  clear: () => void;
} {
  const cut = new AbortController();
  const error = new DeadlineError(deadlineMs);
  const aborted = setTimeout(() => cut.abort(error), deadlineMs).unref();
  let overdue: NodeJS.Timeout | undefined;
  const isOverdue = new Promise<never>((_, fail) => {
    overdue = setTimeout(() => fail(error), deadlineMs + graceMs).unref();
  });
  const clear = () => {
    clearTimeout(aborted);
    clearTimeout(overdue);
  };
  return { cut, isOverdue, clear };
}
