/** The ways in that availability is counted by. */
export const DOORS = ['v1', 'api_v1', 'mcp', 'pages'] as const;
export type Door = (typeof DOORS)[number];

/** What callers wait for. */
export const OPERATIONS = ['check', 'suggest', 'search'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Share of minutes that are good: some instance was there, and no more than one of twenty requests failed for a fault of ours. */
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
