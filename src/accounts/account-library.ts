import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { BetterAuthOptions } from 'better-auth';
import { createHash } from 'node:crypto';
import type { Client, Pool, PoolClient, QueryResultRow } from 'pg';
import { Config } from '../config/config.js';
import { aheadOfDatabaseMs } from '../db/database-time.js';
import { cancelledUnlessWriting, Database } from '../db/database.js';
import { openPool } from '../db/open-pool.js';
import { LINK_SECONDS, type LinkMails } from './account-mails.js';
import { PASSWORD_MAX, PASSWORD_MIN } from './account-problem.js';
import { APP_PROBLEM_PATH, appProvider } from './app-provider.js';
import type { HashingSemaphore } from './attempt-limit.js';
import type { PasswordCost } from './password-rules.js';

const RECOVERY_CODES = 10;
/** Between the password and the code. */
const SIGN_IN_SECONDS = 600;

/** better-auth's second factor: codes of an authenticator app (TOTP, RFC 6238) and single-use recovery codes. */
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

/** The secrets that the library encrypts with, numbered by their hash and so independent of their order. */
export function numberedSecrets(secrets: readonly string[]): { version: number; value: string }[] {
  return secrets.map((value) => ({
    version: createHash('sha256').update(value).digest().readUInt32BE() >>> 1,
    value,
  }));
}

const SESSION_SECONDS = 7 * 86_400;
const SESSION_RENEW_SECONDS = 86_400;

export interface AccountLibraryOptions {
  readonly pool: Pool;
  /** The current secret first, then the previous ones, which are accepted too. */
  readonly secrets: readonly string[];
  readonly hashing: HashingSemaphore;
  readonly passwords: PasswordCost;
  /** The hash of a new session's token. */
  makeToken(): string;
  readonly baseUrl: string;
  readonly mails: LinkMails;
  /** Deletes an account and its data in one statement. */
  removeAccount(id: string): Promise<void>;
  /** Whether an operator disabled the account, which then cannot sign in. */
  isDisabled(id: string): Promise<boolean>;
}

export type AccountLibrary = Awaited<ReturnType<typeof openAccountLibrary>>;

/**
 * better-auth: passwords (scrypt), sessions, links and connected apps. Only our pages call its functions, and only its
 * OAuth routes are reachable. Its rate limits and origin checks guard routes, so we do both (attempt-limit.ts,
 * same-origin.guard.ts). Its tables come from our migrations.
 *
 * Imported on demand: it takes 0.3 s, which a service without accounts should not pay.
 */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- inferred from the options
export async function openAccountLibrary(options: AccountLibraryOptions) {
  const { betterAuth } = await import('better-auth');
  const plugins = [await appProvider(options.baseUrl), await secondFactor()] as const;
  return betterAuth({ ...(await libraryOptions(options)), plugins: [...plugins] });
}

/** The options that both instances of the library share. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- the library infers types from it
export async function libraryOptions({
  pool,
  secrets,
  hashing,
  passwords,
  makeToken,
  baseUrl,
  mails,
  removeAccount,
  isDisabled,
}: AccountLibraryOptions) {
  const { isAPIError } = await import('better-auth/api');
  const dates = { createdAt: 'created_at', updatedAt: 'updated_at' };
  return {
    appName: 'Bowerbird',
    baseURL: baseUrl,
    // Its OAuth routes (connected-apps.ts) are at the root.
    basePath: '/',
    secret: secrets[0] ?? '',
    secrets: numberedSecrets(secrets),
    onAPIError: {
      errorURL: APP_PROBLEM_PATH,
      // Rethrown to the caller: an unavailable database is not the library's fault.
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
      // Migrations make the schema before this starts. The library's check reads the whole catalogue during normal use
      // and logs every difference as a fault.
      database: { generateId: 'uuid', validateSchema: false },
      // IP addresses of account holders are not stored.
      ipAddress: { disableIpTracking: true },
    },
    user: {
      modelName: 'account',
      fields: { emailVerified: 'email_verified', ...dates },
      additionalFields: { tier: { type: 'string', input: false, required: false, defaultValue: 'member' } },
      // The library deletes in three statements; a failure between them would leave an account without a password.
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
      // Where the library would want a recent session, our pages ask for the password.
      freshAge: 0,
    },
    // Every way of signing in creates a session.
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
        hash: (password) => hashing.run(() => passwords.hash(password)),
        verify: (given) => hashing.run(() => passwords.verify(given)),
      },
      minPasswordLength: PASSWORD_MIN,
      maxPasswordLength: PASSWORD_MAX,
      resetPasswordTokenExpiresIn: LINK_SECONDS,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user, token }) => mails.newPassword(user.email, token),
    },
    // An account exists only after its address is confirmed (accounts.service.ts).
    emailVerification: { sendOnSignUp: false, sendOnSignIn: false },
  } satisfies BetterAuthOptions;
}

const logger = new Logger('Accounts');

// Messages below errors contain e-mail addresses.
function logFault(level: string, message: string): void {
  if (level === 'error') logger.error(message);
}

/** A sign-in spends 60 ms or more on its hash, so few query at the same time. */
const MAX_CONNECTIONS = 3;
/** After the statement timeout: a server that has not answered by then counts as unavailable. */
const ANSWER_GRACE_MS = 500;
/** During a burst of sign-ins, whose hashes occupy every CPU, a free connection can take long. */
const CONNECT_TIMEOUT_MS = 15_000;

/**
 * The library reads the clock of the process alone. Times that it writes are moved to PostgreSQL's clock, and those
 * that it reads are moved back, so that a process whose clock is wrong ends no session.
 */
function keepTimeOfDatabase(client: PoolClient): void {
  const send = client.query.bind(client);
  const moved = (value: unknown, ms: number): unknown =>
    value instanceof Date ? new Date(value.getTime() + ms) : value;
  Object.assign(client, {
    async query(sql: string, values: readonly unknown[] = []) {
      const aheadMs = aheadOfDatabaseMs();
      const result = await cancelledUnlessWriting(client as PoolClient & Client, sql, () =>
        send<QueryResultRow>(
          sql,
          values.map((value) => moved(value, -aheadMs)),
        ),
      );
      for (const row of result.rows)
        for (const column of Object.keys(row)) row[column] = moved(row[column], aheadMs);
      return result;
    },
  });
}

/** A pool of pg for the accounts library, which runs its own statements. TypeORM does not share its pool. */
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
    this.pool.on('connect', keepTimeOfDatabase);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
