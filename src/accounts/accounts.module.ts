import { type MiddlewareConsumer, Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { Visitors } from '../auth/visitors.js';
import { Config } from '../config/config.js';
import { MailModule } from '../mail/mail.module.js';
import { accountPageHeaders } from '../pages/layout/page-headers.js';
import { withoutTracking } from '../pages/without-tracking.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { AccountConnections } from './library/account-connections.js';
import { type AccountLibraryOptions, openAccountLibrary } from './library/account-library.js';
import { AuditModule } from '../audit/audit.module.js';
import { AccountMails } from './account-mails.js';
import { AccountTrail } from './account-trail.js';
import { AccountPurge } from './library/account-purge.js';
import { AccountRepository } from './library/account.repository.js';
import { ACCOUNT_LIBRARY, AccountsService } from './accounts.service.js';
import { ApiKeysController } from './api-keys.controller.js';
import { AttemptLimit } from './library/attempt-limit.js';
import { FactorSeals } from './library/factor-seals.js';
import { HashingTurns } from './library/hashing-turns.js';
import { SignUpRepository } from './library/sign-up.repository.js';
import { SessionCookies } from './session/session-cookies.js';
import { readForm } from './pages/form-body.js';
import { PasskeyRepository } from './passkeys/passkey.repository.js';
import { SecurityController, SignInPasskeyController } from './passkeys/passkeys.controller.js';
import { LIBRARY_OPTIONS, Passkeys } from './passkeys/passkeys.service.js';
import { PasswordController } from './password.controller.js';
import { Passwords } from './passwords.service.js';
import { ProfileController } from './profile.controller.js';
import { SecondFactorController, SignInCodeController } from './second-factor.controller.js';
import { SecondFactors } from './second-factor.service.js';
import { SignInController } from './sign-in.controller.js';
import { SignUpController } from './sign-up.controller.js';

const PAGES = [
  SignUpController,
  SignInController,
  PasswordController,
  ProfileController,
  ApiKeysController,
  SecondFactorController,
  SignInCodeController,
  SecurityController,
  SignInPasskeyController,
];

/** Accounts and the pages to them: sign up, sign in, the API keys. */
@Module({
  imports: [RateLimitModule, MailModule, AuditModule],
  controllers: PAGES,
  providers: [
    AccountsService,
    AccountRepository,
    AccountPurge,
    AccountConnections,
    AccountMails,
    AccountTrail,
    Passwords,
    SecondFactors,
    FactorSeals,
    Passkeys,
    PasskeyRepository,
    AttemptLimit,
    SignUpRepository,
    { provide: HashingTurns, useFactory: () => new HashingTurns() },
    {
      provide: SessionCookies,
      inject: [Config],
      useFactory: ({ auth }: Config) => new SessionCookies(auth.secret, auth.secrets),
    },
    {
      provide: LIBRARY_OPTIONS,
      inject: [Config, AccountConnections, AccountMails, AccountRepository, HashingTurns, SessionCookies],
      useFactory: (
        { auth, links }: Config,
        { pool }: AccountConnections,
        mails: AccountMails,
        accounts: AccountRepository,
        turns: HashingTurns,
        cookies: SessionCookies,
      ): AccountLibraryOptions => ({
        pool,
        secrets: auth.secrets,
        turns,
        makeToken: () => cookies.makeToken(),
        baseUrl: links.baseUrl,
        mails,
        removeAccount: (id) => accounts.deleteAccount(id),
        isDisabled: (id) => accounts.isDisabled(id),
      }),
    },
    { provide: ACCOUNT_LIBRARY, inject: [LIBRARY_OPTIONS], useFactory: openAccountLibrary },
  ],
  exports: [ACCOUNT_LIBRARY, AccountsService, AttemptLimit, SessionCookies],
})
export class AccountsModule implements NestModule, OnModuleInit {
  constructor(
    private readonly visitors: Visitors,
    private readonly accounts: AccountsService,
  ) {}

  onModuleInit(): void {
    this.visitors.recogniseBy((headers) => this.accounts.findSession(headers));
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(accountPageHeaders, withoutTracking, readForm).forRoutes(...PAGES);
  }
}
