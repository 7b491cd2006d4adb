import { Inject, Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { callerIdOfAddress } from '../auth/caller.js';
import { KeyRing } from '../auth/keys/key-ring.js';
import { Database } from '../database/database.js';
import type { TierName } from '../tiers/tiers.js';
import { isObject } from '../validation/is-object.js';
import { AccountMails } from './account-mails.js';
import { type AccountLibrary, PASSWORD_MAX, PASSWORD_MIN } from './library/account-library.js';
import { AccountProblem } from './account-problem.js';
import { AttemptLimit } from './library/attempt-limit.js';

/** Injection token of the open {@link AccountLibrary}. */
export const ACCOUNT_LIBRARY = Symbol('AccountLibrary');

/** Values of Set-Cookie headers. */
export type Cookies = readonly string[];

/** Who is signed in. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly tier: TierName;
  /** The session that it is signed in by. */
  readonly sessionId: string;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/**
 * What people do with their accounts. Whether an address has an account shows neither in what is said nor in how long it
 * takes; only who reads the mail of that address, or signs in to it, can tell.
 */
@Injectable()
export class AccountsService {
  constructor(
    @Inject(ACCOUNT_LIBRARY) private readonly library: AccountLibrary,
    private readonly database: Database,
    private readonly mails: AccountMails,
    private readonly attempts: AttemptLimit,
    private readonly ring: KeyRing,
  ) {}

  /** Makes an account that works when its address is confirmed. The owner of an address that has one gets a mail instead. */
  async signUp({ email, password }: Credentials, address: string): Promise<void> {
    await this.attempts.count('mailFromAddress', callerIdOfAddress(address));
    await this.inConstantTime(() => this.library.api.signUpEmail({ body: { name: '', email, password } }));
  }

  /** @param userAgent kept with the session, for its owner to tell sessions apart */
  async signIn({ email, password }: Credentials, address: string, userAgent = ''): Promise<Cookies> {
    const place = callerIdOfAddress(address);
    await this.attempts.count('signInFromAddress', place);
    await this.attempts.count('signInToAccount', email);
    await this.attempts.count('signIn', email, place);
    const { headers } = await this.inConstantTime(() =>
      this.library.api.signInEmail({
        headers: new Headers({ 'User-Agent': userAgent.slice(0, MAX_USER_AGENT) }),
        body: { email, password },
        returnHeaders: true,
      }),
    );
    await this.attempts.forget('signIn', email, place);
    return headers.getSetCookie();
  }

  async signOut(headers: IncomingHttpHeaders): Promise<Cookies> {
    const answer = await this.ask(() =>
      this.library.api.signOut({ headers: cookiesOf(headers), returnHeaders: true }),
    );
    return answer.headers.getSetCookie();
  }

  /** @returns null without a session that works; else the account, and cookies when the session was renewed */
  async findSession(headers: IncomingHttpHeaders): Promise<{ account: Account; cookies: Cookies } | null> {
    if (!headers.cookie) return null;
    const answer = await this.ask(() =>
      this.library.api.getSession({ headers: cookiesOf(headers), returnHeaders: true }),
    );
    if (!answer.response) return null;
    const { user, session } = answer.response;
    const { id, email, tier } = user;
    return {
      account: { id, email, tier: tier as TierName, sessionId: session.id },
      cookies: answer.headers.getSetCookie(),
    };
  }

  async confirmAddress(token: string): Promise<void> {
    await this.ask(() => this.library.api.verifyEmail({ query: { token } }));
  }

  /** Sends a link to the address, if it has an account. */
  async requestNewPassword(email: string, address: string): Promise<void> {
    await this.attempts.count('mailFromAddress', callerIdOfAddress(address));
    await this.inConstantTime(() => this.library.api.requestPasswordReset({ body: { email } }));
  }

  /** Every session of the account ends. */
  async setNewPassword(token: string, password: string): Promise<void> {
    await this.ask(() => this.library.api.resetPassword({ body: { token, newPassword: password } }));
  }

  /** Every other session of the account ends; keys go on working. The owner gets a mail. */
  async changePassword(
    account: Account,
    headers: IncomingHttpHeaders,
    currentPassword: string,
    newPassword: string,
  ): Promise<Cookies> {
    await this.attempts.count('password', account.id);
    const answer = await this.ask(() =>
      this.library.api.changePassword({
        headers: cookiesOf(headers),
        body: { currentPassword, newPassword, revokeOtherSessions: true },
        returnHeaders: true,
      }),
    );
    await this.mails.passwordChanged(account.email);
    return answer.headers.getSetCookie();
  }

  /** Removes the account with everything that belongs to it. Its keys stop working. */
  async deleteAccount(account: Account, headers: IncomingHttpHeaders, password: string): Promise<Cookies> {
    await this.attempts.count('password', account.id);
    const answer = await this.ask(() =>
      this.library.api.deleteUser({ headers: cookiesOf(headers), body: { password }, returnHeaders: true }),
    );
    await this.ring.notice();
    return answer.headers.getSetCookie();
  }

  // For what must not tell by its time whether there is such an account: answers, well or badly, not before CONSTANT_MS.
  private async inConstantTime<Result>(work: () => Promise<Result>): Promise<Result> {
    const [outcome] = await Promise.allSettled([this.ask(work), pause(CONSTANT_MS)]);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  private async ask<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.database.guard(work);
    } catch (error) {
      throw problemOf(error) ?? error;
    }
  }
}

/** Longer than browsers call themselves. */
const MAX_USER_AGENT = 300;

/** More than a password's hash and a few statements take: 60 to 120 ms. */
const CONSTANT_MS = 500;

// The library judges by cookies alone; what else came with the request is none of its business.
function cookiesOf({ cookie }: IncomingHttpHeaders): Headers {
  return new Headers(cookie ? { cookie } : {});
}

// One answer for both: a guessed password must not be told to be right, nor an address to have an account.
const NOT_SIGNED_IN = new AccountProblem(
  401,
  'Address and password do not belong together, or the address is not confirmed yet: then a link is in your mail.',
);
const LINK_IS_OLD = new AccountProblem(400, 'This link does not work, or no longer. Ask for a new one.');
const PROBLEMS: Readonly<Record<string, AccountProblem>> = {
  INVALID_EMAIL: new AccountProblem(400, 'This is not an e-mail address.'),
  INVALID_EMAIL_OR_PASSWORD: NOT_SIGNED_IN,
  EMAIL_NOT_VERIFIED: NOT_SIGNED_IN,
  FAILED_TO_CREATE_SESSION: new AccountProblem(
    403,
    'This account is disabled. Write to us if that is a mistake.',
  ),
  INVALID_PASSWORD: new AccountProblem(401, 'The current password is not right.'),
  PASSWORD_TOO_SHORT: new AccountProblem(400, `The password needs at least ${PASSWORD_MIN} characters.`),
  PASSWORD_TOO_LONG: new AccountProblem(400, `The password may have ${PASSWORD_MAX} characters at most.`),
  INVALID_TOKEN: LINK_IS_OLD,
  TOKEN_EXPIRED: LINK_IS_OLD,
  USER_NOT_FOUND: LINK_IS_OLD,
};

function problemOf(error: unknown): AccountProblem | undefined {
  // By shape: under Jest the library's error class may come from another realm.
  if (!isObject(error)) return undefined;
  const { body } = error;
  return isObject(body) ? PROBLEMS[String(body.code)] : undefined;
}
