import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { AccountAuditLog, type Actor } from '../../observe/audit.repository.js';
import { type Caller, actorOf } from '../../access/caller.js';
import { IdempotentRequests, type Remember, senderOf } from '../../access/idempotent-requests.js';
import { TierGate } from '../../access/tier-gate.js';
import { Clock } from '../../db/database.js';
import { parseDomainName } from '../../domains/name/domain-name.js';
import { ApiError } from '../../errors/api-error.js';
import { nextDailyMail } from './mailbox.repository.js';
import { NoticeRepository } from './notice.repository.js';
import { readQuestion } from './question.js';
import { type NewWatchBody, WatchesQuery } from './watch.dto.js';
import {
  type Page,
  pageOf,
  resumeQuery,
  readCursor,
  writeCursor,
  keptParameters,
} from '../../domains/schema/page-cursor.js';
import { eventTypesOf, type MailMode, type Notice, type Watch, type Watcher } from './watch.js';
import { WatchLinks } from './watch-links.js';
import { type NewWatch, WatchRepository, type WatchPlace } from './watch.repository.js';
import { type Watched, WATCHED_KINDS } from '../../domains/schema/events.js';

/** As PostgreSQL writes a time down. */
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?$/;

/** The cursor of the page behind this watch, which may be gone by then. */
function watchCursorBehind(place: WatchPlace, query: WatchesQuery, accountId: string): string {
  const { isSearch, at, id } = place;
  return writeCursor(listOf(accountId), [isSearch ? 1 : 0, at, id, ...keptParameters(query, WatchesQuery)]);
}

/**
 * Where the page begins; null: at the beginning.
 *
 * @throws {ApiError} invalid_parameter for a cursor that was altered, or is of another list
 */
function watchPlaceOf({ cursor }: WatchesQuery, accountId: string): WatchPlace | null {
  if (cursor === undefined) return null;
  const [kind, at, id] = readCursor(listOf(accountId), cursor) ?? [];
  if (typeof at !== 'string' || !TIME.test(at) || Number.isNaN(Date.parse(at)) || !isUUID(id))
    throw new ApiError(
      'invalid_parameter',
      'cursor must be the next_cursor of an earlier page of your watches; leave it out to start again',
    );
  return { isSearch: kind === 1, at, id: String(id) };
}

const listOf = (accountId: string) => JSON.stringify(['watches', accountId]);

export interface WatchingCaller extends Caller {
  readonly accountId: string;
}

export interface Watching extends Watcher {
  readonly watches: readonly Watch[];
  readonly notices: readonly Notice[];
  readonly feedUrl: string;
}

const NOT_WATCHING: Watcher = { mails: 'at_once', feedGeneration: 1, problem: null };

@Injectable()
export class WatchesService {
  constructor(
    private readonly watches: WatchRepository,
    private readonly notices: NoticeRepository,
    private readonly links: WatchLinks,
    private readonly gate: TierGate,
    private readonly clock: Clock,
    private readonly auditLog: AccountAuditLog,
    private readonly requests: IdempotentRequests,
  ) {}

  async readWatching(accountId: string, maxNotices: number): Promise<Watching> {
    const [watches, watcher, notices] = await Promise.all([
      this.watches.listWatches(accountId),
      this.watches.findWatcher(accountId),
      this.notices.listNotices(accountId, maxNotices),
    ]);
    const { mails, feedGeneration, problem } = watcher ?? NOT_WATCHING;
    const feedUrl = this.links.feed(accountId, feedGeneration);
    return { watches, mails, feedGeneration, problem, notices, feedUrl };
  }

  /**
   * Watches a name.
   *
   * @throws {ApiError} domain_missing, domain_invalid, domain_suffix_unsupported, domain_not_registrable,
   * invalid_parameter, limit_reached
   */
  async watchName(
    text: string,
    kinds: readonly Watched[],
    caller: WatchingCaller,
    remember?: Remember,
  ): Promise<Watch> {
    const { domain, reserved } = parseDomainName(text);
    if (reserved) throw new ApiError('invalid_parameter', `${domain} is ${reserved.what}: it is reserved`);
    if (kinds.length === 0) throw new ApiError('invalid_parameter', 'Choose at least one alert');
    return this.insert(
      { domain, question: null, reading: null, eventTypes: eventTypesOf(kinds) },
      caller,
      remember,
    );
  }

  /**
   * Watches a search.
   *
   * @throws {ApiError} invalid_parameter, tier_required, limit_reached
   */
  async watchSearch(address: string, caller: WatchingCaller, remember?: Remember): Promise<Watch> {
    const { text, state, eventType, filter } = await readQuestion(address);
    this.gate.assertShown(caller, state);
    return this.insert(
      { domain: null, question: text, reading: filter.reading ?? null, eventTypes: [eventType] },
      caller,
      remember,
    );
  }

  /**
   * Watches a name or a search, as a program asks: once for each key.
   *
   * @throws {ApiError} idempotency_conflict, and as watchName and watchSearch do
   */
  async add(body: NewWatchBody, caller: WatchingCaller, key: string | undefined): Promise<Watch> {
    const { domain, search, on } = body;
    return this.requests.once(
      { by: senderOf(caller), key, content: ['watch', domain, search, on] },
      (remember) => this.addNow(body, caller, remember),
      (id) => this.watches.findWatch(caller.accountId, id),
    );
  }

  /** @throws {ApiError} not_found */
  async read(id: string, accountId: string): Promise<Watch> {
    const watch = await this.watches.findWatch(accountId, id);
    if (!watch) throw nothingWatched();
    return watch;
  }

  private async addNow(
    { domain, search, on = [...WATCHED_KINDS] }: NewWatchBody,
    caller: WatchingCaller,
    remember: Remember,
  ): Promise<Watch> {
    if ((domain === undefined) === (search === undefined))
      throw new ApiError('invalid_parameter', 'send either domain or search, and not both');
    return domain === undefined
      ? this.watchSearch(search ?? '', caller, remember)
      : this.watchName(domain, on, caller, remember);
  }

  /**
   * A page of watches.
   * @throws {ApiError} invalid_parameter for a cursor of another list
   */
  async list(accountId: string, sent: WatchesQuery): Promise<Page<Watch>> {
    const query = await resumeQuery(sent, WatchesQuery);
    const found = await this.watches.listWatches(accountId, query.limit + 1, watchPlaceOf(query, accountId));
    return pageOf(found, query.limit, (last) =>
      watchCursorBehind({ ...last, isSearch: last.domain === null }, query, accountId),
    );
  }

  /** @throws {ApiError} not_found */
  async remove(id: string, caller: WatchingCaller): Promise<void> {
    const what = await this.watches.deleteWatch(caller.accountId, id);
    if (what === null) throw nothingWatched();
    await this.auditLog.record(actorOf(caller, caller.accountId), 'watch.remove', what);
  }

  /** Switches between immediate and daily mail; waiting notices follow the new mode. */
  async setMails(mails: MailMode, actor: Actor): Promise<void> {
    const now = await this.clock.now();
    const dueAt = { at_once: now, daily: nextDailyMail(now), off: null }[mails];
    if (await this.watches.setMails(actor.accountId, mails, dueAt))
      await this.auditLog.record(actor, 'watch.mails', mails.replaceAll('_', ' '));
  }

  async renewFeed(actor: Actor): Promise<void> {
    await this.watches.renewFeed(actor.accountId);
    await this.auditLog.record(actor, 'watch.feed');
  }

  /**
   * Stops mail to the account that the link was sent to.
   * @throws {ApiError} link_invalid
   */
  async unsubscribe(token: string, address: string | undefined): Promise<void> {
    await this.setMails('off', { accountId: this.unsubscribing(token), address });
  }

  /** @throws {ApiError} link_invalid */
  unsubscribing(token: string): string {
    const link = this.links.read('unsubscribe', token);
    if (!link) throw new ApiError('link_invalid', 'This link is not complete. Open it again from the mail.');
    return link.accountId;
  }

  /** What the feed at a secret address tells. @throws {ApiError} not_found */
  async readFeed(token: string, limit: number): Promise<{ url: string; notices: Notice[] }> {
    const link = this.links.read('feed', token);
    const watcher = link && (await this.watches.findWatcher(link.accountId));
    if (!link || watcher?.feedGeneration !== link.generation)
      throw new ApiError('not_found', 'There is no such feed, or its address was changed.');
    const url = this.links.feed(link.accountId, link.generation);
    return { url, notices: await this.notices.listNotices(link.accountId, limit) };
  }

  private async insert(watch: NewWatch, caller: WatchingCaller, remember?: Remember): Promise<Watch> {
    const { accountId, tier } = caller;
    const [max, what] =
      watch.domain === null ? [tier.savedSearches, 'searches'] : [tier.watchedNames, 'names'];
    const inserted = await this.watches.insertWatch(accountId, watch, max, remember);
    if (inserted === 'too_many')
      throw new ApiError(
        'limit_reached',
        `An account of this tier watches ${max} ${what} at most; remove one first`,
      );
    if (inserted === 'no_account') throw new ApiError('not_found', 'This account was removed.');
    const watched = `${watch.domain ?? watch.question ?? ''}: ${watch.eventTypes.join(', ')}`;
    if (inserted.isChanged) await this.auditLog.record(actorOf(caller, accountId), 'watch.add', watched);
    return inserted.watch;
  }
}

function nothingWatched(): ApiError {
  return new ApiError('not_found', 'You watch nothing with this id.');
}
