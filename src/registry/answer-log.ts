import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { Queryable } from '../db/database.js';
import { calendarDateOf } from '../domains/schema/calendar-date.js';
import { BoundedMap } from '../validation/caches.js';
import { messageOf } from '../validation/unknown-values.js';
import { AnswerLogRepository, type LoggedAnswer } from './answer-log.repository.js';
import type { Evidence } from './evidence.js';

/** An answer to be kept, with what it said. */
export interface NewAnswer extends LoggedAnswer {
  readonly evidence: Evidence;
}

/** Answers without a transaction of their own are written together so often. */
const FLUSH_EVERY_MS = 1_000;
/** Answers that wait while the database is away; older ones are dropped then. */
const MAX_WAITING = 10_000;
/** Texts whose ids a process remembers: registries have few. */
const MAX_TEXTS = 1_000;

/** Keeps every answer of a registry as evidence, for as many months as the operator wants. */
@Injectable()
export class AnswerLog implements OnApplicationShutdown {
  private readonly logger = new Logger(AnswerLog.name);
  private readonly textIds = new BoundedMap<string, number>(MAX_TEXTS);
  private waiting: NewAnswer[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing = Promise.resolve();

  constructor(
    private readonly repository: AnswerLogRepository,
    private readonly config: Config,
  ) {}

  /** Writes an answer in the transaction of its verdict. @param textId of {@link findTextId} */
  async write(entry: NewAnswer, textId: number | null, transaction: Queryable): Promise<void> {
    await this.repository.add([{ ...entry, textId }], transaction);
  }

  /** Writes an answer soon, together with others. */
  add(entry: NewAnswer): void {
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
      const rows = [];
      for (const entry of entries) rows.push({ ...entry, textId: await this.findTextId(entry) });
      if (rows.length > 0) await this.repository.add(rows);
    } catch (error) {
      this.logger.warn(`${entries.length} registry answers are kept later: ${messageOf(error)}`);
      for (const entry of entries) this.add(entry);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
    clearTimeout(this.timer);
  }

  /** Looked up once a day and process. @returns null for an answer without a text */
  async findTextId({ evidence, askedAt }: NewAnswer): Promise<number | null> {
    if (evidence.text === null) return null;
    const day = calendarDateOf(askedAt);
    const key = `${day} ${evidence.status} ${evidence.hasRdapType} ${evidence.text}`;
    const known = this.textIds.get(key);
    if (known !== undefined) return known;
    const id = await this.repository.keepText(evidence, day);
    this.textIds.set(key, id);
    return id;
  }

  /** Deletes the months that are over. */
  async purge(now: Date): Promise<void> {
    const first = firstDayKept(now, this.config.registry.keepAnswersMonths);
    while ((await this.repository.deleteBefore(first)) > 0);
  }
}

/** The first day of the month that is so many months ago: whole months are kept. */
export function firstDayKept(now: Date, months: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));
}
