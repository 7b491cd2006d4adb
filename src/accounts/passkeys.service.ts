import { Inject, Injectable, Logger } from '@nestjs/common';
import type { AuthenticationResponseJSON } from '@simplewebauthn/browser';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { callerIdOfAddress } from '../access/caller.js';
import { DatabaseUnavailable, unavailabilityIn } from '../errors/database-failure.js';
import { isObject } from '../validation/unknown-values.js';
import { onceDone } from '../validation/caches.js';
import { AccountActivity } from './account-activity.js';
import { type AccountLibraryOptions, libraryOptions } from './account-library.js';
import { AccountMails } from './account-mails.js';
import { AccountProblem } from './account-problem.js';
import { MAX_PASSKEYS, type Passkey, PasskeyRepository } from './account.repository.js';
import { type Account, AccountsService, type Cookies } from './accounts.service.js';
import { AttemptLimit } from './attempt-limit.js';
import { SecondFactors } from './second-factors.service.js';

/** Injection token of the {@link AccountLibraryOptions}. */
export const LIBRARY_OPTIONS = Symbol('AccountLibraryOptions');

/** What the browser is asked to make or to prove, and the cookies that its answer has to come with. */
export interface Ceremony {
  readonly options: object;
  readonly cookies: Cookies;
}

/** What a page's script sent on. */
interface Answer {
  readonly name: string;
  readonly response: string;
}

/** Passkeys, which sign in by themselves: they stand for password and second factor. */
@Injectable()
export class Passkeys {
  private readonly library: () => Promise<PasskeyLibrary>;

  constructor(
    @Inject(LIBRARY_OPTIONS) private readonly options: AccountLibraryOptions,
    private readonly accounts: AccountsService,
    private readonly factors: SecondFactors,
    private readonly passkeys: PasskeyRepository,
    private readonly attempts: AttemptLimit,
    private readonly activity: AccountActivity,
    private readonly mails: AccountMails,
  ) {
    this.library = onceDone(() => openPasskeyLibrary(options));
  }

  /** Whether browsers take passkeys for the address of this service. */
  get isOffered(): boolean {
    return takesPasskeys(this.options.baseUrl);
  }

  list(account: Account): Promise<Passkey[]> {
    return this.passkeys.listPasskeys(account.id);
  }

  /** The beginning of a new one. @throws {AccountProblem} without the right password, and a code where the second factor is on */
  async beginAdding(
    account: Account,
    headers: IncomingHttpHeaders,
    { password, code }: { readonly password: string; readonly code?: string | undefined },
  ): Promise<Ceremony> {
    const { api } = await this.open();
    await this.confirm(account, headers, password);
    // A passkey stands for both.
    await this.factors.confirm(headers, code);
    if ((await this.list(account)).length >= MAX_PASSKEYS)
      throw new AccountProblem(
        409,
        `An account has ${MAX_PASSKEYS} passkeys at most. Remove one that is not in use.`,
      );
    const made = await this.accounts.ask(() =>
      api.generatePasskeyRegistrationOptions({
        headers: this.accounts.forLibrary(headers),
        returnHeaders: true,
      }),
    );
    return { options: made.response, cookies: made.headers.getSetCookie() };
  }

  /** The end of it. What it answers was asked for after the password. */
  async add(
    account: Account,
    headers: IncomingHttpHeaders,
    { name, response }: Answer,
    address: string,
  ): Promise<void> {
    const { api } = await this.open();
    const body = { name, response: readAnswer(response) };
    await this.accounts.ask(() =>
      api.verifyPasskeyRegistration({ headers: this.accounts.forLibrary(headers), body }),
    );
    await this.tell(account, 'passkey.add', name, address);
  }

  async remove(
    account: Account,
    headers: IncomingHttpHeaders,
    { id, password }: { readonly id: string; readonly password: string },
    address: string,
  ): Promise<void> {
    await this.confirm(account, headers, password);
    const name = await this.passkeys.removePasskey(account.id, id);
    if (name === null) throw new AccountProblem(404, 'There is no such passkey.');
    await this.tell(account, 'passkey.remove', name, address);
  }

  /** Nobody says who they are: the passkey does. */
  async beginSignIn(address: string): Promise<Ceremony> {
    await this.attempts.count('passkeyFromAddress', callerIdOfAddress(address));
    const { api } = await this.open();
    const made = await this.accounts.ask(() =>
      api.generatePasskeyAuthenticationOptions({ headers: new Headers(), returnHeaders: true }),
    );
    // The library would only prefer it.
    return {
      options: { ...made.response, userVerification: 'required' },
      cookies: made.headers.getSetCookie(),
    };
  }

  async signIn(headers: IncomingHttpHeaders, answer: string, address: string): Promise<Cookies> {
    await this.attempts.count('signInFromAddress', callerIdOfAddress(address));
    const { api } = await this.open();
    const given = { headers: this.accounts.forNewSession(headers), body: { response: readAnswer(answer) } };
    const signedIn = await this.accounts.ask(() =>
      api.verifyPasskeyAuthentication({ ...given, returnHeaders: true }),
    );
    // The passkey has signed in: who is told otherwise has a session that nobody knows.
    await this.activity.recordBestEffort(
      signedIn.response.user.id,
      'account.sign-in',
      address,
      'with a passkey',
    );
    return this.accounts.forBrowser(signedIn.headers, headers);
  }

  private async confirm(account: Account, headers: IncomingHttpHeaders, password: string): Promise<void> {
    await this.attempts.count('password', account.id);
    await this.accounts.confirmPassword(headers, password);
  }

  private async tell(
    { id, email }: Account,
    action: 'passkey.add' | 'passkey.remove',
    name: string,
    address: string,
  ): Promise<void> {
    const what = action === 'passkey.add' ? 'was added to' : 'was removed from';
    this.mails.factorChanged(email, `The passkey "${name}" ${what} your account`);
    await this.activity.recordBestEffort(id, action, address, name);
  }

  /** @throws {AccountProblem} where no browser would take one */
  private open(): Promise<PasskeyLibrary> {
    if (!this.isOffered)
      throw new AccountProblem(
        409,
        'Passkeys need an https address with a name, which this service has not got.',
      );
    return this.library();
  }
}

/** What the browser's authenticator said, with what such an answer has in any case. The library judges it. */
function readAnswer(text: string): AuthenticationResponseJSON {
  const answer = parsed(text);
  if (isAnswer(answer)) return answer;
  throw new AccountProblem(400, 'This takes JavaScript and a browser that knows passkeys (WebAuthn).');
}

function isAnswer(value: unknown): value is AuthenticationResponseJSON {
  if (!isObject(value) || !isObject(value.response) || !isObject(value.clientExtensionResults)) return false;
  return [value.id, value.rawId, value.type].every((text) => typeof text === 'string');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export type PasskeyLibrary = Awaited<ReturnType<typeof openPasskeyLibrary>>;

/** Whether browsers take passkeys for this address: they want a host's name, and TLS unless it is this machine. */
export function takesPasskeys(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
  return protocol === 'https:' || hostname === 'localhost';
}

/**
 * better-auth with its passkeys (WebAuthn), beside the one that does all else: what it needs takes as long to load as that one and
 * 18 MB, so it is opened when the first passkey is made or used.
 */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- inferred from the options
export async function openPasskeyLibrary(options: AccountLibraryOptions) {
  const { betterAuth } = await import('better-auth');
  const { APIError } = await import('@better-auth/core/error');
  const { passkey } = await import('@better-auth/passkey');
  // The library itself is content with a key that was only touched; it stands for password and second factor here.
  const assertUser = (isVerified: boolean | undefined) => {
    if (isVerified !== true)
      throw new APIError('UNAUTHORIZED', {
        code: 'USER_NOT_VERIFIED',
        message: 'The user was not verified.',
      });
  };
  return betterAuth({
    ...(await libraryOptions(options)),
    logger: { level: 'error', log: sortFault },
    plugins: [
      passkey({
        rpID: new URL(options.baseUrl).hostname,
        rpName: 'Bowerbird',
        origin: new URL(options.baseUrl).origin,
        // Found without a name being typed.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        registration: {
          afterVerification: ({ verification }) => assertUser(verification.registrationInfo?.userVerified),
        },
        authentication: {
          afterVerification: ({ verification }) => assertUser(verification.authenticationInfo.userVerified),
        },
        advanced: { webAuthnChallengeCookie: 'passkey' },
        schema: {
          passkey: {
            modelName: 'account_passkey',
            fields: {
              userId: 'account_id',
              credentialID: 'credential_id',
              publicKey: 'public_key',
              deviceType: 'device_type',
              backedUp: 'backed_up',
              createdAt: 'created_at',
            },
          },
        },
      }),
    ],
  });
}

const logger = new Logger('Passkeys');

/**
 * The library takes whatever fails while it verifies for a passkey that is wrong, and logs it. A database that is away is none, and is
 * passed on; a fault of ours is none either, and is logged. Strangers' wrong passkeys are no lines of the log.
 */
export function sortFault(_level: string, message: string, error?: unknown): void {
  if (error instanceof DatabaseUnavailable || unavailabilityIn(error)) throw error;
  if (!isWrongPasskey(error)) logger.error(`${message}: ${stackOf(error)}`);
}

/** The verification refused it (its errors have no kind of their own), or the database: it is an account's already, or too long. */
function isWrongPasskey(error: unknown): boolean {
  if (isObject(error) && error.name === 'OperationError') return true;
  const isRefused = isObject(error) && typeof error.code === 'string' && error.code.startsWith('23');
  return isRefused || stackOf(error).includes('@simplewebauthn');
}

const stackOf = (error: unknown): string =>
  isObject(error) && typeof error.stack === 'string' ? error.stack : String(error);
