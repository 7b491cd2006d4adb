import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RateLimiterPostgres, type RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Database } from '../db/database.js';
import { SharedCounters } from '../redis/redis.module.js';
import { AccountProblem } from './account-problem.js';

const QUARTER_HOUR = 900;
const HOUR = 3600;

/** Attempts in a period, counted over all instances. */
const LIMITS = {
  // Guesses at one account from one network, at one account from all networks, and at all accounts from one network.
  // The second can lock an owner out for an hour at most; a password reset by mail ends that. 2,400 guesses a day do
  // not find a password of ten characters.
  signIn: { points: 10, duration: QUARTER_HOUR },
  signInToAccount: { points: 100, duration: HOUR },
  signInFromAddress: { points: 50, duration: QUARTER_HOUR },
  // Each attempt stores a row for five minutes.
  passkeyFromAddress: { points: 100, duration: QUARTER_HOUR },
  // Requested while a password is typed; each takes milliseconds of CPU.
  passwordStrength: { points: 200, duration: QUARTER_HOUR },
  // Guesses from a stolen session.
  password: { points: 10, duration: QUARTER_HOUR },
  // A code of an authenticator app is valid for 90 s, but only once (RFC 6238, 5.2).
  usedCode: { points: 1, duration: 120 },
  // Mails to strangers: from one network, and of one kind to one mailbox.
  mailFromAddress: { points: 20, duration: HOUR },
  mail: { points: 5, duration: HOUR },
  // Registrations of apps. Hosted apps register each of their users from few addresses.
  registerApp: { points: 60, duration: HOUR },
  // A /48 has 65,536 networks that count as one caller each.
  registerAppFromNetwork: { points: 200, duration: HOUR },
} as const;

export type AttemptKind = keyof typeof LIMITS;

/** Limits guessing. Counters are in PostgreSQL or Redis; without PostgreSQL no attempt is possible. */
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
   * Counts an attempt before its outcome is known, so that parallel attempts count too.
   *
   * @throws {AccountProblem} 429 past the limit
   */
  async count(kind: AttemptKind, ...subject: string[]): Promise<void> {
    if (await this.isWithin(kind, ...subject)) return;
    const wait = await this.database.guard(() => this.counter(kind).get(keyOf(subject)));
    const seconds = Math.max(1, Math.ceil((wait?.msBeforeNext ?? 0) / 1000));
    throw new AccountProblem(429, `Too many attempts. Try again in ${inWords(seconds)}.`, {
      'Retry-After': String(seconds),
    });
  }

  /** Counts an attempt. @returns false past the limit */
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

  /** Whether the limit is reached; counts nothing. */
  async isReached(kind: AttemptKind, ...subject: string[]): Promise<boolean> {
    const counted = await this.database.guard(() => this.counter(kind).get(keyOf(subject)));
    return (counted?.consumedPoints ?? 0) >= LIMITS[kind].points;
  }

  /** Resets the counter after a successful attempt. */
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
    storeClient: database.pool,
    storeType: 'pool',
    tableName: 'account_attempt',
    tableCreated: true,
    clearExpiredByTimeout: false,
  });
}

// Hashed, since e-mail and network addresses must not be stored.
function keyOf(subject: readonly string[]): string {
  return createHash('sha256').update(subject.join('\n')).digest('base64url');
}

function inWords(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes === 1) return 'a minute';
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** A hash occupies one of the process's four threads, and a CPU, for 60 ms or more; API requests come first. */
const AT_ONCE = 2;
const MAX_WAITING = 8;
const RETRY_AFTER_SECONDS = 2;

/**
 * Limits how many passwords are hashed at once. With a full queue a request is rejected before its account is looked
 * up.
 */
export class HashingSemaphore {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce = AT_ONCE,
    private readonly maxWaiting = MAX_WAITING,
  ) {}

  /** For work that has other steps before the hash. @throws {AccountProblem} 503 if the queue is full */
  assertRoom(): void {
    if (this.running >= this.atOnce && this.waiting.length >= this.maxWaiting)
      throw new AccountProblem(503, 'Too many people are signing in just now. Try again in a few seconds.', {
        'Retry-After': String(RETRY_AFTER_SECONDS),
      });
  }

  /** @throws {AccountProblem} 503 if the queue is full */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.assertRoom();
    if (this.running >= this.atOnce) await new Promise<void>((turn) => this.waiting.push(turn));
    else this.running += 1;
    try {
      return await work();
    } finally {
      // The next in the queue takes over the slot.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
