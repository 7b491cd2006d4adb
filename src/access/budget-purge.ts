import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { BudgetRepository } from './budget.repository.js';

/** Deletes expired counts. Several instances may run it at once. */
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
      this.logger.warn(`Expired budget counts were not deleted, the next run will: ${String(error)}`);
    }
  }
}
