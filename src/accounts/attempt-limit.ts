import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { QueryConfig } from 'pg';
import { RateLimiterPostgres, type RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { callerIdOfAddress } from '../access/caller.js';
import { type AttemptRow, LIMITS, limitsOf, type LimitsOf, SHARES, timesOf } from '../access/limits.js';
import { NetworkRules } from '../access/network-rules.js';
import { type Network, networksOf, widerNetworksOf } from '../access/network-shares.js';
import { Config } from '../config/config.js';
import { aheadOfDatabaseMs } from '../db/database-time.js';
import { Database } from '../db/database.js';
import { SharedCounters } from '../redis/redis.module.js';
import { AccountProblem } from './account-problem.js';

/** Counters have smaller numbers than moments. */
const YEAR_2001_MS = 1e12;

/** Attempts in a period, counted over all instances. */
export type AttemptKind = LimitsOf<'attempts'>;
const TOO_MANY_ATTEMPTS = 'Too many attempts';

/** Limits guessing. Counters are in PostgreSQL or Redis; without PostgreSQL no attempt is possible. */
@Injectable()
export class AttemptLimit {
  private readonly logger = new Logger('Networks');
  private readonly counters: ReadonlyMap<string, Counter>;
  private readonly mode: Config['networks']['mode'];

  constructor(
    private readonly database: Database,
    shared: SharedCounters,
    { networks }: Config,
    private readonly rules: NetworkRules,
  ) {
    this.mode = networks.mode;
    this.counters = new Map(
      limitsOf('attempts').flatMap((kind) =>
        SHARES.map((share) => {
          const { most, seconds: duration, isDurable = false }: AttemptRow = LIMITS[kind];
          const options = { points: most * timesOf(kind, share), duration, keyPrefix: prefixOf(kind, share) };
          const counter = inPostgres(options, database);
          return [options.keyPrefix, isDurable ? counter : shared.counter(options, counter)] as const;
        }),
      ),
    );
  }

  /**
   * Counts an attempt of an address, and of the networks around it, which have a larger share.
   *
   * @throws {AccountProblem} 429 past a limit
   */
  async countFrom(kind: AttemptKind, address: string, ...subject: string[]): Promise<void> {
    await this.count(kind, ...subject, callerIdOfAddress(address));
    if (this.mode === 'off' || this.rules.allows(address)) return;
    for (const { name, share } of widerNetworksOf(address)) {
      const key = [...subject, name];
      if (await this.consume(prefixOf(kind, share), key)) continue;
      if (this.mode === 'on') await this.refuse(kind, key, share);
      else this.logger.warn(`${kind}: with NETWORK_LIMITS=on an attempt from ${name} would be refused`);
    }
  }

  /**
   * Counts an attempt before its outcome is known, so that parallel attempts count too.
   *
   * @throws {AccountProblem} 429 past the limit
   */
  async count(kind: AttemptKind, ...subject: string[]): Promise<void> {
    if (!(await this.isWithin(kind, ...subject))) await this.refuse(kind, subject, 1);
  }

  /** Counts an attempt. @returns false past the limit */
  isWithin(kind: AttemptKind, ...subject: string[]): Promise<boolean> {
    return this.consume(kind, subject);
  }

  private async consume(prefix: string, subject: readonly string[]): Promise<boolean> {
    return this.database.guard(async () => {
      try {
        await this.counter(prefix).consume(keyOf(subject));
        return true;
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return false;
        throw refusal;
      }
    });
  }

  private async refuse(kind: AttemptKind, subject: readonly string[], share: number): Promise<never> {
    const counter = this.counter(prefixOf(kind, share));
    const wait = await this.database.guard(() => counter.get(keyOf(subject)));
    const seconds = Math.max(1, Math.ceil((wait?.msBeforeNext ?? 0) / 1000));
    const { refusal = TOO_MANY_ATTEMPTS }: AttemptRow = LIMITS[kind];
    throw new AccountProblem(429, `${refusal}. Try again in ${inWords(seconds)}.`, {
      'Retry-After': String(seconds),
    });
  }

  /** Resets the counter after a successful attempt. */
  async forget(kind: AttemptKind, ...subject: string[]): Promise<void> {
    await this.database.guard(() => this.counter(kind).delete(keyOf(subject)));
  }

  private counter(prefix: string): Counter {
    const counter = this.counters.get(prefix);
    if (!counter) throw new Error(`no limit for ${prefix}`);
    return counter;
  }
}

/** Narrow networks keep the keys that they had. */
const prefixOf = (kind: AttemptKind, share: number) => (share === 1 ? kind : `${kind}_${share}`);

type Counter = RateLimiterPostgres | RateLimiterRedis;

function inPostgres(
  options: { keyPrefix: string; points: number; duration: number },
  database: Database,
): RateLimiterPostgres {
  return new RateLimiterPostgres({
    ...options,
    storeClient: byDatabaseClock(database),
    storeType: 'pool',
    tableName: 'account_attempt',
    tableCreated: true,
    clearExpiredByTimeout: false,
  });
}

interface CounterStatement {
  readonly values: readonly (string | number)[];
}

/** The library counts by the clock of the process; its moments are moved to PostgreSQL's, and back. */
function byDatabaseClock({ pool }: Database) {
  return {
    async query({ values, ...statement }: CounterStatement & QueryConfig) {
      const aheadMs = aheadOfDatabaseMs();
      const isMoment = (value: unknown): value is number => typeof value === 'number' && value > YEAR_2001_MS;
      const result = await pool.query<{ points: number; expire: string }>({
        ...statement,
        values: values.map((value) => (isMoment(value) ? value - aheadMs : value)),
      });
      const rows = result.rows.map((row) => ({ ...row, expire: Number(row.expire) + aheadMs }));
      return Object.assign(result, { rows });
    },
  };
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
/** So many hashes take about two seconds. */
const MAX_WAITING = 64;
const RETRY_AFTER_SECONDS = 2;

/** Who signs in with a password. */
export interface HashingCaller {
  readonly address: string;
  /** Whether the account was signed in to from this network before. */
  readonly isKnown: boolean;
}

interface Waiter {
  readonly networks: readonly Network[];
  readonly isKnown: boolean;
  readonly begin: () => void;
  readonly refuse: (reason: AccountProblem) => void;
}

/**
 * Limits how many passwords are hashed at once, so that strangers cannot keep an owner out: while others wait, each
 * network has its share of the places, and known callers go first. Requests of a session or a mailed link are known. A
 * full queue rejects strangers first.
 */
export class HashingSemaphore {
  private running = 0;
  /** Known callers first, each group in order. */
  private readonly waiting: Waiter[] = [];
  private readonly callers = new AsyncLocalStorage<HashingCaller>();
  /** Hashes by network. */
  private readonly taken = new Map<string, number>();

  private readonly logger = new Logger('Networks');

  constructor(
    private readonly mode: Config['networks']['mode'],
    private readonly atOnce = AT_ONCE,
    private readonly maxWaiting = MAX_WAITING,
  ) {}

  /** Does work that hashes for a caller without a session. The accounts library hashes inside it. */
  for<Result>(caller: HashingCaller, work: () => Promise<Result>): Promise<Result> {
    return this.callers.run(caller, work);
  }

  /** For work that has other steps before the hash. @throws {AccountProblem} 503 if the queue is full */
  assertRoom(isKnown = true): void {
    if (this.running < this.atOnce || this.waiting.length < this.maxWaiting) return;
    if (!isKnown || this.waiting.every((waiter) => waiter.isKnown)) throw TOO_MANY;
  }

  /** @throws {AccountProblem} 503 if the queue is full, or the network has its share of it */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const { address = '', isKnown = true } = this.callers.getStore() ?? {};
    const networks = this.mode === 'off' ? [] : networksOf(address);
    this.assertShare(networks);
    this.assertRoom(isKnown);
    for (const { name } of networks) this.taken.set(name, (this.taken.get(name) ?? 0) + 1);
    try {
      await this.turn(isKnown, networks);
      try {
        return await work();
      } finally {
        // The next in the queue takes over the slot.
        const next = this.waiting.shift();
        if (next) next.begin();
        else this.running -= 1;
      }
    } finally {
      for (const { name } of networks) this.giveBack(name);
    }
  }

  // One network alone leaves half of the queue to others.
  private assertShare(networks: readonly Network[]): void {
    const most = ({ share }: Network) => timesOf('hashing', share) * LIMITS.hashing.most;
    const full = networks.find(
      (network) =>
        (this.taken.get(network.name) ?? 0) >= most(network) &&
        (this.waiting.length * 2 >= this.maxWaiting ||
          this.waiting.some((waiter) => waiter.networks.every(({ name }) => name !== network.name))),
    );
    if (full && this.mode === 'on') throw TOO_MANY;
    if (full)
      this.logger.warn(
        `${full.name} has ${most(full)} sign-ins; with NETWORK_LIMITS=on one more would be refused`,
      );
  }

  private async turn(isKnown: boolean, networks: readonly Network[]): Promise<void> {
    if (this.running < this.atOnce) {
      this.running += 1;
      return;
    }
    await new Promise<void>((begin, refuse) => {
      if (this.waiting.length >= this.maxWaiting) this.waiting.pop()?.refuse(TOO_MANY);
      const strangers = this.waiting.findIndex((waiter) => !waiter.isKnown);
      const place = isKnown && strangers >= 0 ? strangers : this.waiting.length;
      this.waiting.splice(place, 0, { networks, isKnown, begin, refuse });
    });
  }

  private giveBack(name: string): void {
    const left = (this.taken.get(name) ?? 1) - 1;
    if (left === 0) this.taken.delete(name);
    else this.taken.set(name, left);
  }
}

const TOO_MANY = new AccountProblem(
  503,
  'Too many people are signing in just now. Try again in a few seconds.',
  { 'Retry-After': String(RETRY_AFTER_SECONDS) },
);
