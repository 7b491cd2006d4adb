/** The ways in that availability is counted by. */
export const DOORS = ['v1', 'api_v1', 'mcp', 'pages'] as const;
export type Door = (typeof DOORS)[number];

export const OPERATIONS = ['check', 'suggest', 'search'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Share of good minutes: an instance was there, and at most one of twenty requests failed for a fault of ours. */
export const AVAILABILITY_TARGET = 0.999;
/** One of so many failed requests makes a minute bad. */
export const BAD_MINUTE_ONE_IN = 20;

/** What 99 of a hundred requests take at most, in milliseconds. A live check waits for the registry. */
export const LATENCY_OBJECTIVES: Readonly<Record<Operation, number>> = {
  check: 5_000,
  suggest: 300,
  search: 300,
};
export const LATENCY_TARGET = 0.99;

/** What 95 of a hundred events take at most, in seconds. */
export const DELAY_OBJECTIVES = {
  /** From a purge to the event that says what became of the name. */
  feed: 2 * 3_600,
  /** From an event to a receiver that has it. */
  webhook: 60,
  /** From an event to the diff that has it: a day, and an hour to make it. */
  diff: 25 * 3_600,
} as const;
export const DELAY_TARGET = 0.95;
export type Delay = keyof typeof DELAY_OBJECTIVES;
export const DELAYS = Object.keys(DELAY_OBJECTIVES) as Delay[];

/** Longest duration of each bucket in milliseconds; longer ones have one more. Objectives lie on these bounds. */
export const DURATION_BOUNDS_MS = [
  1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 250, 300, 400, 500, 700, 1_000, 1_500,
  2_000, 3_000, 4_000, 5_000, 7_000, 10_000,
] as const;

export const BUCKETS = DURATION_BOUNDS_MS.length + 1;

export function bucketOf(durationMs: number): number {
  const place = DURATION_BOUNDS_MS.findIndex((bound) => durationMs <= bound);
  return place === -1 ? BUCKETS - 1 : place;
}

/** The bound that a share of the requests stayed within; null without requests, or beyond the last bound. */
export function percentileOf(buckets: readonly number[], share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  let counted = 0;
  for (const [place, count] of buckets.entries()) {
    counted += count;
    if (total > 0 && counted >= total * share) return DURATION_BOUNDS_MS[place] ?? null;
  }
  return null;
}

export function countWithin(buckets: readonly number[], boundMs: number): number {
  return buckets.slice(0, bucketOf(boundMs) + 1).reduce((sum, count) => sum + count, 0);
}

// Many names at once, which are posted, take as long as their caller will wait.
const OPERATION_REQUESTS: Readonly<Record<string, Operation>> = {
  'GET /v1/domains/check': 'check',
  'GET /api/v1/domains/check': 'check',
  'GET /v1/suggest': 'suggest',
  'POST /api/v1/suggest': 'suggest',
  'GET /api/v1/search': 'search',
};

/** What a request is counted as; null: it is asked by who runs the service. */
export function doorOf(path: string): Door | null {
  if (path === '/livez' || path === '/readyz') return null;
  if (path.startsWith('/api/v1/')) return 'api_v1';
  if (path.startsWith('/v1/')) return 'v1';
  return /^\/mcp(?:\/account)?\/?$/.test(path) ? 'mcp' : 'pages';
}

export function operationOf(method: string, path: string): Operation | null {
  return OPERATION_REQUESTS[`${method} ${path}`] ?? null;
}

/** The time that is measured: whole minutes, the end not included. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

const MINUTE_MS = 60_000;
/** After the end of a minute every instance has written what it counted in it: it does so every ten seconds. */
const WRITTEN_AFTER_MS = 20_000;

/** From the minute of `from` to the last that is over and written. */
export function writtenMinutes(from: Date, now: Date): Span {
  return { from: minuteOf(from.getTime()), to: minuteOf(now.getTime() - WRITTEN_AFTER_MS) };
}

function minuteOf(timeMs: number): Date {
  return new Date(Math.floor(timeMs / MINUTE_MS) * MINUTE_MS);
}
