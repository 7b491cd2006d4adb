import type { WorkCursor } from '../../work/kind.js';

/** The job that asks the registry about the names of all queues. */
export const QUESTIONS = 'questions';

const HOUR_SECONDS = 3_600;
/** Less says too little about the pace. */
const MIN_BUSY_SECONDS = 60;
/** Names that wait get an answer within this time, unless the registry is out of order. */
const MAX_SILENCE_SECONDS = 15 * 60;
/** At a slow pace, turns in which one answer has to come. */
const MAX_SILENT_TURNS = 20;

/** One run of the job. */
export interface TurnRun {
  readonly at: Date;
  /** Turns that it spent. */
  readonly asked: number;
  /** Whether the next turn is awaited; false: nothing is left to ask, or the registry is away. */
  readonly isBusy: boolean;
}

/** The same in the job's cursor: the last run, and the sums of this hour and the one before. */
type TurnCount = {
  readonly run_at: string;
  readonly run_asked: number;
  readonly is_busy: boolean;
  readonly hour_at: string;
  readonly asked: number;
  readonly busy_s: number;
  readonly former_asked: number;
  readonly former_busy_s: number;
};

/** Adds a run to the count. What the run before it spent has then taken until now. */
export function countTurns(cursor: WorkCursor | null, { at, asked, isBusy }: TurnRun): TurnCount {
  const run = { run_at: at.toISOString(), run_asked: asked, is_busy: isBusy };
  const known = readCount(cursor);
  if (!known) return { ...run, hour_at: run.run_at, ...NO_TURNS };
  const sums = rolled(known, at);
  const seconds = secondsSince(known.run_at, at);
  const counts = known.is_busy && seconds >= 0 && seconds < HOUR_SECONDS;
  return {
    ...run,
    hour_at: sums.hour_at,
    asked: sums.asked + (counts ? known.run_asked : 0),
    busy_s: sums.busy_s + (counts ? seconds : 0),
    former_asked: sums.former_asked,
    former_busy_s: sums.former_busy_s,
  };
}

/**
 * Turns a second that the queues get beside callers, canaries and the sample, of the last hour as far as names waited.
 *
 * @param configured the pace of the installation, which stands in where nothing is measured
 * @returns null while names wait and none is asked
 */
export function turnsPerSecond(cursor: WorkCursor | null, now: Date, configured: number): number | null {
  const known = readCount(cursor);
  if (!known) return configured;
  const sums = rolled(known, now);
  const formerShare = 1 - Math.max(0, secondsSince(sums.hour_at, now)) / HOUR_SECONDS;
  const busySeconds = sums.busy_s + formerShare * sums.former_busy_s;
  if (busySeconds < MIN_BUSY_SECONDS) return configured;
  const asked = sums.asked + formerShare * sums.former_asked;
  return asked === 0 ? null : Math.min(configured, asked / busySeconds);
}

/** The longest time without an answer, while names wait, that is no outage. */
export function maxSilenceSeconds(ratePerSecond: number): number {
  return Math.max(MAX_SILENCE_SECONDS, MAX_SILENT_TURNS / ratePerSecond);
}

const NO_TURNS = { asked: 0, busy_s: 0, former_asked: 0, former_busy_s: 0 };

function readCount(cursor: WorkCursor | null): TurnCount | null {
  // A former release kept no count.
  return typeof cursor?.run_at === 'string' ? (cursor as TurnCount) : null;
}

function rolled(count: TurnCount, now: Date): Omit<TurnCount, 'run_at' | 'run_asked' | 'is_busy'> {
  const age = secondsSince(count.hour_at, now);
  if (age < HOUR_SECONDS) return count;
  if (age >= 2 * HOUR_SECONDS) return { ...NO_TURNS, hour_at: now.toISOString() };
  return {
    ...NO_TURNS,
    hour_at: new Date(Date.parse(count.hour_at) + HOUR_SECONDS * 1_000).toISOString(),
    former_asked: count.asked,
    former_busy_s: count.busy_s,
  };
}

function secondsSince(at: string, now: Date): number {
  return (now.getTime() - Date.parse(at)) / 1_000;
}
