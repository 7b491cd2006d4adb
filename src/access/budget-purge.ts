import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { BudgetRepository } from './budget.repository.js';

/** Forgets callers who have not come back. Several instances may do it at once. */
@Injectable()
export class BudgetPurge {
  private readonly logger = new Logger('RecordBudget');

  constructor(private readonly counters: BudgetRepository) {}

  @Cron(CronExpression.EVERY_10_MINUTES)
  async run(): Promise<void> {
    try {
      await this.counters.purge();
      await this.counters.purgeUsage();
    } catch (error) {
      this.logger.warn(`Old budget counts were not removed: ${String(error)}`);
    }
  }
}
