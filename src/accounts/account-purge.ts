import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { ApiKeyRepository } from '../access/api-key.repository.js';
import { AccountRepository, SignUpRepository } from './account.repository.js';

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
