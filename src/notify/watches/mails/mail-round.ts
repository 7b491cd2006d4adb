import { Injectable, Logger } from '@nestjs/common';
import type { Clock } from '../../../db/database.js';
import { OutageLogger } from '../../../errors/outage.js';
import { isRejection, Mailer } from '../../../accounts/mailer.js';
import { NoticeRepository } from '../notices/notice.repository.js';
import { WatchLinks } from '../watch-links.js';
import { type DueMail, MailboxRepository } from './mailbox.repository.js';
import { watchMail } from './watch-mails.js';

/** Names in one mail. */
const MAX_MAILED = 50;
/** Mails written at a time. */
const LANES = 2;
/** Mails of one round, so that events are looked at in between. */
const MAX_A_ROUND = 200;
/** Before each further attempt; the last one again and again. */
const RETRY_MINUTES = [1, 5, 15, 60];
/** An address that refused so many attempts gets no more mail. */
const MAX_REJECTIONS = 5;
const MINUTE_MS = 60_000;

/** Writes the mails that are due. Any number of processes may do it at once. */
@Injectable()
export class MailRound {
  private readonly outage = new OutageLogger(new Logger('Watches'), 'Mails of watches wait');

  constructor(
    private readonly mailboxes: MailboxRepository,
    private readonly notices: NoticeRepository,
    private readonly mailer: Mailer,
    private readonly links: WatchLinks,
  ) {}

  /**
   * @param clock read for every mail anew: a round can take longer than a mail is held
   * @param signal no further mail is begun once it is aborted
   */
  async sendDue(clock: Pick<Clock, 'now'>, signal?: AbortSignal): Promise<number> {
    let claimed = 0;
    let sent = 0;
    const lane = async () => {
      while (claimed < MAX_A_ROUND && !signal?.aborted) {
        claimed += 1;
        const now = await clock.now();
        const due = await this.mailboxes.claim(now);
        if (!due) return;
        if (await this.send(due, now)) sent += 1;
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return sent;
  }

  private async send(due: DueMail, now: Date): Promise<boolean> {
    const { accountId } = due;
    const { notices, count, upTo } = await this.notices.listWaiting(accountId, MAX_MAILED);
    const [first, ...others] = notices;
    // All of them may be of names that were withheld meanwhile.
    if (first && upTo !== null) {
      const mail = watchMail({ ...due, notices: [first, ...others], count, upTo }, this.links);
      try {
        await this.mailer.send(mail);
      } catch (error) {
        await this.fail(due, error, now);
        return false;
      }
      this.outage.end();
    }
    await this.mailboxes.noteMailed(accountId, upTo, now);
    return first !== undefined;
  }

  private async fail({ accountId, failures }: DueMail, error: unknown, now: Date): Promise<void> {
    if (isRejection(error) && failures + 1 >= MAX_REJECTIONS) {
      await this.mailboxes.giveUp(
        accountId,
        'Your mailbox refused our mails. Switch them on again when it takes them.',
      );
      return;
    }
    // One mailbox that refuses is no outage.
    if (!isRejection(error)) this.outage.begin(error);
    const minutes = RETRY_MINUTES[failures] ?? RETRY_MINUTES.at(-1) ?? 1;
    await this.mailboxes.postpone(accountId, new Date(now.getTime() + minutes * MINUTE_MS));
  }
}
