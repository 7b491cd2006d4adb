import { Inject, Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { callerIdOfAddress } from '../access/caller.js';
import { ApiKeyCache } from '../access/api-key-cache.js';
import { Database } from '../db/database.js';
import type { TierName } from '../config/tiers.js';
import { AccountMails, LINK_SECONDS } from './account-mails.js';
import type { AccountLibrary } from './account-library.js';
import { AccountActivity } from './account-activity.js';
import { AttemptLimit, HashingSemaphore } from './attempt-limit.js';
import { LINK_IS_OLD, problemOf } from './account-problem.js';
import { makeLinkToken, SignUpRepository } from './account.repository.js';
import { judgePassword, type Strength } from './password-rules.js';
import { SessionCookies } from './session-cookies.js';

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
  /** Where the request came from. */
  readonly address?: string | undefined;
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
    private readonly keyCache: ApiKeyCache,
    private readonly signUps: SignUpRepository,
    private readonly cookies: SessionCookies,
    private readonly hashing: HashingSemaphore,
    private readonly activity: AccountActivity,
  ) {}

  /**
   * Mails a link with which whoever reads the address can make an account and choose its password: nobody can leave one there for somebody
   * else. The owner of an address that has an account is told instead.
   */
  async signUp(email: string, address: string): Promise<void> {
    await this.attempts.count('mailFromAddress', callerIdOfAddress(address));
    await this.inConstantTime(async () => {
      if (await this.signUps.hasAccount(email)) this.mails.accountExists(email);
      else {
        const token = makeLinkToken();
        this.mails.confirmAddress(email, token, () => this.signUps.keep(email, token, LINK_SECONDS));
      }
    });
  }

  /** @param userAgent kept with the session, for its owner to tell sessions apart */
  async signIn(
    { email, password }: Credentials,
    address: string,
    userAgent = '',
  ): Promise<{ cookies: Cookies; needsCode: boolean }> {
    const place = callerIdOfAddress(address);
    await this.attempts.count('signInFromAddress', place);
    await this.attempts.count('signInToAccount', email);
    await this.attempts.count('signIn', email, place);
    const given = {
      headers: new Headers({ 'User-Agent': userAgent.slice(0, MAX_USER_AGENT) }),
      body: { email, password },
    };
    const { headers, response: signedIn } = await this.inConstantTime(() =>
      this.library.api.signInEmail({ ...given, returnHeaders: true }).catch(async (error: unknown) => {
        if (problemOf(error)?.status === 401)
          await this.activity.recordFailedSignIn(email, 'wrong password', address);
        throw error;
      }),
    );
    await this.attempts.forget('signIn', email, place);
    const cookies = this.cookies.forBrowser(headers.getSetCookie(), undefined);
    // With a second factor nobody is signed in yet.
    if ('twoFactorRedirect' in signedIn) return { cookies, needsCode: true };
    await this.activity.record(signedIn.user.id, 'account.sign-in', address);
    return { cookies, needsCode: false };
  }

  /** Cookies of an answer of the library, as the browser is to have them. */
  forBrowser(answer: Headers, { cookie }: IncomingHttpHeaders): Cookies {
    return this.cookies.forBrowser(answer.getSetCookie(), cookie);
  }

  async signOut(headers: IncomingHttpHeaders): Promise<Cookies> {
    const answer = await this.ask(() =>
      this.library.api.signOut({ headers: this.forLibrary(headers), returnHeaders: true }),
    );
    return this.cookies.forBrowser(answer.headers.getSetCookie(), headers.cookie);
  }

  /** @returns null without a session that works; else the account, and cookies when the session was renewed */
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
  async confirmAddress(token: string, password: string, address: string): Promise<Strength> {
    const email = await this.signUps.findEmail(token);
    if (email === null) throw LINK_IS_OLD;
    const strength = await judgePassword(password, email);
    // Before the link is used up: it cannot be used again by who is sent away.
    this.hashing.assertRoom();
    if (!(await this.signUps.use(token))) throw LINK_IS_OLD;
    await this.ask(() => this.library.api.signUpEmail({ body: { name: '', email, password } }));
    const id = await this.signUps.confirm(email);
    if (id !== null) await this.activity.record(id, 'account.confirm', address);
    return strength;
  }

  /** Removes the account with everything that belongs to it. Its keys stop working. */
  async deleteAccount(
    account: Account,
    headers: IncomingHttpHeaders,
    password: string,
    address: string,
  ): Promise<Cookies> {
    await this.attempts.count('password', account.id);
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

  /** Of who is signed in. @throws {AccountProblem} when it is not right */
  async confirmPassword(headers: IncomingHttpHeaders, password: string): Promise<void> {
    await this.ask(() =>
      this.library.api.verifyPassword({ headers: this.forLibrary(headers), body: { password } }),
    );
  }

  /** Asks the library what must not tell by its time whether there is such an account: answers, well or badly, not before CONSTANT_MS. */
  async inConstantTime<Result>(work: () => Promise<Result>): Promise<Result> {
    const [outcome] = await Promise.allSettled([this.ask(work), pause(CONSTANT_MS)]);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  /** The library judges by cookies alone; what else came with the request is none of its business. */
  forLibrary({ cookie }: IncomingHttpHeaders): Headers {
    return new Headers(cookie ? { cookie: this.cookies.forLibrary(cookie) } : {});
  }

  /** The same where a session begins: its owner tells by the browser's name which device it is. */
  forNewSession(headers: IncomingHttpHeaders): Headers {
    const known = this.forLibrary(headers);
    known.set('User-Agent', (headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT));
    return known;
  }

  /** Asks the library. @throws {AccountProblem} in words for the person, where it refuses */
  async ask<Result>(work: () => Promise<Result>): Promise<Result> {
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
