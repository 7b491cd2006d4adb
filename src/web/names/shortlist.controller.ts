import { Get, Injectable, Query, Req } from '@nestjs/common';
import type { Request } from 'express';
import { namesIn, ShortlistRepository } from '../../accounts/shortlist.repository.js';
import { ArchiveScoreRepository, type DaysByYear } from '../../archive/archive-score.repository.js';
import { ListLimit } from '../../access/network-limits.js';
import type { Visitor } from '../../access/session-resolver.js';
import { Config } from '../../config/config.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import { registerUrl } from '../../domains/schema/fields.js';
import { csvLine } from '../../validation/formats.js';
import { drawSteps, yearsOf } from '../layout/charts.js';
import { renderLayout, siteOf } from '../layout/layout.js';
import { CurrentVisitor, PublicPages } from '../layout/public-pages.js';
import { template } from '../layout/templates.js';
import { counted, fillIn, grouped, t } from '../../texts/texts.js';
import { dayInWords, sourceInWords, timeView } from '../layout/words.js';
import { namePartsOf, type NameRow, type RowContext, rowHeads, toNameRow } from './name-row.js';
import { type KnownName, NameStatuses } from './name-statuses.js';
import { actOf, BADGES, type NameStatus } from './status-badge.js';

/** Side by side; more are a list. */
const MAX_COMPARED = 3;

interface Known extends KnownName {
  readonly days: DaysByYear;
}

const shortlistPage = template('shortlist');
const comparePage = template('compare');

/**
 * Names side by side. They are in the address, so that a shortlist can be shared and needs no account; without names
 * it is the one of the account. All of it costs no records, and counts as a list page.
 */
@Injectable()
export class ShortlistService {
  constructor(
    private readonly limit: ListLimit,
    private readonly kept: ShortlistRepository,
    private readonly statuses: NameStatuses,
    private readonly years: ArchiveScoreRepository,
    private readonly reads: ReadDatabase,
    private readonly config: Config,
  ) {}

  /** @param text null: the names of the account. @throws {ApiError} too_many_requests */
  async show(text: string | null, visitor: Visitor): Promise<string> {
    const isOwn = text === null && visitor.accountId !== null;
    const { known, now } = await this.learn(text, visitor);
    const { links, auth } = this.config;
    const context = { registerUrlTemplate: links.registerUrlTemplate, hasAccounts: auth.enabled, now };
    const rows = known.map(({ name, row, status, days }) => {
      const years = new Map([[name.domain, days]]);
      return row ? toNameRow(row, { ...context, years }, status) : unknownRow(name, status, context);
    });
    const names = known.map(({ name }) => name.domain);
    const title =
      rows.length === 0
        ? t.shortlist.toShortlist
        : fillIn(t.shortlist.listTitle, { names: counted(rows.length, 'name') });
    return this.render(
      title,
      visitor,
      shortlistPage({
        title,
        rows,
        names,
        isOwn,
        isEmpty: rows.length === 0,
        address: `?names=${names.join(',')}`,
        most: MAX_COMPARED,
        heads: rowHeads(now.getUTCFullYear()),
      }),
    );
  }

  /** @throws {ApiError} too_many_requests */
  async compare(text: string, visitor: Visitor): Promise<string> {
    const { known, now } = await this.learn(text, visitor, MAX_COMPARED);
    const names = known.map(({ name }) => name.domain);
    const title =
      names.length === 0 ? t.shortlist.title : fillIn(t.shortlist.compareTitle, { names: names.join(', ') });
    const price = this.price();
    const lines = known.map((one) => ({
      ...columnOf(one, now),
      price: one.status.badge === 'available' ? price : null,
    }));
    const body = comparePage({
      title,
      columns: lines,
      most: MAX_COMPARED,
      address: `?names=${names.join(',')}`,
    });
    return this.render(title, visitor, body);
  }

  /** @throws {ApiError} too_many_requests */
  async write(text: string | null, visitor: Visitor): Promise<string> {
    const { known } = await this.learn(text, visitor);
    const { registerUrlTemplate } = this.config.links;
    const lines = known.map(({ name: { domain }, row, status, days }) => {
      const years = yearsOf(days);
      const isFree = status.badge === 'available';
      return csvLine([
        ...[domain, BADGES[status.badge].words, status.saidBy, status.saidAt?.toISOString() ?? null],
        ...[
          row?.wayback ?? null,
          years?.from ?? null,
          years?.to ?? null,
          row?.droppedAt?.toISOString() ?? null,
        ],
        isFree ? registerUrl(registerUrlTemplate, domain) : null,
      ]);
    });
    return [csvLine(CSV_COLUMNS), ...lines].join('');
  }

  private async learn(
    text: string | null,
    visitor: Visitor,
    most?: number,
  ): Promise<{ known: Known[]; now: Date }> {
    await this.limit.count(visitor);
    const { accountId } = visitor;
    const own = text === null && accountId !== null ? await this.kept.list(accountId) : [];
    const names = namesIn(text ?? own.join(','), most);
    const [years, { known, now }] = await Promise.all([
      this.years.listYears(
        names.map(({ domain }) => domain),
        this.reads,
      ),
      this.statuses.read(names),
    ]);
    return { known: known.map((one) => ({ ...one, days: years.get(one.name.domain) ?? {} })), now };
  }

  /** Of a year at the first registrar that has one: they stand in the order of the operator. */
  private price(): string | null {
    const priced = this.config.site.registrars.find(({ price }) => price !== undefined);
    if (!priced?.price) return null;
    const price = fillIn(t.shortlist.priceAt, { price: priced.price, registrar: priced.name });
    return priced.price_seen
      ? fillIn(t.shortlist.priceSeen, { price, seen: dayInWords(priced.price_seen) })
      : price;
  }

  private render(title: string, { accountId }: Visitor, body: string): string {
    return renderLayout(siteOf(this.config), { title, signedIn: accountId !== null, scripted: true, body });
  }
}

const CSV_COLUMNS = [
  ...['domain', 'state', 'said_by', 'checked_at', 'archive_score'],
  ...['first_year', 'last_year', 'dropped_at', 'register_url'],
];

function columnOf({ name, row, status, days }: Known, now: Date): object {
  const years = yearsOf(days);
  return {
    name: namePartsOf(name.name, name.tld),
    domain: name.domain,
    chip: BADGES[status.badge],
    said: status.saidAt && timeView(status.saidAt, now),
    saidBy: status.saidBy === null ? '' : sourceInWords(status.saidBy),
    steps: row ? drawSteps(row.wayback) : '',
    score: row ? grouped(row.wayback) : '–',
    years: years ? `${years.from}–${years.to}` : '–',
    archived: Object.keys(days).length > 0 ? counted(Object.keys(days).length, 'year') : '–',
    length: counted(name.name.length, 'character'),
    dropped: row?.droppedAt ? timeView(row.droppedAt, now) : null,
    canAsk: name.reserved === null,
  };
}

/** A name that the dataset does not have. */
function unknownRow(
  { domain, name, tld }: DomainName,
  { badge, saidAt, saidBy }: NameStatus,
  { hasAccounts, now }: Pick<RowContext, 'hasAccounts' | 'now'>,
): NameRow {
  return {
    ...{ domain, name: namePartsOf(name, tld), meta: counted(name.length, 'character'), dropped: null },
    ...{ score: '', step: 0, steps: '', spark: '', years: '', remark: '' },
    said: saidAt && timeView(saidAt, now),
    saidBy: saidBy === null ? '' : sourceInWords(saidBy),
    chip: BADGES[badge],
    registerUrl: null,
    act: actOf(badge, hasAccounts),
  };
}

/** Names of an address: in one value, or one in each. */
function textOf(names: unknown): string | null {
  if (Array.isArray(names)) return names.filter((one) => typeof one === 'string').join(',');
  return typeof names === 'string' ? names : null;
}

@PublicPages()
export class ShortlistController {
  constructor(private readonly shortlist: ShortlistService) {}

  @Get('shortlist')
  show(@Query('names') names: unknown, @CurrentVisitor() visitor: Visitor): Promise<string> {
    return this.shortlist.show(textOf(names), visitor);
  }

  @Get('shortlist.csv')
  async write(
    @Query('names') names: unknown,
    @CurrentVisitor() visitor: Visitor,
    @Req() request: Request,
  ): Promise<string> {
    const text = await this.shortlist.write(textOf(names), visitor);
    request.res?.type('text/csv; charset=utf-8').attachment('shortlist.csv');
    return text;
  }

  @Get('compare')
  compare(@Query('names') names: unknown, @CurrentVisitor() visitor: Visitor): Promise<string> {
    return this.shortlist.compare(textOf(names) ?? '', visitor);
  }
}
