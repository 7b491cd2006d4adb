import { Body, Get, Ip, Post, Query, Redirect, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../config/config.js';
import { ChangePasswordForm, DeleteForm } from './account.dto.js';
import { type Account, AccountsService } from '../../accounts/accounts.service.js';
import { AccountActivity } from '../../accounts/account-activity.js';
import { ActivityQuery, activityPage } from './activity-page.js';
import { FormPages } from './form-page.decorator.js';
import { DoneQuery, noticeOf } from './notices.js';
import { profilePage } from './profile-page.js';
import { Passwords } from '../../accounts/passwords.service.js';
import { SessionGuard, SignedIn } from './session.guard.js';

@FormPages()
@UseGuards(SessionGuard)
export class ProfileController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly passwords: Passwords,
    private readonly config: Config,
    private readonly activity: AccountActivity,
  ) {}

  @Get('profile')
  showProfile(@SignedIn() { email, tier }: Account, @Query() query: DoneQuery): string {
    const { takesApps } = this.config.auth;
    return profilePage({ email, tier, takesApps, notice: noticeOf(query) });
  }

  @Get('profile/activity')
  async showActivity(@SignedIn() { id }: Account, @Query() { before }: ActivityQuery): Promise<string> {
    return activityPage(await this.activity.list(id, before));
  }

  @Post('profile/password')
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
}
