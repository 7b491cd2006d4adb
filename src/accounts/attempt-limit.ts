import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RateLimiterPostgres, type RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Database } from '../db/database.js';
import { SharedCounters } from '../redis/redis.module.js';
import { AccountProblem } from './account-problem.js';

const QUARTER_HOUR = 900;
const HOUR = 3600;

/** How often something may be tried, counted over all instances. */
const LIMITS = {
  // Guessing one account's password from one place; from many places; the passwords of many accounts from one place. Those
  // of many places can lock the owner out for an hour at most, and a new password by mail ends that; 2,400 guesses a day
  // get nowhere with ten characters.
  signIn: { points: 10, duration: QUARTER_HOUR },
  signInToAccount: { points: 100, duration: HOUR },
  signInFromAddress: { points: 50, duration: QUARTER_HOUR },
  // Each beginning keeps a row for five minutes.
  passkeyFromAddress: { points: 100, duration: QUARTER_HOUR },
  // A pause while a password is typed; each judgement takes milliseconds of a processor.
  passwordStrength: { points: 200, duration: QUARTER_HOUR },
  // Guessing with somebody else's open session.
  password: { points: 10, duration: QUARTER_HOUR },
  // Filling the mailboxes of others: from one place, and one of them with one kind of mail.
  mailFromAddress: { points: 20, duration: HOUR },
  mail: { points: 5, duration: HOUR },
  // Filling the table of apps. Those that run elsewhere register each of their users from few addresses.
  registerApp: { points: 60, duration: HOUR },
  // A /48 has 65,536 networks that count as one caller each.
  registerAppFromNetwork: { points: 200, duration: HOUR },
} as const;

export type AttemptKind = keyof typeof LIMITS;

/** Bounds guessing. The counters are in PostgreSQL, or in Redis; while the former is away nothing can be tried at all. */
@Injectable()
export class AttemptLimit {
  private readonly counters: ReadonlyMap<AttemptKind, Counter>;

  constructor(
    private readonly database: Database,
    shared: SharedCounters,
  ) {
    const kinds = Object.keys(LIMITS) as AttemptKind[];
    const counterOf = (keyPrefix: AttemptKind) => {
      const options = { ...LIMITS[keyPrefix], keyPrefix };
      return shared.counter(options, inPostgres(options, database));
    };
    this.counters = new Map(kinds.map((kind) => [kind, counterOf(kind)]));
  }

  /**
   * Counts an attempt, before it is known how it ends, so that many at the same time are counted too.
   *
   * @throws {AccountProblem} 429 when there were too many
   */
  async count(kind: AttemptKind, ...subject: string[]): Promise<void> {
    if (await this.isWithin(kind, ...subject)) return;
    const wait = await this.database.guard(() => this.counter(kind).get(keyOf(subject)));
    const seconds = Math.max(1, Math.ceil((wait?.msBeforeNext ?? 0) / 1000));
    throw new AccountProblem(429, `Too many attempts. Try again in ${inWords(seconds)}.`, {
      'Retry-After': String(seconds),
    });
  }

  /** The same, for what is left undone without a word when there were too many. */
  async isWithin(kind: AttemptKind, ...subject: string[]): Promise<boolean> {
    return this.database.guard(async () => {
      try {
        await this.counter(kind).consume(keyOf(subject));
        return true;
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return false;
        throw refusal;
      }
    });
  }

  /** Forgets the attempts, after one that succeeded. */
  async forget(kind: AttemptKind, ...subject: string[]): Promise<void> {
    await this.database.guard(() => this.counter(kind).delete(keyOf(subject)));
  }

  private counter(kind: AttemptKind): Counter {
    const counter = this.counters.get(kind);
    if (!counter) throw new Error(`no limit for ${kind}`);
    return counter;
  }
}

type Counter = RateLimiterPostgres | RateLimiterRedis;

function inPostgres(
  options: { keyPrefix: AttemptKind; points: number; duration: number },
  database: Database,
): RateLimiterPostgres {
  return new RateLimiterPostgres({
    ...options,
    storeClient: database.dataSource,
    storeType: 'typeorm',
    tableName: 'account_attempt',
    tableCreated: true,
    clearExpiredByTimeout: false,
  });
}

// Who tried is nobody's business: e-mail and network addresses are not kept.
function keyOf(subject: readonly string[]): string {
  return createHash('sha256').update(subject.join('\n')).digest('base64url');
}

function inWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes === 1) return 'a minute';
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** A hash keeps a thread of the four of the process busy for 60 ms and more, and its processor: answers of the API come first. */
const AT_ONCE = 2;
const MAX_WAITING = 8;
const RETRY_AFTER_SECONDS = 2;

/**
 * Lets few passwords be hashed at a time. Who comes when the queue is full is sent away, before anybody has looked whether there is such an
 * account.
 */
export class HashingSemaphore {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce = AT_ONCE,
    private readonly maxWaiting = MAX_WAITING,
  ) {}

  /** @throws {AccountProblem} 503 where no more can wait; for work that begins with other questions */
  assertRoom(): void {
    if (this.running >= this.atOnce && this.waiting.length >= this.maxWaiting)
      throw new AccountProblem(503, 'Too many people are signing in just now. Try again in a few seconds.', {
        'Retry-After': String(RETRY_AFTER_SECONDS),
      });
  }

  /** @throws {AccountProblem} 503 where no more can wait */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.assertRoom();
    if (this.running >= this.atOnce) await new Promise<void>((turn) => this.waiting.push(turn));
    else this.running += 1;
    try {
      return await work();
    } finally {
      // Who waits takes the place over.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
