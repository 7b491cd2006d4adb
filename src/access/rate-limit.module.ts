import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { RedisConnection } from '../redis/redis-connection.js';
import { SharedCounters } from '../redis/redis.module.js';
import { BudgetClock, BudgetStore } from './budget-store.js';
import { BudgetPurge } from './budget-purge.js';
import { BudgetRepository } from './budget.repository.js';
import { ListCursors, ListSecretRepository } from './list-cursors.repository.js';
import { ListLimit } from './network-limits.js';
import { RateLimitGuard, RateLimitStorage, requestsPerMinute } from './rate-limit.guard.js';
import { RecordBudget, SpentBudgets } from './record-budget.js';
import { RedisBudget } from './redis-budget.js';

const MINUTE_MS = 60_000;

@Module({
  imports: [
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
    BudgetPurge,
    SpentBudgets,
    RecordBudget,
    RateLimitGuard,
    ListLimit,
    ListSecretRepository,
    ListCursors,
  ],
  exports: [RecordBudget, RateLimitGuard, ListLimit, ListCursors],
})
export class RateLimitModule {}
