import { Injectable, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { RedisConnection, SharedCounters } from '../redis/redis.module.js';
import { maintenance, WorkKinds } from '../work/kind.js';
import { BudgetClock, BudgetStore } from './budget-store.js';
import { BudgetHolds } from './budget-holds.js';
import { BudgetRepository } from './budget.repository.js';
import { ListCursors, ListSecretRepository } from './list-cursors.repository.js';
import { ListLimit } from './network-limits.js';
import { NetworksModule } from './network-rules.js';
import { NetworkRepository } from './network.repository.js';
import { NetworkShares } from './network-shares.js';
import { ProofOfWork } from './proof-of-work.js';
import { RateLimitGuard, RateLimitStorage, requestsPerMinute } from './rate-limit.guard.js';
import { RecordBudget, SpentBudgets } from './record-budget.js';
import { RedisBudget } from './redis-budget.js';

const MINUTE_MS = 60_000;
const PURGE_EVERY_MS = 10 * MINUTE_MS;

/** Deletes expired counts. */
@Injectable()
export class BudgetPurge {
  constructor(
    private readonly counters: BudgetRepository,
    private readonly networks: NetworkRepository,
    kinds: WorkKinds,
  ) {
    kinds.add(maintenance('budget-purge', PURGE_EVERY_MS, () => this.run()));
  }

  async run(): Promise<void> {
    await this.counters.purge();
    await this.counters.purgeUsage();
    await this.networks.purge();
  }
}

@Module({
  imports: [
    NetworksModule,
    ThrottlerModule.forRootAsync({
      inject: [SharedCounters],
      useFactory: (counters: SharedCounters) => ({
        throttlers: [{ name: 'default', ttl: MINUTE_MS, limit: requestsPerMinute }],
        storage: new RateLimitStorage(counters),
        setHeaders: false,
      }),
    }),
  ],
  providers: [
    BudgetClock,
    BudgetRepository,
    {
      provide: BudgetStore,
      inject: [RedisConnection, BudgetRepository, BudgetClock],
      useFactory: (redis: RedisConnection | null, postgres: BudgetRepository, clock: BudgetClock) =>
        redis ? new RedisBudget(redis, postgres, clock) : postgres,
    },
    BudgetHolds,
    BudgetPurge,
    SpentBudgets,
    RecordBudget,
    RateLimitGuard,
    NetworkShares,
    ProofOfWork,
    ListLimit,
    ListSecretRepository,
    ListCursors,
  ],
  exports: [RecordBudget, RateLimitGuard, ListLimit, ListCursors],
})
export class RateLimitModule {}
