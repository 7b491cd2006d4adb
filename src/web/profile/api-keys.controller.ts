import { Body, Get, HttpCode, Ip, Param, Post, Query, Redirect, UseGuards } from '@nestjs/common';
import { callerIdOfAccount } from '../../access/caller.js';
import { ApiKeysService, type IssuedKey } from '../../access/api-keys.service.js';
import { Config } from '../../config/config.js';
import { RecordBudget } from '../../access/record-budget.js';
import { Tiers } from '../../config/tiers.js';
import { NameForm } from './account.dto.js';
import { AccountActivity } from '../../accounts/account-activity.js';
import type { Account } from '../../accounts/accounts.service.js';
import { CreateKeyForm, KeyPath, ReplaceKeyForm } from './api-keys.dto.js';
import { apiKeysPage, newKeyPage } from './api-keys-page.js';
import { FormPages } from './form-page.decorator.js';
import { DoneQuery, noticeOf } from './notices.js';
import { SessionGuard, SignedIn } from './session.guard.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

@FormPages()
@UseGuards(SessionGuard)
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly budget: RecordBudget,
    private readonly tiers: Tiers,
    private readonly config: Config,
    private readonly activity: AccountActivity,
  ) {}

  @Get('profile/api-keys')
  async listKeys(@SignedIn() account: Account, @Query() query: DoneQuery): Promise<string> {
    const tier = this.tiers.table[account.tier];
    const [keys, left] = await Promise.all([
      this.keys.listKeys(account.id),
      this.budget.read({ tier, id: callerIdOfAccount(account.id) }),
    ]);
    return apiKeysPage({ keys, left, tier: tier.name, notice: noticeOf(query) });
  }

  @Post('profile/api-keys')
  @HttpCode(201)
  async createKey(
    @SignedIn() account: Account,
    @Body() form: CreateKeyForm,
    @Ip() address: string,
  ): Promise<string> {
    const { id: accountId } = account;
    const { name, kind, scopes, submission, expires_days: days } = form;
    const expiresAt = days === 0 ? null : inTime(days * DAY_MS);
    const issued = await this.keys.createKey({ accountId, name, kind, scopes, submission, expiresAt });
    await this.activity.recordKeyChange(account, 'key.create', address, name);
    return this.show(issued);
  }

  @Post('profile/api-keys/:id/rotate')
  @HttpCode(201)
  async replaceKey(
    @SignedIn() account: Account,
    @Param() { id }: KeyPath,
    @Body() { submission, overlap_hours: hours }: ReplaceKeyForm,
    @Ip() address: string,
  ): Promise<string> {
    const issued = await this.keys.replaceKey(account.id, id, submission, inTime(hours * HOUR_MS));
    await this.activity.recordKeyChange(account, 'key.replace', address, issued.key.name);
    return this.show(issued);
  }

  @Post('profile/api-keys/:id/rename')
  @Redirect('/profile/api-keys?done=renamed', 303)
  renameKey(
    @SignedIn() account: Account,
    @Param() { id }: KeyPath,
    @Body() { name }: NameForm,
  ): Promise<void> {
    return this.keys.renameKey(account.id, id, name);
  }

  @Post('profile/api-keys/:id/revoke')
  @Redirect('/profile/api-keys?done=revoked', 303)
  async revokeKey(
    @SignedIn() account: Account,
    @Param() { id }: KeyPath,
    @Ip() address: string,
  ): Promise<void> {
    await this.keys.revokeKey(account.id, id);
    await this.activity.recordKeyChange(account, 'key.revoke', address, id);
  }

  private show(issued: IssuedKey): string {
    return newKeyPage(issued, `${this.config.links.baseUrl}/api/v1/usage`);
  }
}

function inTime(ms: number): Date {
  return new Date(Date.now() + ms);
}
