import { Get, Header, Query, UseGuards } from '@nestjs/common';
import type { Account } from '../../accounts/accounts.service.js';
import { FormPages } from './form-page.decorator.js';
import { SessionGuard, SignedIn } from './session.guard.js';
import { Clock } from '../../db/clock.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { RecordBudget } from '../../access/record-budget.js';
import { Tiers } from '../../config/tiers.js';
import { daysBefore, MAX_DAYS, UsageHistoryService } from '../../api/usage/usage.service.js';
import { callerOf } from './signed-in-caller.js';
import { usagePage } from './usage-page.js';

/** What an account was charged, and what it has left. */
@FormPages()
@UseGuards(SessionGuard)
export class UsagePageController {
  constructor(
    private readonly history: UsageHistoryService,
    private readonly budget: RecordBudget,
    private readonly tiers: Tiers,
    private readonly clock: Clock,
  ) {}

  @Get('profile/usage')
  async show(@SignedIn() account: Account, @Query() _: NoParameters): Promise<string> {
    const [history, left] = await Promise.all([
      this.history.readHistory(account.id, {}),
      this.budget.read(callerOf(account, this.tiers.table)),
    ]);
    return usagePage(history, left, account.tier);
  }

  @Get('profile/usage.csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Header('Content-Disposition', 'attachment; filename="bowerbird-usage.csv"')
  async download(@SignedIn() { id }: Account, @Query() _: NoParameters): Promise<string> {
    const to = (await this.clock.now()).toISOString().slice(0, 10);
    return this.history.writeHistory(id, { from: daysBefore(to, MAX_DAYS - 1), to });
  }
}
