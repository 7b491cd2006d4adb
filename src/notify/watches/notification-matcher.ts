import { Injectable, Logger } from '@nestjs/common';
import { Database, type Queryable } from '../../db/database.js';
import { FilterIndex } from '../../domains/schema/filters/filter-index.js';
import { matchesFilter, type NameFilter } from '../../domains/schema/filters/filters.js';
import type { ListedEvent } from '../../domains/feed/domain-event.repository.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { WatchedWebhooks } from '../webhooks/webhook-outbox.repository.js';
import { MailboxRepository } from './mailbox.repository.js';
import { readQuestion } from './question.js';
import { type MatchedWatch, WatchRepository } from './watch.repository.js';
import { type NewNotice, NoticeRepository } from './notice.repository.js';
import { BoundedMap } from '../../validation/caches.js';
import { LIFE_TYPES, type LifeType } from '../../domains/schema/events.js';
import { type Kind, maintenance, type Work, WorkKinds, type WorkResult } from '../../work/kind.js';
import { MailDispatcher } from './mail-dispatcher.js';

const EVENTS_AT_ONCE = 500;
/** Notices and deliveries made in one transaction, and no more than those of one event beyond it. */
const MAX_MADE = 20_000;
/** Questions that are kept as filters: 20 MB at most. */
const MAX_FILTERS = 50_000;

type SearchWatch = MatchedWatch & NameFilter;

/**
 * Matches events with accounts' watches. An event is written in the transaction of its change, and the cursor
 * in the transaction of the notices, so each event is matched once even after a kill. It reads the same
 * events as webhooks, with its own cursor: many webhooks do not delay mail.
 */
@Injectable()
export class NotificationMatcher {
  private readonly filters = new BoundedMap<string, NameFilter>(MAX_FILTERS);

  constructor(
    private readonly database: Database,
    private readonly domains: DomainRepository,
    private readonly watches: WatchRepository,
    private readonly notices: NoticeRepository,
    private readonly mailboxes: MailboxRepository,
    private readonly webhooks: WatchedWebhooks,
  ) {}

  /**
   * Matches the next events.
   * @returns the number of notices made, and whether more events wait; does nothing while another process
   * matches
   */
  async handOver(now: Date): Promise<{ made: number; isMore: boolean }> {
    // Read the high-water mark before the cursor and the watches, so watches created later start after it. If
    // another process went further meanwhile, there is nothing to do.
    const newest = await this.notices.findNewest();
    if (newest === null) return { made: 0, isMore: false };
    await this.webhooks.untilReadable();
    return this.handOverUpTo(newest, now);
  }

  private async handOverUpTo(newest: number, now: Date): Promise<{ made: number; isMore: boolean }> {
    return this.database.transaction(async (transaction) => {
      const after = await this.notices.lockCursor(transaction);
      if (after === null || after >= newest) return { made: 0, isMore: false };
      const events = await this.domains.feed.listAllAfter(
        after,
        EVENTS_AT_ONCE,
        LIFE_TYPES,
        transaction,
        newest,
      );
      const { made, last } = await this.match(events, transaction);
      let webhooks: string[] = [];
      if (made.length > 0) {
        await this.notices.insertNotices(made, transaction);
        webhooks = await this.webhooks.handOver(toldOf(made, events), transaction);
        const accounts = new Set(made.map(({ account_id }) => account_id));
        await this.mailboxes.makeDue([...accounts].sort(), now, transaction);
      }
      const isMore = events.length === EVENTS_AT_ONCE || last !== events.at(-1)?.number;
      await this.notices.moveCursor(isMore ? last : newest, transaction);
      await this.webhooks.wake(webhooks, transaction);
      return { made: made.length, isMore };
    });
  }

  /** @returns the notices, and the last event that they were made for */
  private async match(
    events: readonly ListedEvent<LifeType>[],
    transaction: Queryable,
  ): Promise<{ made: NewNotice[]; last: number | undefined }> {
    const shown = events.filter(({ domain }) => !domain.hidden);
    const names = [...new Set(shown.map(({ domain }) => domain.domain))];
    const byName = grouped(await this.watches.listNameWatches(names, transaction), ({ domain }) => domain);
    const index = new FilterIndex(await this.listSearches(transaction));
    const purges = await this.listPurgesBefore(shown, byName, transaction);
    const deliveries = await this.webhooks.countByAccount(transaction);
    const made: NewNotice[] = [];
    let size = 0;
    for (const event of shown) {
      const { number, domain } = event;
      const found = [
        ...(byName.get(domain.domain) ?? []),
        ...index.candidates(domain).filter((search) => matchesFilter(search, domain)),
      ].filter((watch) => number > watch.afterEvent && tells(watch, event, purges));
      const notices = noticesOf(event, found);
      made.push(...notices);
      for (const { account_id } of notices) size += 1 + (deliveries.get(account_id) ?? 0);
      if (size >= MAX_MADE) return { made, last: number };
    }
    return { made, last: events.at(-1)?.number };
  }

  /**
   * A watch for drops without confirmation is notified when the purge passes, or when the name becomes
   * available if no purge was known.
   * @returns for each name that became available after a purge, the event number of that purge
   */
  private async listPurgesBefore(
    events: readonly ListedEvent[],
    byName: ReadonlyMap<string, readonly MatchedWatch[]>,
    transaction: Queryable,
  ): Promise<ReadonlyMap<number, number>> {
    const drops = events.filter(
      ({ type, domain }) =>
        type === 'domain.dropped' && byName.get(domain.domain)?.some((watch) => waitsForDrop(watch)),
    );
    if (drops.length === 0) return new Map();
    return this.domains.feed.listPurgesBefore(
      drops.map(({ number }) => number),
      transaction,
    );
  }

  private async listSearches(transaction: Queryable): Promise<SearchWatch[]> {
    const watches = await this.watches.listSearchWatches(transaction);
    return Promise.all(
      watches.map(async ({ question, reading, ...watch }) => ({
        ...watch,
        ...(await this.filterOf(question)),
        ...(reading && { reading }),
      })),
    );
  }

  private async filterOf(question: string): Promise<NameFilter> {
    const known = this.filters.get(question);
    if (known) return known;
    const { filter } = await readQuestion(question);
    this.filters.set(question, filter);
    return filter;
  }
}

function waitsForDrop({ eventTypes }: MatchedWatch): boolean {
  return eventTypes.includes('domain.purged') && !eventTypes.includes('domain.dropped');
}

function tells(
  watch: MatchedWatch,
  { number, type }: ListedEvent<LifeType>,
  purges: ReadonlyMap<number, number>,
): boolean {
  if (watch.eventTypes.includes(type)) return true;
  const isNameWatch = 'domain' in watch;
  if (!isNameWatch || type !== 'domain.dropped' || !waitsForDrop(watch)) return false;
  // A purge from before the watch began was not notified.
  return (purges.get(number) ?? 0) <= watch.afterEvent;
}

function toldOf(
  made: readonly NewNotice[],
  events: readonly ListedEvent[],
): Map<string, readonly ListedEvent[]> {
  const byNumber = new Map(events.map((event) => [event.number, event]));
  return new Map(
    [...grouped(made, ({ account_id }) => account_id)].map(([accountId, notices]) => [
      accountId,
      notices.flatMap(({ event }) => byNumber.get(event) ?? []),
    ]),
  );
}

/** One for each account, however many of its watches the event is for. */
function noticesOf(
  { number, type, domain, occurredAt }: ListedEvent<LifeType>,
  found: readonly MatchedWatch[],
): NewNotice[] {
  return [...grouped(found, ({ accountId }) => accountId)].map(([account_id, watches]) => ({
    account_id,
    event: number,
    type,
    domain: domain.domain,
    occurred_at: occurredAt.toISOString(),
    watches: watches.map(({ id }) => id),
  }));
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

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
    private readonly outbox: NotificationMatcher,
    private readonly mails: MailDispatcher,
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
