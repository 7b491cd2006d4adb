import { Inject, Injectable, Logger } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { callerIdOfAddress } from '../access/caller.js';
import { AccountMails } from './account-mails.js';
import { AccountProblem } from './account-problem.js';
import { AccountActivity } from './account-activity.js';
import { type Account, ACCOUNT_LIBRARY, AccountsService, type Cookies } from './accounts.service.js';
import type { AccountLibrary } from './library/account-library.js';
import { AccountRepository } from './account.repository.js';
import { AttemptLimit } from './attempt-limit.js';
import { isWrongCode } from './library/library-problems.js';
import { SessionCookies } from './session-cookies.js';

/** What an authenticator app is given, and what helps who has lost it; shown once. */
export interface NewFactor {
  readonly uri: string;
  /** The key in it, for typing. */
  readonly key: string;
  readonly recoveryCodes: readonly string[];
}

const RECOVERY_CODE = /^[A-Za-z0-9]{5}-[A-Za-z0-9]{5}$/;

/** The second factor of an account, and the second step of signing in with it. */
@Injectable()
export class SecondFactors {
  private readonly logger = new Logger(SecondFactors.name);

  constructor(
    @Inject(ACCOUNT_LIBRARY) private readonly library: AccountLibrary,
    private readonly accounts: AccountsService,
    private readonly attempts: AttemptLimit,
    private readonly activity: AccountActivity,
    private readonly mails: AccountMails,
    private readonly cookies: SessionCookies,
    private readonly rows: AccountRepository,
  ) {}

  async isOn(headers: IncomingHttpHeaders): Promise<boolean> {
    const found = await this.accounts.ask(() =>
      this.library.api.getSession({ headers: this.accounts.forLibrary(headers) }),
    );
    return found?.user.twoFactorEnabled === true;
  }

  /** Makes one, which is asked for when a code of it was seen. */
  async begin(account: Account, headers: IncomingHttpHeaders, password: string): Promise<NewFactor> {
    await this.attempts.count('password', account.id);
    const made = await this.accounts.ask(() =>
      this.library.api.enableTwoFactor({ headers: this.accounts.forLibrary(headers), body: { password } }),
    );
    if (made.method !== 'totp') throw new Error('a second factor of another kind');
    const key = new URL(made.totpURI).searchParams.get('secret') ?? '';
    return { uri: made.totpURI, key, recoveryCodes: made.backupCodes };
  }

  async turnOn(
    account: Account,
    headers: IncomingHttpHeaders,
    code: string,
    address: string,
  ): Promise<Cookies> {
    await this.attempts.count('password', account.id);
    const answer = await this.accounts.ask(() =>
      this.library.api.verifyTOTP({
        headers: this.accounts.forLibrary(headers),
        body: { code },
        returnHeaders: true,
      }),
    );
    await this.activity.note(account.id, 'factor.add', address);
    this.mails.factorChanged(
      account.email,
      'A second factor is asked for from now on when somebody signs in to your account',
    );
    return this.accounts.forBrowser(answer.headers, headers);
  }

  async turnOff(
    account: Account,
    headers: IncomingHttpHeaders,
    password: string,
    address: string,
  ): Promise<Cookies> {
    await this.attempts.count('password', account.id);
    const answer = await this.accounts.ask(() =>
      this.library.api.disableTwoFactor({
        headers: this.accounts.forLibrary(headers),
        body: { password },
        returnHeaders: true,
      }),
    );
    await this.activity.note(account.id, 'factor.remove', address);
    this.mails.factorChanged(
      account.email,
      'No second factor is asked for any more when somebody signs in to your account',
    );
    return this.accounts.forBrowser(answer.headers, headers);
  }

  /** Of who has shown the right password. Never fails: that the code was wrong is said in any case. */
  private async noteWrongCode(headers: IncomingHttpHeaders, address: string): Promise<void> {
    try {
      const begun = this.cookies.read('two_factor', headers.cookie);
      const email = begun === null ? null : await this.rows.findEmailOfLink(begun);
      if (email !== null) await this.activity.noteFailure(email, 'wrong code', address);
    } catch (failure) {
      this.logger.error(`A wrong code is not on record: ${String(failure)}`);
    }
  }

  /** Of who is signed in: a code of the app or a recovery code, where the factor is on. The caller counts the attempts. @throws {AccountProblem} */
  async confirm(headers: IncomingHttpHeaders, code = ''): Promise<void> {
    if (!(await this.isOn(headers))) return;
    if (code === '') throw new AccountProblem(401, 'Enter a code of your authenticator app as well.');
    await this.verify(this.accounts.forLibrary(headers), code);
  }

  /** The second step of signing in. @param code of the app, or a recovery code, which works no second time */
  async signIn(headers: IncomingHttpHeaders, code: string, address: string): Promise<Cookies> {
    await this.attempts.count('signInFromAddress', callerIdOfAddress(address));
    const answer = await this.verify(this.accounts.forNewSession(headers), code).catch(
      async (error: unknown) => {
        if (isWrongCode(error)) await this.noteWrongCode(headers, address);
        throw error;
      },
    );
    const { user } = answer.response;
    await this.activity.note(user.id, 'account.sign-in', address, 'with a second factor');
    return this.accounts.forBrowser(answer.headers, headers);
  }

  private verify(headers: Headers, code: string) {
    const text = code.replace(/\s/g, '');
    const given = { headers, body: { code: text }, returnHeaders: true as const };
    return this.accounts.ask(() =>
      RECOVERY_CODE.test(text)
        ? this.library.api.verifyBackupCode(given)
        : this.library.api.verifyTOTP(given),
    );
  }
}
