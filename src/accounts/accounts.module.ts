import { type MiddlewareConsumer, Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { text } from 'express';
import { NetworksModule } from '../access/network-rules.js';
import { RateLimitModule } from '../access/rate-limit.module.js';
import { KeyMisuse } from '../access/key-networks.js';
import { PaidCallers } from '../access/paid-callers.js';
import { SessionResolver } from '../access/session-resolver.js';
import { Config } from '../config/config.js';
import { Tiers } from '../config/tiers.js';
import { MAX_BODY_BYTES } from '../errors/validation.pipe.js';
import { AuditModule } from '../observe/audit.repository.js';
import { AccountDataRepository } from './account-data.repository.js';
import { AccountActivity } from './account-activity.js';
import { AccountConnections, type AccountLibraryOptions, openAccountLibrary } from './account-library.js';
import { AccountMails } from './account-mails.js';
import { AccountPurge, AppPurge } from './account-purge.js';
import {
  AccountRepository,
  PasskeyRepository,
  SecondFactorRepository,
  SignUpRepository,
} from './account.repository.js';
import { ACCOUNT_LIBRARY, AccountsService } from './accounts.service.js';
import { AttemptLimit, HashingSemaphore } from './attempt-limit.js';
import { AuthorizationServerController } from './authorization-server.controller.js';
import { ConnectedApps } from './connected-apps.js';
import { AppRepository } from './connected-apps.repository.js';
import { MailModule } from './mailer.js';
import { LIBRARY_OPTIONS, Passkeys } from './passkeys.service.js';
import { PasswordCost } from './password-rules.js';
import { Passwords } from './passwords.service.js';
import { StepUp } from './step-up.js';
import { SecondFactors, TotpSecretRotation } from './second-factors.service.js';
import { SessionRepository } from './session.repository.js';
import { SessionCookies } from './session-cookies.js';

/** Sign-up, sign-in, passwords, passkeys and the second factor. The pages are in web/profile. */
@Module({
  imports: [NetworksModule, RateLimitModule, MailModule, AuditModule],
  providers: [
    AccountsService,
    AccountRepository,
    AccountPurge,
    AccountConnections,
    AccountDataRepository,
    AccountMails,
    AccountActivity,
    Passwords,
    SecondFactors,
    TotpSecretRotation,
    Passkeys,
    PasskeyRepository,
    SecondFactorRepository,
    PasswordCost,
    AppRepository,
    AttemptLimit,
    SessionRepository,
    StepUp,
    SignUpRepository,
    {
      provide: HashingSemaphore,
      inject: [Config],
      useFactory: ({ networks }: Config) => new HashingSemaphore(networks.mode),
    },
    {
      provide: SessionCookies,
      inject: [Config],
      useFactory: ({ auth }: Config) => new SessionCookies(auth.secret, auth.secrets),
    },
    {
      provide: LIBRARY_OPTIONS,
      inject: [
        ...[Config, AccountConnections, AccountMails, AccountRepository],
        ...[HashingSemaphore, PasswordCost, SessionCookies],
      ],
      useFactory: (
        { auth, links }: Config,
        { pool }: AccountConnections,
        mails: AccountMails,
        accounts: AccountRepository,
        hashing: HashingSemaphore,
        passwords: PasswordCost,
        cookies: SessionCookies,
      ): AccountLibraryOptions => ({
        pool,
        secrets: auth.secrets,
        hashing,
        passwords,
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
    ...[
      AccountActivity,
      AccountDataRepository,
      Passwords,
      Passkeys,
      SecondFactors,
      SessionRepository,
      StepUp,
    ],
    // For connected apps.
    ...[AccountMails, AppRepository],
  ],
})
export class AccountsModule implements OnModuleInit {
  constructor(
    private readonly sessions: SessionResolver,
    private readonly accounts: AccountsService,
    private readonly misuse: KeyMisuse,
    private readonly activity: AccountActivity,
    private readonly paid: PaidCallers,
    private readonly tiers: Tiers,
  ) {}

  onModuleInit(): void {
    this.misuse.warnWith(({ accountId }, network) => this.activity.warnOfKey(accountId, network));
    this.sessions.findWith(async (headers) => {
      const session = await this.accounts.findSession(headers);
      if (session) this.paid.learn(headers, session.account.id, this.tiers.table[session.account.tier]);
      return session;
    });
  }
}

// Unparsed, since the library parses it.
const readFormText = text({ type: 'application/x-www-form-urlencoded', limit: MAX_BODY_BYTES });

/** Apps that accounts connect to the tool server. The consent page is in web/profile. */
@Module({
  imports: [AccountsModule],
  controllers: [AuthorizationServerController],
  providers: [ConnectedApps, AppPurge],
  exports: [ConnectedApps],
})
export class AppsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(readFormText).forRoutes('oauth2/token', 'oauth2/revoke');
  }
}
