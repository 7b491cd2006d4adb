import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { OutageLogger } from '../../errors/outage.js';
import { isRejection, Mailer, type Mail } from '../../accounts/mailer.js';
import { type Kind, type Work, WorkKinds, type WorkResult } from '../../work/kind.js';
import { NoticeRepository } from './notice.repository.js';
import { WatchLinks } from './watch-links.js';
import { type DueMail, MailboxRepository } from './mailbox.repository.js';
import { dayInPurgeZone, timeInPurgeZone } from '../../domains/schema/calendar-date.js';
import type { Notice } from './watch.js';
import { sandboxWords } from '../../domains/first-offers.js';
import { counted, fillIn, t } from '../../texts/texts.js';

const MAX_MAILED = 50;
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
export class MailDispatcher implements Kind {
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
      await this.mailboxes.switchOff(accountId, t.mails.mailboxRefused);
      return;
    }
    // One mailbox that refuses is no outage.
    if (!isRejection(error)) this.outage.begin(error);
    const minutes = RETRY_MINUTES[failures] ?? RETRY_MINUTES.at(-1) ?? 1;
    await this.mailboxes.postpone(accountId, new Date(now.getTime() + minutes * MINUTE_MS));
  }
}

/** Such as `cafe.com.au is due to drop on 2026-11-20 13:30 AEST`. */
export function noticeInWords({
  type,
  domain,
  purgeAt,
  confirmedBy,
}: Pick<Notice, 'type' | 'domain' | 'purgeAt' | 'confirmedBy'>): string {
  const said = (notice: string) =>
    sandboxWords(confirmedBy) === '' ? notice : fillIn(t.mails.sandbox, { notice });
  const [, voucher] = /^vouched:(.*)$/.exec(confirmedBy ?? '') ?? [];
  if (type === 'domain.dropped' && voucher !== undefined)
    return said(fillIn(t.mails.vouched, { domain, voucher }));
  const notice = `${domain} ${t.events[type].mail}`;
  const isDated = type === 'domain.listed' && purgeAt;
  return said(isDated ? fillIn(t.mails.noticeOn, { notice, when: momentInWords(purgeAt) }) : notice);
}

interface MailedNotices {
  readonly accountId: string;
  readonly email: string;
  readonly isDaily: boolean;
  /** The newest of them, newest first. */
  readonly notices: readonly [Notice, ...Notice[]];
  /** The total, including notices that are not in `notices`. */
  readonly count: number;
  readonly upTo: number;
}

function watchMail(told: MailedNotices, links: WatchLinks): Mail {
  const { accountId, email, isDaily, notices, count, upTo } = told;
  const [first] = notices;
  const unsubscribe = links.unsubscribe(accountId);
  const lines = notices.map((notice) =>
    fillIn(t.mails.notice, {
      notice: noticeInWords(notice),
      when: momentInWords(notice.occurredAt),
      link: links.name(notice.domain),
    }),
  );
  const more = count - notices.length;
  const link = links.page();
  const paragraphs = [
    t.mails.watchLead,
    lines.join('\n'),
    ...(more > 0 ? [fillIn(t.mails.more, { count: more, link })] : []),
    t.mails.watchHint,
    `${fillIn(isDaily ? t.mails.daily : t.mails.atOnce, { link })}\n${fillIn(t.mails.end, { link: unsubscribe })}`,
  ];
  return {
    to: email,
    subject: count === 1 ? noticeInWords({ ...first, purgeAt: null }) : counted(count, 'change'),
    text: paragraphs.join('\n\n'),
    headers: {
      // RFC 8058: the mailbox has a button, and asks the address by itself.
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      // The same mail, told twice as its process was killed before it was noted, is one to the mailbox.
      'Message-ID': `<watch.${hashOf(accountId, upTo)}@${new URL(links.page()).hostname}>`,
    },
  };
}

function momentInWords(moment: Date): string {
  return `${dayInPurgeZone(moment)} ${timeInPurgeZone(moment)} AEST`;
}

function hashOf(accountId: string, upTo: number): string {
  return createHash('sha256').update(`${accountId}\n${upTo}`).digest('hex').slice(0, 32);
}
