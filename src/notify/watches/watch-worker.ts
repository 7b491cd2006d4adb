import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { setTimeout as pause } from 'node:timers/promises';
import { Clock } from '../../db/database.js';
import { OutageLogger } from '../../errors/outage.js';
import { MailRound } from './mails/mail-round.js';
import { NoticeOutbox } from './notices/notice-outbox.js';
import { NoticeRepository } from './notices/notice.repository.js';

/** A mail takes seconds on its way: nobody gains by events that are looked for more often. */
const LOOK_EVERY_MS = 1_000;

/** Matches events with watches and mails what came of it; in every instance, of which any may die at any moment. */
@Injectable()
export class WatchWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Watches');
  private readonly outage = new OutageLogger(this.logger, 'Watches wait');
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly outbox: NoticeOutbox,
    private readonly mails: MailRound,
    private readonly notices: NoticeRepository,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  /** Mails under way are ended; what is not begun is for the next. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.round();
        this.outage.end();
      } catch (error) {
        this.outage.begin(error);
      }
      await pause(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async round(): Promise<void> {
    const { signal } = this.stopping;
    const now = await this.clock.now();
    while (!signal.aborted && (await this.outbox.handOver(now)).isMore);
    await this.mails.sendDue(this.clock, signal);
  }

  @Cron(CronExpression.EVERY_HOUR)
  async purge(): Promise<void> {
    try {
      const removed = await this.notices.purge(await this.clock.now());
      if (removed > 0) this.logger.log(`Removed ${removed} old notices`);
    } catch (error) {
      this.logger.warn(`Old notices were not removed, the next hour will: ${String(error)}`);
    }
  }
}
