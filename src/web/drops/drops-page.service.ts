import { Injectable } from '@nestjs/common';
import { ArchiveScoreRepository } from '../../archive/archive-score.repository.js';
import type { Visitor } from '../../access/session-resolver.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { calendarDateOf, type CalendarDate, dayInPurgeZone } from '../../domains/schema/calendar-date.js';
import type { Domain } from '../../domains/schema/domain.js';
import type { UpcomingFilter, UpcomingDropRepository } from '../../domains/feed/upcoming-drop.repository.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { ApiError } from '../../errors/api-error.js';
import { notInTime } from '../../errors/database-failure.js';
import { ListCursors } from '../../access/list-cursors.repository.js';
import { ListLimit } from '../../access/network-limits.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { siteOf } from '../layout/layout.js';
import { type NameRow, toNameRow } from '../names/name-row.js';
import type { NameStatus } from '../names/status-badge.js';
import {
  addressOf,
  cursorOf,
  type DropList,
  type DropsAddress,
  placeOf,
  DayCounts,
  type ListedNames,
  dueOf,
  renderDayFeed,
  renderDrops,
  shownDays,
} from './drops-view.js';

const ROWS_PER_PAGE = 25;
const FEED_DAYS = 7;
/** Names a day in the feed. */
const FEED_NAMES = 10;

interface Entry {
  readonly row: Domain;
  readonly at: Date;
  /** Where the row does not have it. */
  readonly status?: NameStatus;
}

@Injectable()
export class DropsPageService {
  constructor(
    private readonly limit: ListLimit,
    private readonly cursors: ListCursors,
    private readonly dayCounts: DayCounts,
    private readonly domains: DomainRepository,
    private readonly years: ArchiveScoreRepository,
    private readonly reads: ReadDatabase,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** A day's drops. Costs no records. @throws {ApiError} invalid_parameter, too_many_requests, tier_required */
  async show(address: DropsAddress, visitor: Visitor): Promise<string> {
    await this.limit.count(visitor);
    const now = await this.clock.now();
    const today = dayInPurgeZone(now);
    const allRuns = await this.domains.upcoming.listRuns(filterOf(undefined), now);
    // Without a day, the list of due names begins with the next ones.
    const nextDay = address.list === 'due' && allRuns[0] ? dayInPurgeZone(allRuns[0].purgeAt) : today;
    const day = address.day ?? nextDay;
    const shown = shownDays(day);
    const [counts, manyCounts] = await Promise.all([
      this.domains.days.countDays(day, day),
      this.dayCounts.count(shown.first, shown.last),
    ]);
    const runs = allRuns.filter(({ purgeAt }) => dayInPurgeZone(purgeAt) === day);
    const dueByDay = new Map<CalendarDate, number>();
    for (const { purgeAt, names } of allRuns)
      dueByDay.set(dayInPurgeZone(purgeAt), (dueByDay.get(dayInPurgeZone(purgeAt)) ?? 0) + names);
    const list = address.list ?? (runs.length > 0 ? 'due' : 'dropped');
    const names = await this.listNames(day, list, address.cursor, visitor, now);
    const view = { day, today, list, runs, counts, manyCounts, ...shown, dueByDay, names, now };
    return renderDrops(siteOf(this.config), view, visitor.accountId !== null);
  }

  /** The first names of a list. @throws {ApiError} invalid_parameter; database_unavailable when not in time */
  async list({ day, list }: DropsAddress, limit: number): Promise<Domain[]> {
    const now = await this.clock.now();
    const found = await this.find(day ?? dayInPurgeZone(now), list ?? 'dropped', null, limit, now);
    if (!found) throw notInTime();
    return found.map(({ row }) => row);
  }

  /** The last days as a feed. Costs no records. @throws {ApiError} too_many_requests; database_unavailable when late */
  async writeFeed(visitor: Visitor): Promise<string> {
    await this.limit.count(visitor);
    const now = await this.clock.now();
    const today = new Date(`${dayInPurgeZone(now)}T00:00:00Z`);
    const days = Array.from({ length: FEED_DAYS }, (_, ago) => calendarDateOf(today, -ago));
    const [counts, best] = await Promise.all([
      this.dayCounts.count(days.at(-1) ?? '', days[0] ?? ''),
      Promise.all(days.map((day) => this.domains.days.listDay(day, 'domain.dropped', null, FEED_NAMES))),
    ]);
    // Feed readers keep entries: without counts there is no feed, rather than a day without drops.
    if (!counts) throw notInTime();
    const entries = days.flatMap((day, place) => {
      const names = best[place];
      if (!names) throw notInTime();
      const ofDay = counts.filter((one) => one.day === day);
      if (ofDay.length === 0) return [];
      return [{ day, counts: ofDay, best: names.map(({ domain }) => domain.domain) }];
    });
    return renderDayFeed(siteOf(this.config), entries);
  }

  private async listNames(
    day: CalendarDate,
    list: DropList,
    cursor: string | null,
    { tier }: Visitor,
    now: Date,
  ): Promise<ListedNames> {
    const place = cursor === null ? null : placeOf(day, list, await this.cursors.open(cursor));
    const page = place?.page ?? 1;
    const limit = Math.min(ROWS_PER_PAGE, tier.listRows - (page - 1) * ROWS_PER_PAGE);
    if (limit <= 0)
      throw new ApiError('tier_required', `These pages show the first ${tier.listRows} names of a day.`);
    const found = await this.find(day, list, place?.after ?? null, limit + 1, now);
    const entries = (found ?? []).slice(0, limit);
    const hasMore = (found ?? []).length > limit;
    const mayGoOn = page * ROWS_PER_PAGE < tier.listRows;
    const last = entries.at(-1);
    const next =
      last && hasMore && mayGoOn ? { page: page + 1, after: { ...last.row, purgeAt: last.at } } : null;
    return {
      rows: await this.toRows(entries, now),
      from: (page - 1) * ROWS_PER_PAGE + 1,
      next: next && addressOf(day, list, await this.cursors.sign(cursorOf(day, list, next))),
      endsAt: hasMore && !mayGoOn ? tier.listRows : null,
      timedOut: found === null,
    };
  }

  private async find(
    day: CalendarDate,
    list: DropList,
    after: Parameters<UpcomingDropRepository['listDrops']>[2],
    limit: number,
    now: Date,
  ): Promise<Entry[] | null> {
    if (list === 'due') {
      const drops = await this.domains.upcoming.listDrops(filterOf(day), now, after, limit);
      return drops.map(({ domain, purgeAt }) => ({
        row: domain,
        at: purgeAt,
        status: { badge: 'about_to_be_purged', saidBy: 'its scheduled drop', saidAt: purgeAt },
      }));
    }
    const events = await this.domains.days.listDay(day, `domain.${list}`, after, limit);
    return events?.map(({ domain, occurredAt }) => ({ row: domain, at: occurredAt })) ?? null;
  }

  private async toRows(entries: readonly Entry[], now: Date): Promise<NameRow[]> {
    const names = entries.map(({ row }) => row.domain);
    const years = await this.years.listYears(names, this.reads);
    const { links, auth } = this.config;
    const { registerUrlTemplate } = links;
    const context = { years, registerUrlTemplate, hasAccounts: auth.enabled, now };
    return entries.map(({ row, at, status }) => {
      const shown = toNameRow(row, context, status);
      return status ? { ...shown, ...dueOf(at, now) } : shown;
    });
  }
}

function filterOf(day: CalendarDate | undefined): UpcomingFilter {
  return { day, suffixes: [], kind: undefined, q: undefined, minWayback: 0 };
}
