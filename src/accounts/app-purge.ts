import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { AppRepository } from './app.repository.js';

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
