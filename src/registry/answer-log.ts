import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { Queryable } from '../db/database.js';
import { calendarDateOf } from '../domains/schema/calendar-date.js';
import { BoundedMap } from '../validation/caches.js';
import { isObject, messageOf } from '../validation/unknown-values.js';
import { AnswerLogRepository, type LoggedAnswer } from './answer-log.repository.js';
import type { Evidence } from './evidence.js';

/** An answer to be kept, with what it said. */
export interface NewAnswer extends Omit<LoggedAnswer, 'status'> {
  readonly evidence: Evidence;
}

/** Answers without a transaction of their own are written together so often. */
const FLUSH_EVERY_MS = 1_000;
/** Answers that wait while the database is away; older ones are dropped then. */
const MAX_WAITING = 10_000;
/** Longest wait for the moment in which no answer is read or written, to drop a month. */
const MAX_DROP_WAIT_MS = 2_000;
/** A month is packed so long after its end: answers may have waited for the database. */
const PACK_AFTER_MS = 2 * 86_400_000;
/** Texts whose ids a process remembers: registries have few. */
const MAX_TEXTS = 1_000;

/** Keeps every answer of a registry as evidence, for as many months as the operator wants. */
@Injectable()
export class AnswerLog implements OnApplicationShutdown {
  private readonly logger = new Logger(AnswerLog.name);
  private readonly textIds = new BoundedMap<string, number>(MAX_TEXTS);
  private readonly months = new Set<string>();
  private waiting: NewAnswer[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing = Promise.resolve();
  private hasEnded = false;

  constructor(
    private readonly repository: AnswerLogRepository,
    private readonly config: Config,
  ) {}

  /** Writes an answer in the transaction of its verdict. @param textId of {@link prepare} */
  async write(entry: NewAnswer, textId: number, transaction: Queryable): Promise<void> {
    await this.repository.add([toRow(entry, textId)], transaction);
  }

  /** Writes an answer soon, together with others. */
  add(entry: NewAnswer): void {
    // The database is gone by then: a question that was under way when the service stopped has no verdict either.
    if (this.hasEnded) {
      this.logger.log(`The answer about ${entry.domain} came after the end and is not kept.`);
      return;
    }
    if (this.waiting.length >= MAX_WAITING) this.waiting.shift();
    this.waiting.push(entry);
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  /** Writes the waiting answers after those being written; what cannot be written waits on. */
  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.writeWaiting());
    return this.writing;
  }

  private async writeWaiting(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const entries = this.waiting;
    this.waiting = [];
    try {
      await this.writeAll(entries);
    } catch (error) {
      if (isUnwritable(error)) return this.writeEach(entries);
      this.keepForLater(entries, error);
    }
  }

  private async writeAll(entries: readonly NewAnswer[]): Promise<void> {
    const rows = [];
    for (const entry of entries) rows.push(toRow(entry, await this.prepare(entry)));
    if (rows.length > 0) await this.repository.add(rows);
  }

  /** One answer that the database can never take must not hold up the others. */
  private async writeEach(entries: readonly NewAnswer[]): Promise<void> {
    for (const [at, entry] of entries.entries())
      try {
        await this.writeAll([entry]);
      } catch (error) {
        if (!isUnwritable(error)) {
          this.keepForLater(entries.slice(at), error);
          return;
        }
        this.logger.error(`The answer about ${entry.domain} cannot be kept: ${messageOf(error)}`);
      }
  }

  private keepForLater(entries: readonly NewAnswer[], error: unknown): void {
    // A pool that was closed does not open again: there is no later.
    if (messageOf(error).startsWith(POOL_CLOSED)) this.hasEnded = true;
    else this.logger.warn(`${entries.length} registry answers are kept later: ${messageOf(error)}`);
    // A month may have been packed meanwhile.
    this.months.clear();
    for (const entry of entries) this.add(entry);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
    this.hasEnded = true;
    clearTimeout(this.timer);
  }

  /** Sees to the month of an answer, and to its text, whose id it returns: once a day and process. */
  async prepare({ evidence, askedAt, source, verdict, parser }: NewAnswer): Promise<number> {
    const day = calendarDateOf(askedAt);
    const month = day.slice(0, 7);
    if (!this.months.has(month)) {
      await this.repository.createMonth(askedAt);
      this.months.add(month);
    }
    const kind = { ...evidence, source, verdict, parser };
    const key = JSON.stringify([day, kind]);
    const known = this.textIds.get(key);
    if (known !== undefined) return known;
    const id = await this.repository.keepText(kind, day);
    this.textIds.set(key, id);
    return id;
  }

  /** Drops months that are too old, packs past months, and creates the next one. */
  async purge(now: Date): Promise<void> {
    const first = firstDayKept(now, this.config.registry.keepAnswersMonths);
    this.months.clear();
    await this.repository.dropBefore(first, MAX_DROP_WAIT_MS);
    await this.repository.packBefore(new Date(now.getTime() - PACK_AFTER_MS), MAX_DROP_WAIT_MS);
    await this.repository.createMonth(firstDayKept(now, -1));
  }
}

/** The driver's error has no code. */
const POOL_CLOSED = 'Cannot use a pool after calling end on the pool';

/** Class 22 of SQLSTATE: a value that its column does not take. */
function isUnwritable(error: unknown): boolean {
  return isObject(error) && String(error.code).startsWith('22');
}

function toRow(entry: NewAnswer, textId: number): LoggedAnswer & { textId: number } {
  return { ...entry, status: entry.evidence.status, textId };
}

/** The first day of the month that is so many months ago: whole months are kept. */
export function firstDayKept(now: Date, months: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));
}
