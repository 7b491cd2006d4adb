import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { BetterAuthOptions } from 'better-auth';
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { Config } from '../config/config.js';
import { Database } from '../db/database.js';
import { openPool } from '../db/open-pool.js';
import { LINK_SECONDS } from './account-mails.js';
import { PASSWORD_MAX, PASSWORD_MIN } from './account-problem.js';
import { APP_PROBLEM_PATH, appProvider } from './app-provider.js';
import type { HashingSemaphore } from './attempt-limit.js';

const RECOVERY_CODES = 10;
/** Between the password and the code. */
const SIGN_IN_SECONDS = 600;

/** better-auth's second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes that work once each. */
async function secondFactor() {
  const { twoFactor } = await import('better-auth/plugins/two-factor');
  return twoFactor({
    issuer: 'Bowerbird',
    twoFactorCookieMaxAge: SIGN_IN_SECONDS,
    backupCodeOptions: { amount: RECOVERY_CODES, storeBackupCodes: 'encrypted' },
    schema: {
      user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
      twoFactor: {
        modelName: 'account_second_factor',
        fields: {
          userId: 'account_id',
          backupCodes: 'backup_codes',
          failedVerificationCount: 'failed_verification_count',
          lockedUntil: 'locked_until',
        },
      },
    },
  });
}

/** The secrets that the library encrypts with, each under a number of its own, whatever their order. */
export function numberedSecrets(secrets: readonly string[]): { version: number; value: string }[] {
  return secrets.map((value) => ({
    version: createHash('sha256').update(value).digest().readUInt32BE() >>> 1,
    value,
  }));
}

const SESSION_SECONDS = 7 * 86_400;
const SESSION_RENEW_SECONDS = 86_400;

/** What the library asks for a mail; the token goes into a link of ours. */
export interface LinkMails {
  newPassword(email: string, token: string): void;
  passwordReset(account: { readonly id: string; readonly email: string }): Promise<void>;
}

export interface AccountLibraryOptions {
  readonly pool: Pool;
  /** The one to sign and encrypt with, and those that are accepted as well. */
  readonly secrets: readonly string[];
  readonly hashing: HashingSemaphore;
  /** The hash of a new session's token. */
  makeToken(): string;
  readonly baseUrl: string;
  readonly mails: LinkMails;
  /** Removes an account and all that belongs to it, in one statement. */
  removeAccount(id: string): Promise<void>;
  /** Whether an operator has the account disabled: nobody signs in to it. */
  isDisabled(id: string): Promise<boolean>;
}

export type AccountLibrary = Awaited<ReturnType<typeof openAccountLibrary>>;

/**
 * better-auth: passwords (scrypt), sessions, links, and the apps that accounts connect. Its functions are called by our pages only, and
 * of its own addresses it is handed those of its OAuth provider, so its rate limit and origin checks, which guard addresses, are ours
 * to do (attempt-limit.ts, same-origin.guard.ts).
 * Its tables come from our migrations.
 *
 * Loaded here and not at the top: it takes 0.3 s, which the demo without accounts should not pay.
 */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- inferred from the options
export async function openAccountLibrary(options: AccountLibraryOptions) {
  const { betterAuth } = await import('better-auth');
  const plugins = [await appProvider(options.baseUrl), await secondFactor()] as const;
  return betterAuth({ ...(await libraryOptions(options)), plugins: [...plugins] });
}

/** What all uses of the library have in common. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- inferred, as the library's types come from it
export async function libraryOptions({
  pool,
  secrets,
  hashing,
  makeToken,
  baseUrl,
  mails,
  removeAccount,
  isDisabled,
}: AccountLibraryOptions) {
  const { isAPIError } = await import('better-auth/api');
  const { hashPassword, verifyPassword } = await import('better-auth/crypto');
  const dates = { createdAt: 'created_at', updatedAt: 'updated_at' };
  return {
    appName: 'Bowerbird',
    baseURL: baseUrl,
    // Those addresses of its OAuth provider that are handed to it (connected-apps.ts) stand at the root.
    basePath: '/',
    secret: secrets[0] ?? '',
    secrets: numberedSecrets(secrets),
    onAPIError: {
      errorURL: APP_PROBLEM_PATH,
      // To whoever handed the request over: a database that is away is no fault of the library's.
      onError: (error) => {
        if (!isAPIError(error)) throw error;
      },
    },
    database: pool,
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { level: 'error', log: logFault },
    advanced: {
      cookiePrefix: 'bowerbird',
      useSecureCookies: baseUrl.startsWith('https://'),
      // Migrations make the schema before this starts. The library would look through the whole catalogue while others use it,
      // and log whatever comes in its way as a fault.
      database: { generateId: 'uuid', validateSchema: false },
      // Addresses of account holders are not kept.
      ipAddress: { disableIpTracking: true },
    },
    user: {
      modelName: 'account',
      fields: { emailVerified: 'email_verified', ...dates },
      additionalFields: { tier: { type: 'string', input: false, required: false, defaultValue: 'member' } },
      // The library's own removal is three statements: broken off between them, nobody could sign in to what is left.
      deleteUser: { enabled: true, beforeDelete: ({ id }) => removeAccount(id) },
    },
    session: {
      modelName: 'account_session',
      fields: {
        userId: 'account_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        ...dates,
      },
      expiresIn: SESSION_SECONDS,
      updateAge: SESSION_RENEW_SECONDS,
      // What the library would ask a new session for, our pages ask the password for, whatever the session's age.
      freshAge: 0,
    },
    // Whatever somebody signs in with ends in a session.
    databaseHooks: {
      session: {
        create: {
          before: async (session) =>
            (await isDisabled(session.userId)) ? false : { data: { ...session, token: makeToken() } },
        },
      },
    },
    account: {
      modelName: 'account_credential',
      fields: {
        userId: 'account_id',
        providerId: 'provider',
        accountId: 'provider_account_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        ...dates,
      },
    },
    verification: {
      modelName: 'account_link',
      fields: { expiresAt: 'expires_at', ...dates },
      storeIdentifier: 'hashed',
    },
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      password: {
        hash: (password) => hashing.run(() => hashPassword(password)),
        verify: (given) => hashing.run(() => verifyPassword(given)),
      },
      minPasswordLength: PASSWORD_MIN,
      maxPasswordLength: PASSWORD_MAX,
      resetPasswordTokenExpiresIn: LINK_SECONDS,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user, token }) => mails.newPassword(user.email, token),
      onPasswordReset: ({ user }) => mails.passwordReset(user),
    },
    // Whoever has an account has confirmed its address: with the password (accounts.service.ts).
    emailVerification: { sendOnSignUp: false, sendOnSignIn: false },
  } satisfies BetterAuthOptions;
}

const logger = new Logger('Accounts');

// The library's lesser messages name e-mail addresses.
function logFault(level: string, message: string): void {
  if (level === 'error') logger.error(message);
}

/** A sign-in takes a scrypt hash of 60 ms and more, so few of them ask at the same time. */
const MAX_CONNECTIONS = 3;
/** Beyond the time limit of a statement: a server that has not answered by then is taken for gone. */
const ANSWER_GRACE_MS = 500;
/** Behind a burst of sign-ins, whose hashes keep every processor busy, a free connection may be long in coming. */
const CONNECT_TIMEOUT_MS = 15_000;

/** The accounts library brings its own statements and wants a pool of pg for them, which TypeORM keeps to itself. */
@Injectable()
export class AccountConnections implements OnApplicationShutdown {
  private readonly logger = new Logger('Accounts');
  readonly pool: Pool;

  constructor({ url }: Database, config: Config) {
    this.pool = openPool({
      url,
      size: MAX_CONNECTIONS,
      queryTimeoutMs: config.database.timeoutMs + ANSWER_GRACE_MS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      onIdleError: ({ message }) => this.logger.warn(`A connection to PostgreSQL was lost: ${message}`),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
