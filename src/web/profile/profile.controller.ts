import { fillIn, t } from '../../texts/texts.js';
import { Body, Get, Header, Ip, Post, Query, Redirect, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AccountActivity } from '../../accounts/account-activity.js';
import { AccountDataRepository } from '../../accounts/account-data.repository.js';
import { type Account, AccountsService } from '../../accounts/accounts.service.js';
import { Passwords } from '../../accounts/passwords.service.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { ACCOUNT_ACTIONS, type AuditEntry } from '../../observe/audit.repository.js';
import { timeView } from '../layout/words.js';
import { FormPages, ProofGuard, SessionGuard, SignedIn } from './form-pages.js';
import { FormsInPlace } from './forms-in-place.js';
import { ActivityQuery, ChangePasswordForm, DeleteForm } from './forms.dto.js';
import { definePage, DoneQuery, noticeOf } from './page.js';

const profilePage = definePage('profile', { title: t.profile.titles.account });
const activityPage = definePage('activity', { title: t.profile.titles.activity });
const ACTIONS = new Map<string, string>(Object.entries(ACCOUNT_ACTIONS));

@FormPages()
@UseGuards(SessionGuard)
export class ProfileController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly passwords: Passwords,
    private readonly config: Config,
    private readonly activity: AccountActivity,
    private readonly data: AccountDataRepository,
    private readonly clock: Clock,
    inPlace: FormsInPlace,
  ) {
    inPlace.register('/profile', (account) => this.showProfile(account, {}));
  }

  @Get('profile')
  showProfile(@SignedIn() { email, tier }: Account, @Query() query: DoneQuery): string {
    const { takesApps } = this.config.auth;
    const takesOrders = this.config.orders.enabled;
    return profilePage({ email, tier, takesApps, takesOrders, notice: noticeOf(query) });
  }

  @Get('profile/activity')
  async showActivity(@SignedIn() { id }: Account, @Query() { before }: ActivityQuery): Promise<string> {
    const { entries, next } = await this.activity.list(id, before);
    return showEntries(entries, next, await this.clock.now());
  }

  @Post('profile/password')
  @UseGuards(ProofGuard)
  @Redirect('', 303)
  async changePassword(
    @SignedIn() account: Account,
    @Body() form: ChangePasswordForm,
    @Req() { headers, ip = '' }: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ url: string }> {
    const { current_password, new_password } = form;
    const { cookies, strength } = await this.passwords.changePassword(
      account,
      headers,
      current_password,
      new_password,
      ip,
    );
    response.append('Set-Cookie', [...cookies]);
    return { url: `/profile?done=password-changed-${strength}` };
  }

  @Post('profile/delete')
  @UseGuards(ProofGuard)
  @Redirect('/sign-in?done=deleted', 303)
  async deleteAccount(
    @SignedIn() account: Account,
    @Body() { password }: DeleteForm,
    @Req() { headers }: Request,
    @Ip() address: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    const cookies = await this.accounts.deleteAccount(account, headers, password, address);
    response.append('Set-Cookie', [...cookies]);
  }

  @Get('profile/data.json')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Content-Disposition', 'attachment; filename="bowerbird-account.json"')
  async download(@SignedIn() { id }: Account, @Query() _: NoParameters): Promise<string> {
    const [made, data] = await Promise.all([this.clock.now(), this.data.readAll(id)]);
    return `${JSON.stringify({ made_at: made.toISOString(), ...data }, null, 2)}\n`;
  }
}

function showEntries(entries: readonly AuditEntry[], next: number | null, now: Date): string {
  return activityPage({
    next,
    entries: entries.map((entry) => ({
      at: timeView(entry.at, now),
      words: wordsOf(entry),
      from: entry.from ?? (entry.actor.startsWith('account:') ? t.profile.notKnown : t.profile.theOperator),
    })),
  });
}

function wordsOf({ action, actor, reason }: AuditEntry): string {
  const known = ACTIONS.get(action);
  // The reason of an operator is for operators.
  if (known === undefined)
    return actor.startsWith('account:') ? action : fillIn(t.profile.byOperator, { action });
  return reason === '' ? known : fillIn(t.profile.action, { action: known, details: reason });
}
