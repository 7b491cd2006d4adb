import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { Config } from '../config/config.js';
import { messageOf } from '../validation/unknown-values.js';
import { AccountActivity } from './account-activity.js';
import { type AccountLibrary, numberedSecrets } from './account-library.js';
import { AccountMails } from './account-mails.js';
import { AccountProblem, isWrongCode, WRONG_CODE } from './account-problem.js';
import { AccountRepository, SecondFactorRepository } from './account.repository.js';
import { type Account, ACCOUNT_LIBRARY, AccountsService, type Cookies } from './accounts.service.js';
import { AttemptLimit } from './attempt-limit.js';
import { SessionCookies } from './session-cookies.js';

/** For the authenticator app, with recovery codes for its loss; shown once. */
export interface NewFactor {
  readonly uri: string;
  /** The key of the URI, for typing. */
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

  /** Makes a factor; it is active after its first code. */
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
    const answer = await this.once(account.email, code, () =>
      this.library.api.verifyTOTP({
        headers: this.accounts.forLibrary(headers),
        body: { code },
        returnHeaders: true,
      }),
    );
    await this.activity.record(account.id, 'factor.add', address);
    this.mails.factorChanged(account.email, 'Signing in to your account needs a second factor from now on');
    return this.accounts.forBrowser(answer.headers, headers);
  }

  async turnOff(
    account: Account,
    headers: IncomingHttpHeaders,
    { password, code }: { readonly password: string; readonly code: string },
    address: string,
  ): Promise<Cookies> {
    await this.attempts.count('password', account.id);
    // Before the code, which works only once.
    await this.accounts.confirmPassword(headers, password);
    await this.confirm(account, headers, code);
    const answer = await this.accounts.ask(() =>
      this.library.api.disableTwoFactor({
        headers: this.accounts.forLibrary(headers),
        body: { password },
        returnHeaders: true,
      }),
    );
    await this.activity.record(account.id, 'factor.remove', address);
    this.mails.factorChanged(account.email, 'Signing in to your account needs no second factor any more');
    return this.accounts.forBrowser(answer.headers, headers);
  }

  /** After the right password. Never throws: the answer is about the wrong code. */
  private async recordWrongCode(email: string, address: string): Promise<void> {
    try {
      await this.activity.recordFailedSignIn(email, 'wrong code', address);
    } catch (failure) {
      this.logger.error(`A wrong code is missing from the audit log: ${String(failure)}`);
    }
  }

  /**
   * Checks a code of the signed-in account, if its factor is on. The caller counts attempts.
   *
   * @throws {AccountProblem}
   */
  async confirm({ email }: Account, headers: IncomingHttpHeaders, code = ''): Promise<void> {
    if (!(await this.isOn(headers))) return;
    if (code === '') throw new AccountProblem(401, 'Enter a code of your authenticator app as well.');
    await this.verify(email, this.accounts.forLibrary(headers), code);
  }

  /** The second step of signing in. @param code of the app, or a recovery code, which works once */
  async signIn(headers: IncomingHttpHeaders, code: string, address: string): Promise<Cookies> {
    await this.attempts.countFrom('signInFromAddress', address);
    const begun = this.cookies.read('two_factor', headers.cookie);
    const email = begun === null ? null : await this.rows.findEmailOfLink(begun);
    // The library gets this cookie alone: beside a session or a second cookie it might check another account.
    const cookie = begun === null ? undefined : this.cookies.alone('two_factor', begun);
    const known = this.accounts.forNewSession({ ...headers, cookie });
    const answer = await this.verify(email, known, code).catch(async (error: unknown) => {
      if (isWrongCode(error) && email !== null) await this.recordWrongCode(email, address);
      throw error;
    });
    const { user } = answer.response;
    await this.activity.recordSignIn(user.id, address, 'with a second factor');
    return this.accounts.forBrowser(answer.headers, headers);
  }

  private async verify(email: string | null, headers: Headers, code: string) {
    const text = code.replace(/\s/g, '');
    const given = { headers, body: { code: text }, returnHeaders: true as const };
    // A recovery code is deleted when it is used.
    if (RECOVERY_CODE.test(text)) return this.accounts.ask(() => this.library.api.verifyBackupCode(given));
    return this.once(email, text, () => this.library.api.verifyTOTP(given));
  }

  /** Checks a code of the app, which works once. @throws {AccountProblem} */
  private async once<Result>(
    email: string | null,
    code: string,
    check: () => Promise<Result>,
  ): Promise<Result> {
    if (email === null) return this.accounts.ask(check);
    // Before the check, which begins a session: of two requests with the same code at the same time one gets here first.
    if (!(await this.attempts.isWithin('usedCode', email, code))) throw WRONG_CODE;
    try {
      return await this.accounts.ask(check);
    } catch (error) {
      await this.attempts.forget('usedCode', email, code);
      throw error;
    }
  }
}

const ROTATED_AT_ONCE = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Second factors are encrypted with AUTH_SECRET. At each start, those of a previous secret are encrypted with the
 * current one. After that the previous secret can be dropped.
 */
@Injectable()
export class TotpSecretRotation implements OnApplicationBootstrap {
  private readonly logger = new Logger('Accounts');

  constructor(
    private readonly config: Config,
    private readonly factors: SecondFactorRepository,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { secrets } = this.config.auth;
    if (secrets.length < 2) return;
    try {
      const { rotated, left } = await this.rotate(secrets);
      this.logger.log(`${rotated} second factors are now encrypted with the current AUTH_SECRET`);
      if (left > 0) this.logger.warn(`${left} second factors cannot be decrypted with any secret`);
    } catch (error) {
      this.logger.warn(`Second factors were not re-encrypted, the next start will: ${messageOf(error)}`);
    }
  }

  private async rotate(secrets: readonly string[]): Promise<{ rotated: number; left: number }> {
    const { symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto');
    const numbered = numberedSecrets(secrets);
    const current = numbered[0]?.version ?? 0;
    const key = {
      keys: new Map(numbered.map(({ version, value }) => [version, value])),
      currentVersion: current,
    };
    const encrypt = async (data: string) =>
      symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) });
    let [rotated, left, after] = [0, 0, FIRST_ID];
    for (;;) {
      const rows = await this.factors.listOthers(`$ba$${current}$`, after, ROTATED_AT_ONCE);
      for (const row of rows) {
        const encrypted = await Promise.all([encrypt(row.secret), encrypt(row.codes)]).catch(() => null);
        if (encrypted === null) left += 1;
        else if (await this.factors.replace(row, ...encrypted)) rotated += 1;
      }
      const last = rows.at(-1);
      if (!last || rows.length < ROTATED_AT_ONCE) return { rotated, left };
      after = last.id;
    }
  }
}
