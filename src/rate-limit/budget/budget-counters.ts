import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression, Interval } from '@nestjs/schedule';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import { Database, isGone } from '../../database/database.js';
import { type BudgetWindow, resetInSeconds } from './budget-window.js';

/** What a window counts, and who counted: PostgreSQL, or the memory of this process while that is away. */
export interface Count {
  readonly consumed: number;
  readonly by: 'postgres' | 'memory';
}

interface Debt {
  readonly window: BudgetWindow;
  records: number;
}

// Counters outlive their window by this much, so that a late refund meets its own counter and not a fresh one.
const COUNTER_GRACE_SECONDS = 600;
// The limiters only count; what is granted is decided by RecordBudget, against the tier's row.
const COUNT_ONLY = Number.MAX_SAFE_INTEGER;
const SETTLE_EVERY_MS = 2_000;
// Memory forgets by a timer, and Node's hold no more than 24 days.
const MEMORY_SECONDS = 86_400;

/**
 * The counters of all windows. They live in PostgreSQL; while it is gone, memory counts instead (which matters little: nothing
 * can be answered without the dataset), and PostgreSQL is told afterwards. Where it only does not answer in time, others may
 * still be answered, so nothing is granted. A statement whose connection dies may have been
 * carried out or not, which nobody can know: such a window may then be off by that one request.
 */
@Injectable()
export class BudgetCounters implements BeforeApplicationShutdown {
  private readonly logger = new Logger('RecordBudget');
  private readonly postgres: RateLimiterPostgres;
  private readonly memory: RateLimiterMemory;
  /** By a window's key, what PostgreSQL has not been told yet. */
  private readonly debts = new Map<string, Debt>();

  constructor(private readonly database: Database) {
    const counting = { keyPrefix: '', points: COUNT_ONLY, duration: COUNTER_GRACE_SECONDS };
    this.memory = new RateLimiterMemory(counting);
    this.postgres = new RateLimiterPostgres({
      ...counting,
      storeClient: database.dataSource,
      storeType: 'typeorm',
      tableName: 'record_budget',
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
  }

  /**
   * Counts records as spent.
   *
   * @param isKnownGone that PostgreSQL was just found to be gone: then it is not asked
   * @throws {DatabaseUnavailable} by a server that is there and does not count: records are never served for free
   */
  take(window: BudgetWindow, records: number, isKnownGone: boolean): Promise<Count> {
    return this.database.guard(async () => {
      if (!isKnownGone)
        try {
          return { by: 'postgres', consumed: await add(this.postgres, window, records) };
        } catch (error) {
          if (!isGone(error)) throw error;
        }
      return this.countInMemory(window, records);
    });
  }

  /** Gives records back to whoever counted them, at once or when PostgreSQL is there again. @returns the new count */
  async giveBack(window: BudgetWindow, records: number, { by, consumed }: Count): Promise<Count> {
    if (by === 'memory') return this.countInMemory(window, -records);
    try {
      return { by, consumed: await add(this.postgres, window, -records) };
    } catch (error) {
      this.logger.warn(`A refund waits: ${String(error)}`);
      this.owe(window, -records);
      return { by, consumed: consumed - records };
    }
  }

  /** What windows count in PostgreSQL. Never from memory, which has not seen all. @throws {DatabaseUnavailable} */
  read(windows: readonly BudgetWindow[]): Promise<number[]> {
    return this.database.guard(async () => {
      const found = await Promise.all(windows.map(({ key }) => this.postgres.get(key)));
      return found.map((counted) => counted?.consumedPoints ?? 0);
    });
  }

  /** Tells PostgreSQL what it missed. @returns whether it knows all now */
  @Interval(SETTLE_EVERY_MS)
  async settle(): Promise<boolean> {
    for (const [key, { window, records }] of this.debts) {
      this.debts.delete(key);
      if (isLongPast(window)) continue;
      try {
        await add(this.postgres, window, records);
      } catch (error) {
        this.logger.debug(`Refunds wait: ${String(error)}`);
        this.owe(window, records);
        return false;
      }
    }
    return true;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.settle();
  }

  /** Removes the counters of windows long past. */
  @Cron(CronExpression.EVERY_10_MINUTES)
  async purgeExpired(): Promise<void> {
    try {
      await this.database.query('DELETE FROM record_budget WHERE expire < $1', [Date.now()]);
    } catch (error) {
      this.logger.warn(`Old budget counters were not removed: ${String(error)}`);
    }
  }

  private async countInMemory(window: BudgetWindow, records: number): Promise<Count> {
    this.owe(window, records);
    return { by: 'memory', consumed: await add(this.memory, window, records, MEMORY_SECONDS) };
  }

  // Most work fails while PostgreSQL is away, and what was taken for it is given back: nothing is owed then.
  private owe(window: BudgetWindow, records: number): void {
    const debt = this.debts.get(window.key) ?? { window, records: 0 };
    debt.records += records;
    if (debt.records === 0) this.debts.delete(window.key);
    else this.debts.set(window.key, debt);
  }
}

async function add(
  counters: RateLimiterAbstract,
  window: BudgetWindow,
  records: number,
  mostSeconds = Infinity,
): Promise<number> {
  const seconds = resetInSeconds(window, new Date()) + COUNTER_GRACE_SECONDS;
  const options = { customDuration: Math.min(seconds, mostSeconds) };
  const { consumedPoints } =
    records >= 0
      ? await counters.penalty(window.key, records, options)
      : await counters.reward(window.key, -records, options);
  return consumedPoints;
}

function isLongPast({ endsAt }: BudgetWindow): boolean {
  return endsAt.getTime() + COUNTER_GRACE_SECONDS * 1000 < Date.now();
}
