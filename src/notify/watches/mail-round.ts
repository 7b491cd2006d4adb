import { Injectable, Logger } from '@nestjs/common';
import { OutageLogger } from '../../errors/outage.js';
import { isRejection, Mailer } from '../../accounts/mailer.js';
import { type Kind, type Work, WorkKinds, type WorkResult } from '../../work/kind.js';
import { NoticeRepository } from './notice.repository.js';
import { WatchLinks } from './watch-links.js';
import { type DueMail, MailboxRepository } from './mailbox.repository.js';
import { watchMail } from './watch-mails.js';

/** Names in one mail. */
const MAX_MAILED = 50;
/** Mails that one process writes at a time. */
const AT_ONCE = 2;
/** Longer than a mail takes with every time limit of the mailer. */
const DEADLINE_MS = 120_000;
/** Before each further attempt; the last one again and again. */
const RETRY_MINUTES = [1, 5, 15, 60];
/** An address that refused so many attempts gets no more mail. */
const MAX_REJECTIONS = 5;
const MINUTE_MS = 60_000;

/** Writes the mails that are due: a key is an account. */
@Injectable()
export class MailRound implements Kind {
  readonly name = 'watch-mail';
  readonly atOnce = AT_ONCE;
  readonly deadlineMs = DEADLINE_MS;
  private readonly outage = new OutageLogger(new Logger('Watches'), 'Mails of watches wait');

  constructor(
    private readonly mailboxes: MailboxRepository,
    private readonly notices: NoticeRepository,
    private readonly mailer: Mailer,
    private readonly links: WatchLinks,
    kinds: WorkKinds,
  ) {
    kinds.add(this);
  }

  /** Gives the mails that are due to the engine. */
  async enqueueDue(now: Date): Promise<void> {
    await this.mailboxes.enqueueDue(this.name, now);
  }

  async run({ key: accountId }: Work, now: Date): Promise<WorkResult> {
    const due = await this.mailboxes.findDue(accountId, now);
    if (due) await this.send(due, now);
    return {};
  }

  private async send(due: DueMail, now: Date): Promise<void> {
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
        return;
      }
      this.outage.end();
    }
    await this.mailboxes.noteMailed(accountId, upTo, now);
  }

  private async fail({ accountId, failures }: DueMail, error: unknown, now: Date): Promise<void> {
    if (isRejection(error) && failures + 1 >= MAX_REJECTIONS) {
      await this.mailboxes.switchOff(
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
