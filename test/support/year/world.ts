import type { ListKind } from '../../../src/config/product.js';
import { type CaptureRow, capturesOf } from '../../../src/demo/sandbox-archive.js';
import { LIST_HEADER } from '../../../src/demo/sandbox-lists.js';
import { chance, type ListedRow } from './days.js';

export const FIRST_DAY = Date.UTC(2026, 0, 1);
export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** A name on the lists of two such close days has one purge, so the second entry is left out. */
const SAME_PURGE_DAYS = 5;
/** The labels that .au does not allow: a list has them, and nobody takes them in. */
const REFUSED = /^(xn--|[^.]\.)/;

/** A row of a list that is to be taken in. */
export interface Listing extends ListedRow {
  readonly day: number;
  readonly purgeAt: number;
}

/** What the registry says, and since when a name is held, where it tells. */
export type Truth =
  { readonly said: 'free' | 'pending' } | { readonly said: 'held'; readonly registeredAt: number | null };

/** What the archive says: what it has, or that it is asked too often, or an error. */
export type Archived =
  | { readonly captures: readonly CaptureRow[] }
  | { readonly status: 429; readonly retryAfterSeconds: number | null }
  | { readonly status: 500 };

/**
 * A year of lists and of what really happens to the names on them. Everything is a function of the name and the time,
 * so that nothing of it can be lost with a process.
 */
export class YearWorld {
  readonly listings: Listing[] = [];
  private readonly byName = new Map<string, Listing[]>();
  private readonly texts: Record<ListKind, string>[];

  constructor(days: readonly (readonly ListedRow[])[]) {
    this.texts = days.map((rows, day) => {
      const kept = rows.filter(({ domain }) => this.isNew(domain, day));
      for (const row of kept) if (!REFUSED.test(row.domain)) this.add(row, day);
      return { deleted: textOf(kept, 'deleted', day), expired: textOf(kept, 'expired', day) };
    });
  }

  get domains(): string[] {
    return [...this.byName.keys()];
  }

  /** The list of the day that it is; that of the last day stays. */
  listText(kind: ListKind, now: number): string {
    const day = Math.min(this.texts.length - 1, Math.floor((now - FIRST_DAY) / DAY_MS));
    return this.texts[day]?.[kind] ?? '';
  }

  listingsOf(domain: string): readonly Listing[] {
    return this.byName.get(domain) ?? [];
  }

  /**
   * The truth. Of 100 drops 8 are renewed in time, 6 are purged two days late, 6 are caught five minutes after their
   * purge and 30 are taken within days; the rest stays free until shortly before it is listed again, if ever.
   */
  truth(domain: string, at: number): Truth {
    const listings = this.listingsOf(domain);
    const listing = listings.filter(({ day }) => startOf(day) <= at).at(-1);
    if (!listing) return { said: 'held', registeredAt: null };
    const id = `${domain} ${listing.day}`;
    const fate = chance(id);
    const isTold = chance(`${id} is told`) < 0.5;
    if (fate < 0.08) return { said: 'held', registeredAt: isTold ? Date.UTC(2015, 5, 1) : null };
    const freeAt = listing.purgeAt + (fate < 0.14 ? 2 * DAY_MS : 0);
    if (at < freeAt) return { said: 'pending' };
    const takenAt = Math.min(
      freeAt + restAfter(fate, chance(`${id} taken`)),
      beforeNext(freeAt, listings[listings.indexOf(listing) + 1], chance(`${id} next`)),
    );
    return at < takenAt ? { said: 'free' } : { said: 'held', registeredAt: isTold ? takenAt : null };
  }

  /**
   * The archive: in 3 of 100 hours it refuses whoever asks, and on the day on which a name is first listed it fails for
   * one in ten of its questions.
   */
  archived(domain: string, at: number): Archived {
    const hour = Math.floor(at / HOUR_MS);
    const first = startOf(this.listingsOf(domain)[0]?.day ?? 0);
    if (at >= startOf(this.texts.length)) return { captures: capturesOf(domain) };
    if (chance(`archive ${hour}`) < 0.01) return { status: 429, retryAfterSeconds: null };
    if (chance(`archive ${hour}`) < 0.03) return { status: 429, retryAfterSeconds: 120 };
    if (at < first + DAY_MS && chance(`${domain} ${hour}`) < 0.1) return { status: 500 };
    return { captures: capturesOf(domain) };
  }

  /** Days with a capture: all that are made up count. */
  scoreOf(domain: string): number {
    return new Set(capturesOf(domain).map(([timestamp]) => timestamp.slice(0, 8))).size;
  }

  private isNew(domain: string, day: number): boolean {
    const last = this.listingsOf(domain).at(-1);
    return !last || day - last.day >= SAME_PURGE_DAYS;
  }

  private add(row: ListedRow, day: number): void {
    const run = startOf(day) + (row.kind === 'deleted' ? 3 : 3.5) * HOUR_MS;
    const listing = { ...row, day, purgeAt: row.time < '03:00:00' ? run : run + DAY_MS };
    this.listings.push(listing);
    this.byName.set(row.domain, [...this.listingsOf(row.domain), listing]);
  }
}

/** How long a drop stays free. */
function restAfter(fate: number, chanceOfTime: number): number {
  if (fate >= 0.14 && fate < 0.2) return 5 * MINUTE_MS;
  return fate >= 0.7 ? chanceOfTime * 8 * DAY_MS : Infinity;
}

/** Whoever is listed again was registered in between. */
function beforeNext(freeAt: number, next: Listing | undefined, chanceOfTime: number): number {
  return next ? freeAt + (startOf(next.day) - freeAt) * (0.3 + 0.4 * chanceOfTime) : Infinity;
}

const startOf = (day: number): number => FIRST_DAY + day * DAY_MS;

function textOf(rows: readonly ListedRow[], kind: ListKind, day: number): string {
  const date = new Date(startOf(day)).toISOString().slice(0, 10);
  const lines = rows.filter((row) => row.kind === kind);
  return `${LIST_HEADER}\n${lines.map(({ time, domain }) => `${date},${time},${domain}\n`).join('')}`;
}
