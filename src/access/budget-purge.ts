import { Injectable } from '@nestjs/common';
import { maintenance, WorkKinds } from '../work/kind.js';
import { BudgetRepository } from './budget.repository.js';

const EVERY_MS = 10 * 60_000;

/** Deletes expired counts. */
@Injectable()
export class BudgetPurge {
  constructor(
    private readonly counters: BudgetRepository,
    kinds: WorkKinds,
  ) {
    kinds.add(maintenance('budget-purge', EVERY_MS, () => this.run()));
  }

  async run(): Promise<void> {
    await this.counters.purge();
    await this.counters.purgeUsage();
  }
}
