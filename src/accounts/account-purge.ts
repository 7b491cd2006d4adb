import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { ApiKeyRepository } from '../access/api-key.repository.js';
import { AccountRepository, SignUpRepository } from './account.repository.js';
import { AppRepository } from './connected-apps.repository.js';

const DAY_MS = 86_400_000;
const UNCONFIRMED_DAYS = 7;
const ENDED_KEYS_DAYS = 90;

/** Keeps nothing longer than it is of use. Several instances may do it at once. */
@Injectable()
export class AccountPurge {
  private readonly logger = new Logger(AccountPurge.name);

  constructor(
    private readonly accounts: AccountRepository,
    private readonly signUps: SignUpRepository,
    private readonly keys: ApiKeyRepository,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  async run(): Promise<void> {
    try {
      await this.purge(new Date());
    } catch (error) {
      this.logger.warn(`What is over was not removed, the next hour will: ${String(error)}`);
    }
  }

  async purge(now: Date): Promise<void> {
    const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
    await this.accounts.deleteEndedBefore(now);
    await this.signUps.deleteEndedBefore(now);
    await this.accounts.deleteUnconfirmedBefore(before(UNCONFIRMED_DAYS));
    await this.keys.deleteEndedBefore(before(ENDED_KEYS_DAYS));
  }
}

/** Registering, signing up and reading the mail takes no longer. */
const UNCONNECTED_MS = 3_600_000;

/** Keeps nothing of apps longer than it is of use. Several instances may do it at once. */
@Injectable()
export class AppPurge {
  private readonly logger = new Logger(AppPurge.name);

  constructor(private readonly apps: AppRepository) {}

  @Cron(CronExpression.EVERY_HOUR)
  async run(): Promise<void> {
    try {
      await this.purge(new Date());
    } catch (error) {
      this.logger.warn(`What is over was not removed, the next hour will: ${String(error)}`);
    }
  }

  purge(now: Date): Promise<void> {
    return this.apps.deleteEnded(now, new Date(now.getTime() - UNCONNECTED_MS));
  }
}
