import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { callerIdOfAddress } from '../access/caller.js';
import { Config } from '../config/config.js';
import { Database } from '../db/database.js';
import { messageOf } from '../validation/unknown-values.js';
import { AccountActivity } from './account-activity.js';
import { type AccountLibrary, numberedSecrets } from './account-library.js';
import { AccountMails } from './account-mails.js';
import { AccountProblem, isWrongCode } from './account-problem.js';
import { AccountRepository } from './account.repository.js';
import { type Account, ACCOUNT_LIBRARY, AccountsService, type Cookies } from './accounts.service.js';
import { AttemptLimit } from './attempt-limit.js';
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
    await this.activity.record(account.id, 'factor.add', address);
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
    await this.activity.record(account.id, 'factor.remove', address);
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
      if (email !== null) await this.activity.recordFailedSignIn(email, 'wrong code', address);
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
    await this.activity.record(user.id, 'account.sign-in', address, 'with a second factor');
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

const RESEALED_AT_ONCE = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface Sealed {
  readonly id: string;
  readonly secret: string;
  readonly codes: string;
}

/**
 * Second factors are sealed with AUTH_SECRET. While it is replaced, those that the one before sealed are sealed anew: once there are none,
 * the one before need not be accepted any more.
 */
@Injectable()
export class TotpSecretRotation implements OnApplicationBootstrap {
  private readonly logger = new Logger('Accounts');

  constructor(
    private readonly config: Config,
    private readonly database: Database,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { secrets } = this.config.auth;
    if (secrets.length < 2) return;
    try {
      const { resealed, left } = await this.reseal(secrets);
      this.logger.log(`${resealed} second factors were sealed anew with AUTH_SECRET`);
      if (left > 0) this.logger.warn(`${left} second factors open with neither secret`);
    } catch (error) {
      this.logger.warn(`Second factors were not sealed anew, the next start will: ${messageOf(error)}`);
    }
  }

  private async reseal(secrets: readonly string[]): Promise<{ resealed: number; left: number }> {
    const { symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto');
    const numbered = numberedSecrets(secrets);
    const current = numbered[0]?.version ?? 0;
    const key = {
      keys: new Map(numbered.map(({ version, value }) => [version, value])),
      currentVersion: current,
    };
    const anew = async (data: string) =>
      symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) });
    let [resealed, left, after] = [0, 0, FIRST_ID];
    for (;;) {
      const rows = await this.listOthers(`$ba$${current}$`, after);
      for (const row of rows) {
        const sealed = await Promise.all([anew(row.secret), anew(row.codes)]).catch(() => null);
        if (sealed === null) left += 1;
        else if (await this.replace(row, ...sealed)) resealed += 1;
      }
      const last = rows.at(-1);
      if (!last || rows.length < RESEALED_AT_ONCE) return { resealed, left };
      after = last.id;
    }
  }

  /** Those that another secret has sealed. */
  private listOthers(current: string, after: string): Promise<Sealed[]> {
    return this.database.query<Sealed>(
      `SELECT id, secret, backup_codes AS codes FROM account_second_factor
        WHERE id > $1 AND NOT (starts_with(secret, $2) AND starts_with(backup_codes, $2))
        ORDER BY id LIMIT $3`,
      [after, current, RESEALED_AT_ONCE],
    );
  }

  // Unless a recovery code was used meanwhile, which has sealed them anew.
  private async replace(
    { id, secret, codes }: Sealed,
    newSecret: string,
    newCodes: string,
  ): Promise<boolean> {
    const rows = await this.database.query(
      `UPDATE account_second_factor SET secret = $4, backup_codes = $5
        WHERE id = $1 AND secret = $2 AND backup_codes = $3 RETURNING id`,
      [id, secret, codes, newSecret, newCodes],
    );
    return rows.length > 0;
  }
}
