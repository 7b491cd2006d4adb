import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { ApiKeyRepository } from '../access/api-key.repository.js';
import { AccountRepository, SignUpRepository } from './account.repository.js';
import { AppRepository } from './connected-apps.repository.js';

const DAY_MS = 86_400_000;
const UNCONFIRMED_DAYS = 7;
const ENDED_KEYS_DAYS = 90;

/** Deletes expired rows hourly. Several instances may run it at once. */
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
      this.logger.warn(`Expired rows were not deleted, the next run will: ${String(error)}`);
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

/** Enough for an app to register and its user to sign up and read the mail. */
const UNCONNECTED_MS = 3_600_000;

/** Deletes expired tokens and unconnected apps hourly. Several instances may run it at once. */
@Injectable()
export class AppPurge {
  private readonly logger = new Logger(AppPurge.name);

  constructor(private readonly apps: AppRepository) {}

  @Cron(CronExpression.EVERY_HOUR)
  async run(): Promise<void> {
    try {
      await this.purge(new Date());
    } catch (error) {
      this.logger.warn(`Expired rows were not deleted, the next run will: ${String(error)}`);
    }
  }

  purge(now: Date): Promise<void> {
    return this.apps.deleteEnded(now, new Date(now.getTime() - UNCONNECTED_MS));
  }
}
