import { Injectable, Logger } from '@nestjs/common';
import { type Kind, maintenance, type Work, WorkKinds, type WorkResult } from '../../work/kind.js';
import { MailRound } from './mail-round.js';
import { NoticeOutbox } from './notice-outbox.js';
import { NoticeRepository } from './notice.repository.js';

const HOUR_MS = 3_600_000;

/** Matches events with watches, and makes the mails due that come of it. */
@Injectable()
export class WatchWorker implements Kind {
  readonly name = 'watch-outbox';
  /** A mail takes seconds on its way: looking more often gains nothing. */
  readonly everyMs = 1_000;
  readonly deadlineMs = 60_000;
  private readonly logger = new Logger('Watches');

  constructor(
    private readonly outbox: NoticeOutbox,
    private readonly mails: MailRound,
    private readonly notices: NoticeRepository,
    kinds: WorkKinds,
  ) {
    kinds.add(
      this,
      maintenance('watch-notice-purge', HOUR_MS, (now) => this.purge(now)),
    );
  }

  async run(_work: Work, now: Date, signal: AbortSignal): Promise<WorkResult> {
    while (!signal.aborted && (await this.outbox.handOver(now)).isMore);
    await this.mails.enqueueDue(now);
    return {};
  }

  async purge(now: Date): Promise<void> {
    const removed = await this.notices.purge(now);
    if (removed > 0) this.logger.log(`Removed ${removed} old notices`);
  }
}
