import { Inject, Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { callerIdOfAddress } from '../access/caller.js';
import { ApiKeyCache } from '../access/api-key-cache.js';
import { Database } from '../db/database.js';
import { aside, assertReadsOpen } from '../db/scope.js';
import type { TierName } from '../config/tiers.js';
import { networkOf } from '../observe/audit.repository.js';
import { AccountMails, LINK_SECONDS } from './account-mails.js';
import type { AccountLibrary } from './account-library.js';
import { AccountActivity } from './account-activity.js';
import { AttemptLimit, HashingSemaphore } from './attempt-limit.js';
import { AccountProblem, LINK_IS_OLD, problemOf } from './account-problem.js';
import { AccountRepository, makeLinkToken, SignUpRepository } from './account.repository.js';
import { judgePassword, PasswordCost, type Strength } from './password-rules.js';
import { SessionCookies } from './session-cookies.js';

/** Injection token of the open {@link AccountLibrary}. */
export const ACCOUNT_LIBRARY = Symbol('AccountLibrary');

/** Values of Set-Cookie headers. */
export type Cookies = readonly string[];

/** The signed-in account. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly tier: TierName;
  /** Its current session. */
  readonly sessionId: string;
  /** The IP address of the request. */
  readonly address?: string | undefined;
}

/** Called once the rest of a request is only waiting, and no work of this process. */
export type Waits = () => void;

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/**
 * Signing up, in and out, and deleting an account. Neither the text nor the time of an answer reveals whether an
 * address has an account; only its mails and a successful sign-in do.
 */
@Injectable()
export class AccountsService {
  constructor(
    @Inject(ACCOUNT_LIBRARY) private readonly library: AccountLibrary,
    private readonly database: Database,
    private readonly mails: AccountMails,
    private readonly attempts: AttemptLimit,
    private readonly keyCache: ApiKeyCache,
    private readonly signUps: SignUpRepository,
    private readonly cookies: SessionCookies,
    private readonly hashing: HashingSemaphore,
    private readonly passwords: PasswordCost,
    private readonly activity: AccountActivity,
    private readonly rows: AccountRepository,
  ) {}

  /**
   * Mails a link that makes the account and sets its password, so a stranger cannot prepare an account for the owner of
   * the address. If there is an account already, the mail says so, also past the limits of mails to strangers, which
   * others can use up.
   *
   * @throws {AccountProblem} 429 past a limit, with or without an account
   */
  async signUp(email: string, address: string, waits: Waits): Promise<void> {
    await this.mails.countStranger(email, address);
    await this.inConstantTime(waits, async () => {
      const hasAccount = await this.signUps.hasAccount(email);
      if (hasAccount) this.mails.accountExists(email);
      await this.mails.countSignUp(email);
      if (!hasAccount) {
        const token = makeLinkToken();
        this.mails.confirmAddress(email, token, () => this.signUps.keep(email, token, LINK_SECONDS));
      }
    });
  }

  /** @param userAgent stored with the session, so that its owner can tell sessions apart */
  async signIn(
    { email, password }: Credentials,
    address: string,
    waits: Waits,
    userAgent = '',
  ): Promise<{ cookies: Cookies; needsCode: boolean }> {
    const place = callerIdOfAddress(address);
    await this.attempts.countFrom('signInFromAddress', address);
    await this.attempts.countFrom('signIn', address, email);
    // Strangers who guess must not lock out the owner, whose network has limits of its own.
    const network = networkOf(address);
    const isKnown = network !== null && (await this.rows.wasSignedInFrom(email, network));
    if (!isKnown) await this.attempts.count('signInToAccount', email);
    const given = {
      headers: new Headers({ 'User-Agent': userAgent.slice(0, MAX_USER_AGENT) }),
      body: { email, password },
    };
    const { headers, response: signedIn } = await this.inConstantTime(waits, () =>
      this.hashing
        .for({ address, isKnown }, () => this.library.api.signInEmail({ ...given, returnHeaders: true }))
        .catch(async (error: unknown) => {
          if (problemOf(error)?.status === 401)
            await this.activity.recordFailedSignIn(email, 'wrong password', address);
          throw error;
        }),
    );
    await this.attempts.forget('signIn', email, place);
    const cookies = this.cookies.forBrowser(headers.getSetCookie(), undefined);
    // With a second factor there is no session yet.
    if ('twoFactorRedirect' in signedIn) return { cookies, needsCode: true };
    await this.activity.recordSignIn(signedIn.user.id, address);
    return { cookies, needsCode: false };
  }

  /** The cookies of a library answer, in the form for the browser. */
  forBrowser(answer: Headers, { cookie }: IncomingHttpHeaders): Cookies {
    return this.cookies.forBrowser(answer.getSetCookie(), cookie);
  }

  async signOut(headers: IncomingHttpHeaders): Promise<Cookies> {
    const answer = await this.ask(() =>
      this.library.api.signOut({ headers: this.forLibrary(headers), returnHeaders: true }),
    );
    return this.cookies.forBrowser(answer.headers.getSetCookie(), headers.cookie);
  }

  /** @returns null without a valid session; else the account, and cookies if the session was renewed */
  async findSession(headers: IncomingHttpHeaders): Promise<{ account: Account; cookies: Cookies } | null> {
    if (!headers.cookie) return null;
    const answer = await this.ask(() =>
      this.library.api.getSession({ headers: this.forLibrary(headers), returnHeaders: true }),
    );
    if (!answer.response) return null;
    const { user, session } = answer.response;
    const { id, email, tier } = user;
    return {
      account: { id, email, tier: tier as TierName, sessionId: session.id },
      cookies: this.cookies.forBrowser(answer.headers.getSetCookie(), headers.cookie),
    };
  }

  /** Makes the account. */
  async confirmAddress(
    token: string,
    password: string,
    address: string,
  ): Promise<{ email: string; strength: Strength }> {
    const email = await this.signUps.findEmail(token);
    if (email === null) throw LINK_IS_OLD;
    const strength = await judgePassword(password, email);
    // Checked before the link is used up, so that a rejected visitor can use it again.
    this.hashing.assertRoom();
    if (!(await this.signUps.use(token))) throw LINK_IS_OLD;
    await this.ask(() => this.library.api.signUpEmail({ body: { name: '', email, password } }));
    const id = await this.signUps.confirm(email);
    if (id !== null) await this.activity.record(id, 'account.confirm', address);
    return { email, strength };
  }

  /** Deletes the account and its data. Its keys stop working. */
  async deleteAccount(
    account: Account,
    headers: IncomingHttpHeaders,
    password: string,
    address: string,
  ): Promise<Cookies> {
    await this.attempts.count('password', account.id);
    await this.confirmPassword(headers, password);
    const open = await this.rows.findOpenBusiness(account.id);
    if (open !== null) throw new AccountProblem(409, open);
    const answer = await this.ask(() =>
      this.library.api.deleteUser({
        headers: this.forLibrary(headers),
        body: { password },
        returnHeaders: true,
      }),
    );
    await this.keyCache.invalidate();
    await this.activity.record(account.id, 'account.delete', address);
    return this.cookies.forBrowser(answer.headers.getSetCookie(), headers.cookie);
  }

  /** Checks the password of the signed-in account. @throws {AccountProblem} if it is wrong */
  async confirmPassword(headers: IncomingHttpHeaders, password: string): Promise<void> {
    await this.ask(() =>
      this.library.api.verifyPassword({ headers: this.forLibrary(headers), body: { password } }),
    );
  }

  /**
   * Success or failure, the answer takes at least `minAnswerMs`, so that its time does not reveal an account. Strangers
   * who wait for it, or for their turn to hash, keep no other request out.
   */
  async inConstantTime<Result>(waits: Waits, work: () => Promise<Result>): Promise<Result> {
    waits();
    const [outcome] = await aside(() =>
      Promise.allSettled([this.ask(work), pause(this.passwords.minAnswerMs)]),
    );
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  /** The library needs only the cookies of a request. */
  forLibrary({ cookie }: IncomingHttpHeaders): Headers {
    return new Headers(cookie ? { cookie: this.cookies.forLibrary(cookie) } : {});
  }

  /** For a new session: with the browser's name, by which its owner recognises the device. */
  forNewSession(headers: IncomingHttpHeaders): Headers {
    const known = this.forLibrary(headers);
    known.set('User-Agent', (headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT));
    return known;
  }

  /** Calls the library. @throws {AccountProblem} if it refuses, in words for the visitor */
  async ask<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.database.guard(work);
    } catch (error) {
      assertReadsOpen();
      throw problemOf(error) ?? error;
    }
  }
}

/** Browsers' names are shorter. */
const MAX_USER_AGENT = 300;
