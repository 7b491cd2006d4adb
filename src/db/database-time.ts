/** What PostgreSQL's clock said last, and when by a clock that cannot be set. */
let heard: { readonly now: number; readonly at: number } | undefined;

/** @param now what PostgreSQL's clock says at this moment */
export function hearTime(now: Date): void {
  heard = { now: now.getTime(), at: performance.now() };
}

/** The time by PostgreSQL's clock as this process knows it; before it has heard that clock, by its own. */
export function timeOfDatabase(): Date {
  return new Date(heard ? heard.now + performance.now() - heard.at : Date.now());
}

/** How far the clock of this process is ahead of PostgreSQL's, to the second: of two that agree, 0. */
export function aheadOfDatabaseMs(): number {
  return Math.round((Date.now() - timeOfDatabase().getTime()) / 1_000) * 1_000;
}
