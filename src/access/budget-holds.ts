import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { unscoped } from '../db/scope.js';
import { isRolledBack } from '../errors/database-failure.js';
import { messageOf } from '../validation/unknown-values.js';
import {
  BudgetClock,
  BudgetStore,
  type Grant,
  haveSameLimits,
  HOLD_SECONDS,
  rowOf,
  type Settlement,
  shareOut,
} from './budget-store.js';
import { type BudgetCounts, countsLater } from './budget-window.js';
import { type Caller, chargedKeyOf } from './caller.js';

/** The longest time between sending records and charging them; a kill loses no more. */
const FLUSH_MS = 250;
/** Well before a hold ends. */
const RENEW_MS = (HOLD_SECONDS * 1000) / 3;
/** After a failed statement. */
const RETRY_MS = 1_000;
/** Callers of one statement who wait, and as many others; a larger one would delay the next. */
const MAX_ROWS = 200;

/** Records held for an answer until it has been sent. */
export interface Hold extends Grant {
  /** Ends it: charges the records that were sent and releases the others. @returns the counts, if any were charged */
  end(sent: number): BudgetCounts | null;
  /** Releases all but `records` of it. */
  keep(records: number): void;
}

/** Records that were sent and are not charged yet. */
interface Sent {
  readonly caller: Caller;
  readonly grantedAt: Date;
  readonly records: number;
}

/** The row of a caller, as long as this process holds or owes records of it. */
interface Book {
  readonly caller: Caller;
  held: number;
  sent: Sent[];
  /** When a statement last took it along. */
  settledMs: number;
  /** When a statement must take a changed book along, if no request of its caller does so before. */
  dueMs: number;
}

interface Want {
  readonly caller: Caller;
  readonly records: number;
  resolve(grant: Grant): void;
  reject(error: unknown): void;
}

/** One row of a statement, and the requests that wait for its grant. */
interface Row {
  readonly book: Book;
  readonly settlement: Settlement;
  readonly wants: Want[];
}

/**
 * Holds records for answers in progress and charges them when they have been sent. All answers of this process
 * share one hold a caller. Statements run one after the other: requests that come while one runs share the
 * next. A caller's next request also charges the records already sent to it; without one, a later statement does.
 */
@Injectable()
export class BudgetHolds implements OnApplicationShutdown {
  private readonly logger = new Logger(BudgetHolds.name);
  private readonly id = randomUUID();
  private readonly books = new Map<string, Book>();
  /** Books with records sent or released that the store does not know yet. */
  private readonly changed = new Set<Book>();
  private wants: Want[] = [];
  private turn = 0;
  private running: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;
  /** When the timer ends. */
  private wakeMs = Infinity;

  constructor(
    private readonly store: BudgetStore,
    private readonly clock: BudgetClock,
  ) {}

  /** Holds as many of the records as every window has left. @throws {DatabaseUnavailable} */
  async hold(caller: Caller, records: number): Promise<Hold> {
    const grant = await this.ask(caller, records);
    if (grant.granted === 0) return { ...grant, keep: () => undefined, end: () => null };
    const book = this.bookOf(caller);
    const atMs = this.clock.elapsedMs();
    let held = grant.granted;
    const release = (count: number) => {
      held -= count;
      book.held -= count;
      this.noteChange(book, FLUSH_MS);
    };
    return {
      ...grant,
      keep: (count) => {
        if (count < held) release(held - count);
      },
      end: (sent) => {
        const charged = Math.min(sent, held);
        if (held > 0) release(held);
        if (charged === 0) return null;
        this.noteSent(book, { caller, grantedAt: grant.now, records: charged });
        const passed = this.clock.elapsedMs() - atMs;
        return countsLater(
          {
            ...grant,
            minuteUsed: grant.minuteUsed + charged,
            periodUsed: grant.periodUsed + charged,
            reserved: grant.reserved - grant.granted,
          },
          new Date(grant.now.getTime() + passed),
        );
      },
    };
  }

  /** A caller's counts after all records sent until now are charged. @throws {DatabaseUnavailable} */
  async read(caller: Caller): Promise<BudgetCounts> {
    return this.books.has(rowOf(caller)) ? this.ask(caller, 0) : this.store.read(caller);
  }

  /** Charges the records sent until now. */
  async flush(): Promise<void> {
    await this.running;
    for (const book of this.changed) book.dueMs = -Infinity;
    this.start();
    await this.running;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
    clearTimeout(this.timer);
  }

  private ask(caller: Caller, records: number): Promise<Grant> {
    return new Promise((resolve, reject) => {
      this.wants.push({ caller, records, resolve, reject });
      this.start();
    });
  }

  private bookOf(caller: Caller): Book {
    const row = rowOf(caller);
    const known = this.books.get(row);
    if (known) return known;
    const book = { caller, held: 0, sent: [], settledMs: this.clock.elapsedMs(), dueMs: Infinity };
    this.books.set(row, book);
    return book;
  }

  private noteSent(book: Book, sent: Sent): void {
    const last = book.sent.at(-1);
    if (last && isChargedAlike(last, sent))
      book.sent[book.sent.length - 1] = { ...last, records: last.records + sent.records };
    else book.sent.push(sent);
  }

  private start(): void {
    this.running ??= unscoped(() => this.run()).finally(() => {
      this.running = null;
      // A want may have come since the last look.
      if (this.wants.length > 0) this.start();
      else this.wakeInTime();
    });
  }

  private async run(): Promise<void> {
    for (let rows = this.nextRows(); rows.length > 0; rows = this.nextRows())
      if (!(await this.settle(rows))) return;
  }

  private noteChange(book: Book, withinMs: number): void {
    if (this.changed.has(book)) return;
    this.changed.add(book);
    book.dueMs = this.clock.elapsedMs() + withinMs;
    this.wakeAt(book.dueMs);
  }

  private wakeInTime(): void {
    for (const { dueMs } of this.changed) this.wakeAt(dueMs);
    if (this.books.size > 0) this.wakeAt(this.clock.elapsedMs() + RENEW_MS);
  }

  private wakeAt(atMs: number): void {
    if (atMs >= this.wakeMs) return;
    this.wakeMs = atMs;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.wake(), Math.max(0, Math.ceil(atMs - this.clock.elapsedMs()))).unref();
  }

  private wake(): void {
    this.wakeMs = Infinity;
    const before = this.clock.elapsedMs() - RENEW_MS;
    for (const book of this.books.values())
      if (book.held > 0 && book.settledMs < before) this.noteChange(book, 0);
    this.start();
  }

  /** The rows of waiting requests, in their order, then changed rows that are due. */
  private nextRows(): Row[] {
    const rows = new Map<Book, Row>();
    const later: Want[] = [];
    for (const want of this.wants) {
      const book = this.bookOf(want.caller);
      const known = rows.get(book);
      const fits = known ? haveSameLimits(known.settlement.caller, want.caller) : rows.size < MAX_ROWS;
      if (!fits) later.push(want);
      else if (known) known.wants.push(want);
      else rows.set(book, this.rowFor(book, want));
    }
    this.wants = later;
    const nowMs = this.clock.elapsedMs();
    for (const book of this.changed) {
      if (rows.size >= 2 * MAX_ROWS) break;
      if (book.dueMs <= nowMs && !rows.has(book)) rows.set(book, this.rowFor(book));
    }
    return [...rows.values()].map(withSums);
  }

  private rowFor(book: Book, want?: Want): Row {
    const [sent] = book.sent;
    // Usage is counted by key, so a statement charges one.
    const isOfKey = !sent || !want || chargedKeyOf(sent.caller) === chargedKeyOf(want.caller);
    const charged = isOfKey ? book.sent.shift() : undefined;
    if (book.sent.length === 0) this.changed.delete(book);
    return {
      book,
      wants: want ? [want] : [],
      settlement: {
        caller: want?.caller ?? charged?.caller ?? book.caller,
        sent: charged?.records ?? 0,
        grantedAt: charged?.grantedAt ?? null,
        held: 0,
        wanted: 0,
      },
    };
  }

  /** @returns whether it succeeded */
  private async settle(rows: readonly Row[]): Promise<boolean> {
    this.turn += 1;
    try {
      const settlements = rows.map(({ settlement }) => settlement);
      const grants = await this.store.settle({ id: this.id, turn: this.turn }, settlements);
      for (const [place, row] of rows.entries()) {
        const grant = grants[place];
        if (!grant) throw new Error('a settlement has a grant');
        this.grant(row, grant);
      }
      return true;
    } catch (error) {
      this.fail(rows, error);
      return false;
    }
  }

  private grant({ book, wants }: Row, grant: Grant): void {
    book.settledMs = this.clock.elapsedMs();
    book.held += grant.granted;
    const shares = shareOut(
      grant,
      wants.map(({ records }) => records),
    );
    for (const [place, { resolve }] of wants.entries()) resolve(shares[place] ?? { ...grant, granted: 0 });
    this.forget(book);
  }

  /** Where the outcome is unknown, nothing is charged a second time: the operator bears it. */
  private fail(rows: readonly Row[], error: unknown): void {
    const retryMs = this.clock.elapsedMs() + RETRY_MS;
    let lost = 0;
    for (const { book, settlement, wants } of rows) {
      const { caller, sent: records, grantedAt } = settlement;
      if (grantedAt && isRolledBack(error)) book.sent.unshift({ caller, grantedAt, records });
      else lost += records;
      if (book.held > 0 || book.sent.length > 0) this.changed.add(book);
      // It may have been due before.
      book.dueMs = retryMs;
      this.forget(book);
      for (const { reject } of wants) reject(error);
    }
    if (lost > 0) this.logger.warn(`${lost} records may not have been charged: ${messageOf(error)}`);
  }

  private forget(book: Book): void {
    if (book.held === 0 && book.sent.length === 0 && !this.changed.has(book))
      this.books.delete(rowOf(book.caller));
  }
}

/** The row's sums at this moment; records that another statement will charge stay held until then. */
function withSums(row: Row): Row {
  const { book, wants, settlement } = row;
  const held = book.held + sumOf(book.sent);
  return { ...row, settlement: { ...settlement, held, wanted: sumOf(wants) } };
}

function sumOf(counts: readonly { readonly records: number }[]): number {
  return counts.reduce((sum, { records }) => sum + records, 0);
}

const MINUTE_MS = 60_000;

/** Whether a statement can charge both together. */
function isChargedAlike(one: Sent, other: Sent): boolean {
  const minuteOf = ({ grantedAt }: Sent) => Math.floor(grantedAt.getTime() / MINUTE_MS);
  return minuteOf(one) === minuteOf(other) && chargedKeyOf(one.caller) === chargedKeyOf(other.caller);
}
