import { Inject, Injectable, Logger } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { DatabaseUnavailable, unavailabilityIn } from '../errors/database-failure.js';
import { isObject } from '../validation/unknown-values.js';
import { onceDone } from '../validation/caches.js';
import { AccountActivity } from './account-activity.js';
import { type AccountLibraryOptions, libraryOptions } from './account-library.js';
import { AccountMails } from './account-mails.js';
import { AccountProblem, PASSKEY_NOT_TAKEN } from './account-problem.js';
import { MAX_PASSKEYS, type Passkey, PasskeyRepository } from './account.repository.js';
import { type Account, AccountsService, type Cookies } from './accounts.service.js';
import { AttemptLimit } from './attempt-limit.js';
import { SecondFactors } from './second-factors.service.js';
import { SessionRepository } from './session.repository.js';

/** Injection token of the {@link AccountLibraryOptions}. */
export const LIBRARY_OPTIONS = Symbol('AccountLibraryOptions');

/** Options for the browser, and the cookies that its answer must carry. */
export interface Ceremony {
  readonly options: object;
  readonly cookies: Cookies;
}

/** A signature over a challenge, with what proves it. All in base64url except the public key, which is base64. */
export interface SignedProof {
  readonly clientData: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly publicKey: string;
}

/** How long a question for a signature may be answered. */
export const PROOF_MS = 5 * 60_000;

/** The answer of the browser, as a script of the page sends it. */
interface Answer {
  readonly name: string;
  readonly response: string;
}

/** Passkeys. One replaces both password and second factor. */
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
    private readonly sessions: SessionRepository,
  ) {
    this.library = onceDone(() => openPasskeyLibrary(options));
  }

  /** Whether browsers accept passkeys for this service's address. */
  get isOffered(): boolean {
    return takesPasskeys(this.options.baseUrl);
  }

  list(account: Account): Promise<Passkey[]> {
    return this.passkeys.listPasskeys(account.id);
  }

  /** Starts adding a passkey. @throws {AccountProblem} without the password, and a code if there is a second factor */
  async beginAdding(
    account: Account,
    headers: IncomingHttpHeaders,
    { password, code }: { readonly password: string; readonly code?: string | undefined },
  ): Promise<Ceremony> {
    const { api } = await this.open();
    await this.confirm(account, headers, password);
    // A passkey replaces both.
    await this.factors.confirm(account, headers, code);
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

  /** Finishes adding one. Its challenge was issued after the password check. */
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
    await this.announce(account, 'passkey.add', name, address);
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
    await this.announce(account, 'passkey.remove', name, address);
  }

  /** Without an address: the passkey identifies the account. */
  async beginSignIn(address: string): Promise<Ceremony> {
    await this.attempts.countFrom('passkeyFromAddress', address);
    const { api } = await this.open();
    const made = await this.accounts.ask(() =>
      api.generatePasskeyAuthenticationOptions({ headers: new Headers(), returnHeaders: true }),
    );
    // The library would set `preferred`.
    return {
      options: { ...made.response, userVerification: 'required' },
      cookies: made.headers.getSetCookie(),
    };
  }

  /** Begins a session; for a browser that has one of the same account it is a fresh proof of that one. */
  async signIn(headers: IncomingHttpHeaders, answer: string, address: string): Promise<Cookies> {
    await this.attempts.countFrom('signInFromAddress', address);
    const { api } = await this.open();
    const given = { headers: this.accounts.forNewSession(headers), body: { response: readAnswer(answer) } };
    const signedIn = await this.accounts.ask(() =>
      api.verifyPasskeyAuthentication({ ...given, returnHeaders: true }),
    );
    const { user, session } = signedIn.response;
    const cookies = this.accounts.forBrowser(signedIn.headers, headers);
    const current = await this.accounts.findSession(headers);
    if (current?.account.id === user.id) {
      await this.sessions.prove(current.account.sessionId);
      await this.sessions.endSession(user.id, session.id);
      return current.cookies;
    }
    await this.activity.recordSignIn(user.id, address, 'with a passkey');
    return cookies;
  }

  /** Whether the account has one that this address accepts. */
  async isReady(accountId: string): Promise<boolean> {
    return this.isOffered && (await this.passkeys.listCredentials(accountId)).length > 0;
  }

  /** Asks for a signature over a challenge of the caller's. May be answered for {@link PROOF_MS}. */
  async beginProof(
    accountId: string,
    challenge: Buffer,
    address: string,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    await this.attempts.countFrom('passkeyFromAddress', address);
    const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
    const credentials = await this.passkeys.listCredentials(accountId);
    return generateAuthenticationOptions({
      rpID: this.site.hostname,
      challenge: new Uint8Array(challenge),
      allowCredentials: credentials.map(({ id }) => ({ id })),
      userVerification: 'required',
      timeout: PROOF_MS,
    });
  }

  /** @throws {AccountProblem} unless a passkey of the account signed this challenge after it verified its user */
  async verifyProof(accountId: string, answer: string, challenge: Buffer): Promise<SignedProof> {
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const response = readAnswer(answer);
    const credentials = await this.passkeys.listCredentials(accountId);
    const known = credentials.find(({ id }) => id === response.id);
    if (!known) throw PASSKEY_NOT_TAKEN;
    const verified = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: this.site.origin,
      expectedRPID: this.site.hostname,
      credential: { ...known, publicKey: new Uint8Array(Buffer.from(known.publicKey, 'base64')) },
      requireUserVerification: true,
    }).catch(() => null);
    if (!verified?.verified) throw PASSKEY_NOT_TAKEN;
    await this.passkeys.count(known.id, verified.authenticationInfo.newCounter);
    const { clientDataJSON: clientData, authenticatorData, signature } = response.response;
    return { clientData, authenticatorData, signature, publicKey: known.publicKey };
  }

  private get site(): URL {
    return new URL(this.options.baseUrl);
  }

  private async confirm(account: Account, headers: IncomingHttpHeaders, password: string): Promise<void> {
    await this.attempts.count('password', account.id);
    await this.accounts.confirmPassword(headers, password);
  }

  private async announce(
    { id, email }: Account,
    action: 'passkey.add' | 'passkey.remove',
    name: string,
    address: string,
  ): Promise<void> {
    const what = action === 'passkey.add' ? 'was added to' : 'was removed from';
    this.mails.factorChanged(email, `The passkey "${name}" ${what} your account`);
    await this.activity.recordBestEffort(id, action, address, name);
  }

  /** @throws {AccountProblem} if browsers accept none for this address */
  private open(): Promise<PasskeyLibrary> {
    if (!this.isOffered)
      throw new AccountProblem(
        409,
        'Passkeys need an https address with a host name, and this service has none.',
      );
    return this.library();
  }
}

/** Checks only the shape of the authenticator's answer; the library verifies it. */
function readAnswer(text: string): AuthenticationResponseJSON {
  const answer = parsed(text);
  if (isAnswer(answer)) return answer;
  throw new AccountProblem(400, 'This needs JavaScript and a browser that supports passkeys (WebAuthn).');
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

/** Browsers require a host name, and TLS except on localhost. */
export function takesPasskeys(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
  return protocol === 'https:' || hostname === 'localhost';
}

/**
 * A second instance of better-auth, with passkeys (WebAuthn). It takes as long to load as the first one, and 18 MB, so
 * it is opened with the first passkey.
 */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- inferred from the options
export async function openPasskeyLibrary(options: AccountLibraryOptions) {
  const { betterAuth } = await import('better-auth');
  const { APIError } = await import('@better-auth/core/error');
  const { passkey } = await import('@better-auth/passkey');
  // The library accepts a touch without user verification, which is too little to replace a password.
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
        // Found without typing an address.
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
 * The library reports every failure of a verification as a wrong passkey, and logs it. Here an unavailable database is
 * rethrown, our own faults are logged, and wrong passkeys of strangers are not.
 */
export function sortFault(_level: string, message: string, error?: unknown): void {
  if (error instanceof DatabaseUnavailable || unavailabilityIn(error)) throw error;
  if (!isWrongPasskey(error)) logger.error(`${message}: ${stackOf(error)}`);
}

/** Refused by the verification, whose errors have no type of their own, or by a database constraint. */
function isWrongPasskey(error: unknown): boolean {
  if (isObject(error) && error.name === 'OperationError') return true;
  const isRefused = isObject(error) && typeof error.code === 'string' && error.code.startsWith('23');
  return isRefused || stackOf(error).includes('@simplewebauthn');
}

const stackOf = (error: unknown): string =>
  isObject(error) && typeof error.stack === 'string' ? error.stack : String(error);
