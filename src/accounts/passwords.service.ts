import { Inject, Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiKeyCache } from '../access/api-key-cache.js';
import { AppRepository } from './connected-apps.repository.js';
import { AccountMails } from './account-mails.js';
import { AccountProblem } from './account-problem.js';
import { AccountActivity } from './account-activity.js';
import {
  type Account,
  ACCOUNT_LIBRARY,
  AccountsService,
  type Cookies,
  type Waits,
} from './accounts.service.js';
import type { AccountLibrary } from './account-library.js';
import { AccountRepository, SignUpRepository } from './account.repository.js';
import { AttemptLimit } from './attempt-limit.js';
import { t } from '../texts/texts.js';
import { judgePassword, type Strength } from './password-rules.js';

/** Changing and resetting passwords, and rating them while they are typed. */
@Injectable()
export class Passwords {
  constructor(
    @Inject(ACCOUNT_LIBRARY) private readonly library: AccountLibrary,
    private readonly accounts: AccountsService,
    private readonly signUps: SignUpRepository,
    private readonly links: AccountRepository,
    private readonly attempts: AttemptLimit,
    private readonly activity: AccountActivity,
    private readonly mails: AccountMails,
    private readonly apps: AppRepository,
    private readonly keyCache: ApiKeyCache,
  ) {}

  /** Mails a link if the address has an account. */
  async requestNewPassword(email: string, address: string, waits: Waits): Promise<void> {
    await this.mails.countStranger(email, address);
    await this.accounts.inConstantTime(waits, () =>
      this.library.api.requestPasswordReset({ body: { email } }),
    );
  }

  /** Ends every session of the account, and disconnects its apps. */
  async setNewPassword(
    token: string,
    password: string,
    address: string,
  ): Promise<{ email: string | undefined; strength: Strength }> {
    const email = await this.emailOf(token);
    const strength = await judgePassword(password, email);
    // Before the reset, which must not succeed alone, and after it, when no session can connect an app any more.
    const before = email === undefined ? null : await this.disconnectApps(email, address);
    await this.accounts.ask(() => this.library.api.resetPassword({ body: { token, newPassword: password } }));
    if (email !== undefined && before !== null) {
      const after = await this.disconnectApps(email, address);
      await this.mails.passwordReset(before.accountId, email, [...before.names, ...(after?.names ?? [])]);
    }
    return { email, strength };
  }

  private async disconnectApps(email: string, address: string) {
    const ended = await this.apps.disconnectAll(email);
    await this.keyCache.invalidate();
    for (const name of ended?.names ?? [])
      await this.activity.recordBestEffort(ended?.accountId ?? '', 'app.disconnect', address, name);
    return ended;
  }

  /** The sentence a form shows about the password; nothing is stored. */
  async judge(
    { password, token, username }: { password: string; token: string; username: string },
    address: string,
  ): Promise<string> {
    await this.attempts.countFrom('passwordStrength', address);
    const email = token === '' ? username : await this.emailOf(token);
    try {
      return t.profile.strengths[await judgePassword(password, email)];
    } catch (refusal) {
      if (refusal instanceof AccountProblem) return refusal.message;
      throw refusal;
    }
  }

  /** The address that the link was mailed to. */
  private async emailOf(token: string): Promise<string | undefined> {
    return (
      (await this.signUps.findEmail(token)) ??
      (await this.links.findEmailOfLink(`reset-password:${token}`)) ??
      undefined
    );
  }

  /** Every other session of the account ends; keys keep working. The owner gets a mail. */
  async changePassword(
    account: Account,
    headers: IncomingHttpHeaders,
    currentPassword: string,
    newPassword: string,
    address: string,
  ): Promise<{ cookies: Cookies; strength: Strength }> {
    const strength = await judgePassword(newPassword, account.email);
    await this.attempts.count('password', account.id);
    const answer = await this.accounts.ask(() =>
      this.library.api.changePassword({
        headers: this.accounts.forLibrary(headers),
        body: { currentPassword, newPassword, revokeOtherSessions: true },
        returnHeaders: true,
      }),
    );
    await this.activity.record(account.id, 'account.password-change', address);
    await this.mails.passwordChanged(account.email);
    return { cookies: this.accounts.forBrowser(answer.headers, headers), strength };
  }
}
