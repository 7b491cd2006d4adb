import { Injectable } from '@nestjs/common';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { ApiError } from '../errors/api-error.js';
import { SharedCounters } from '../redis/redis.module.js';
import type { Caller } from './caller.js';
import { LIMITS } from './limits.js';
import { Takers } from './network-rules.js';
import { NetworkShares } from './network-shares.js';
import { ProofOfWork } from './proof-of-work.js';
import { Tiers } from '../config/tiers.js';

/**
 * Limits requests with unknown keys per address, to as many as the demo tier has. The flood limit counts callers, and
 * comes only after the query for the key. Counted in the same place as that one.
 */
@Injectable()
export class RefusalLimit {
  private readonly refusals: RateLimiterAbstract;
  private readonly max: number;

  constructor({ table }: Tiers, counters: SharedCounters) {
    this.max = table.demo[LIMITS.unknownKeys.most];
    this.refusals = counters.tally('refusals', LIMITS.unknownKeys.seconds);
  }

  /** @throws {ApiError} too_many_requests with Retry-After */
  async assertNotBlocked(address: string): Promise<void> {
    const counted = await this.refusals.get(address);
    if (!counted || counted.consumedPoints < this.max) return;
    const seconds = Math.max(1, Math.ceil(counted.msBeforeNext / 1000));
    throw new ApiError(
      'too_many_requests',
      `More than ${this.max} requests of this minute had a key that does not work; try again in ${seconds} s.`,
      { retryAfterSeconds: seconds },
    );
  }

  async count(address: string): Promise<void> {
    await this.refusals.penalty(address, 1);
  }
}

/** Limits list pages, which cost no records: they are for browsing; the API and exports give whole lists. */
@Injectable()
export class ListLimit {
  private readonly pages: RateLimiterAbstract;

  constructor(
    counters: SharedCounters,
    private readonly networks: NetworkShares,
    private readonly work: ProofOfWork,
    private readonly takers: Takers,
  ) {
    this.pages = counters.tally('list_pages', LIMITS.list_pages.seconds);
  }

  /** @throws {ApiError} too_many_requests with Retry-After; WorkRequired where the network has had much of its share */
  async count(caller: Caller): Promise<void> {
    const { id, tier } = caller;
    this.takers.note(caller, 'pages', 1);
    // Before the networks: one address must not use up their shares.
    const { consumedPoints, msBeforeNext } = await this.pages.penalty(id, 1);
    const most = tier[LIMITS.list_pages.most];
    if (consumedPoints > most) this.refuse(most, msBeforeNext);
    try {
      await this.countInNetworks(caller);
    } catch (error) {
      // The page was not shown.
      await this.pages.reward(id, 1);
      throw error;
    }
  }

  private async countInNetworks(caller: Caller): Promise<void> {
    const taken = await this.networks.take('list_pages', caller.id, 1, caller.tier[LIMITS.list_pages.most]);
    if (taken.busy === null) return;
    try {
      await this.work.assertShown(caller, taken.busy);
    } catch (error) {
      await taken.giveBack(1);
      throw error;
    }
  }

  private refuse(limit: number, waitMs: number): never {
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    const minutes = LIMITS.list_pages.seconds / 60;
    throw new ApiError(
      'too_many_requests',
      `More than ${limit} pages in ${minutes} minutes; try again in ${Math.ceil(seconds / 60)} min.`,
      { retryAfterSeconds: seconds },
    );
  }
}
