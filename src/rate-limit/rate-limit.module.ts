import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { RedisConnection } from '../redis/redis-connection.js';
import { SharedCounters } from '../redis/shared-counters.js';
import { BudgetClock } from './budget/budget-clock.js';
import { BudgetPurge } from './budget/budget-purge.js';
import { BudgetStore } from './budget/budget-store.js';
import { BudgetRepository } from './budget/budget.repository.js';
import { ListCursors } from './list-cursors.js';
import { ListLimit } from './list-limit.js';
import { ListSecretRepository } from './list-secret.repository.js';
import { RateLimitGuard, RateLimitStorage, requestsPerMinute } from './rate-limit.guard.js';
import { RecordBudget } from './budget/record-budget.js';
import { RedisBudget } from './budget/redis-budget.js';
import { SpentBudgets } from './budget/spent-budgets.js';

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
