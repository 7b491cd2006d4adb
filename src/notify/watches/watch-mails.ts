import { createHash } from 'node:crypto';
import { dayInPurgeZone, timeInPurgeZone } from '../../domains/schema/calendar-date.js';
import type { Mail } from '../../accounts/mailer.js';
import type { Notice } from './watch.js';
import type { WatchLinks } from './watch-links.js';
import { watchOf } from '../../domains/schema/events.js';

/** Such as `cafe.com.au is about to be purged on 2026-11-20 13:30 AEST`. */
export function noticeInWords({
  type,
  domain,
  purgeAt,
  confirmedBy,
}: Pick<Notice, 'type' | 'domain' | 'purgeAt' | 'confirmedBy'>): string {
  const [, voucher] = /^vouched:(.*)$/.exec(confirmedBy ?? '') ?? [];
  if (type === 'domain.dropped' && voucher !== undefined)
    return `${domain} dropped, and is free according to ${voucher}; the registry was not asked yet`;
  const when = type === 'domain.listed' && purgeAt ? ` on ${momentInWords(purgeAt)}` : '';
  return `${domain} ${watchOf(type).mail}${when}`;
}

export interface MailedNotices {
  readonly accountId: string;
  readonly email: string;
  readonly isDaily: boolean;
  /** The newest of them, newest first. */
  readonly notices: readonly [Notice, ...Notice[]];
  /** The total, including notices that are not in `notices`. */
  readonly count: number;
  readonly upTo: number;
}

export function watchMail(told: MailedNotices, links: WatchLinks): Mail {
  const { accountId, email, isDaily, notices, count, upTo } = told;
  const [first] = notices;
  const unsubscribe = links.unsubscribe(accountId);
  const lines = notices.map(
    (notice) =>
      `- ${noticeInWords(notice)}, ${momentInWords(notice.occurredAt)}\n  ${links.name(notice.domain)}`,
  );
  const more = count > notices.length ? `\n\nAnd ${count - notices.length} more: ${links.page()}` : '';
  const why = isDaily ? 'once a day' : 'as soon as something happens';
  return {
    to: email,
    subject:
      count === 1 ? noticeInWords({ ...first, purgeAt: null }) : `${count} changes of names that you watch`,
    text:
      'What happened to the names and searches that you ' +
      `watch:\n\n${lines.join('\n')}${more}\n\nNothing is held for you: ask the registry on the ` +
      `page of a name before you act on this.\n\nYou get these mails ${why}. Change that, or what ` +
      `you watch: ${links.page()}\nNo more of these mails: ${unsubscribe}`,
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
