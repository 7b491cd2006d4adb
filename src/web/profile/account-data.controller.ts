import { Get, Header, Query, UseGuards } from '@nestjs/common';
import type { Account } from '../../accounts/accounts.service.js';
import { FormPages } from './form-page.decorator.js';
import { SessionGuard, SignedIn } from './session.guard.js';
import { Clock } from '../../db/clock.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { AccountDataRepository } from './account-data.repository.js';

/** One's data as a file. */
@FormPages()
@UseGuards(SessionGuard)
export class AccountDataController {
  constructor(
    private readonly data: AccountDataRepository,
    private readonly clock: Clock,
  ) {}

  @Get('profile/data.json')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Content-Disposition', 'attachment; filename="bowerbird-account.json"')
  async download(@SignedIn() { id }: Account, @Query() _: NoParameters): Promise<string> {
    const [made, data] = await Promise.all([this.clock.now(), this.data.readAll(id)]);
    return `${JSON.stringify({ made_at: made.toISOString(), ...data }, null, 2)}\n`;
  }
}
