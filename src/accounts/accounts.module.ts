import { Module, type OnModuleInit } from '@nestjs/common';
import { SessionResolver } from '../access/session-resolver.js';
import { Config } from '../config/config.js';
import { MailModule } from './mailer.js';
import { RateLimitModule } from '../access/rate-limit.module.js';
import { AccountConnections } from './library/account-connections.js';
import { type AccountLibraryOptions, openAccountLibrary } from './library/account-library.js';
import { AuditModule } from '../observe/audit/audit.module.js';
import { AccountMails } from './account-mails.js';
import { AccountActivity } from './account-activity.js';
import { AccountPurge } from './account-purge.js';
import { AccountRepository, PasskeyRepository, SignUpRepository } from './account.repository.js';
import { ACCOUNT_LIBRARY, AccountsService } from './accounts.service.js';
import { AttemptLimit, HashingSemaphore } from './attempt-limit.js';
import { TotpSecretRotation } from './totp-secret-rotation.js';
import { SessionCookies } from './session-cookies.js';
import { LIBRARY_OPTIONS, Passkeys } from './passkeys.service.js';
import { Passwords } from './passwords.service.js';
import { SecondFactors } from './second-factors.service.js';

/** Accounts: signing up and in, passwords, passkeys, the second factor. Their pages lie in web/profile. */
@Module({
  imports: [RateLimitModule, MailModule, AuditModule],
  providers: [
    AccountsService,
    AccountRepository,
    AccountPurge,
    AccountConnections,
    AccountMails,
    AccountActivity,
    Passwords,
    SecondFactors,
    TotpSecretRotation,
    Passkeys,
    PasskeyRepository,
    AttemptLimit,
    SignUpRepository,
    { provide: HashingSemaphore, useFactory: () => new HashingSemaphore() },
    {
      provide: SessionCookies,
      inject: [Config],
      useFactory: ({ auth }: Config) => new SessionCookies(auth.secret, auth.secrets),
    },
    {
      provide: LIBRARY_OPTIONS,
      inject: [Config, AccountConnections, AccountMails, AccountRepository, HashingSemaphore, SessionCookies],
      useFactory: (
        { auth, links }: Config,
        { pool }: AccountConnections,
        mails: AccountMails,
        accounts: AccountRepository,
        hashing: HashingSemaphore,
        cookies: SessionCookies,
      ): AccountLibraryOptions => ({
        pool,
        secrets: auth.secrets,
        hashing,
        makeToken: () => cookies.makeToken(),
        baseUrl: links.baseUrl,
        mails,
        removeAccount: (id) => accounts.deleteAccount(id),
        isDisabled: (id) => accounts.isDisabled(id),
      }),
    },
    { provide: ACCOUNT_LIBRARY, inject: [LIBRARY_OPTIONS], useFactory: openAccountLibrary },
  ],
  exports: [
    ...[ACCOUNT_LIBRARY, AccountsService, AttemptLimit, SessionCookies],
    // For the pages.
    ...[AccountActivity, Passwords, Passkeys, SecondFactors],
  ],
})
export class AccountsModule implements OnModuleInit {
  constructor(
    private readonly sessions: SessionResolver,
    private readonly accounts: AccountsService,
  ) {}

  onModuleInit(): void {
    this.sessions.findWith((headers) => this.accounts.findSession(headers));
  }
}
