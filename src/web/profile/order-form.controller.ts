import { Body, Get, Ip, Post, Query, Redirect, UseGuards } from '@nestjs/common';
import { IsOptional, IsString, IsUUID, Matches, MaxLength } from 'class-validator';
import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import type { Account } from '../../accounts/accounts.service.js';
import { Config } from '../../config/config.js';
import { type DomainName, parseDomainName } from '../../domains/name/domain-name.js';
import { Clock } from '../../db/database.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { ApiError } from '../../errors/api-error.js';
import { refusal } from '../../orders/ledger/refusals.js';
import { Ledger } from '../../orders/ledger/ledger.repository.js';
import { OrderDesk, type Quoted } from '../../orders/order/order-desk.js';
import { OrderRepository } from '../../orders/order/order.repository.js';
import { termInWords } from '../../orders/order/order-bookings.js';
import { Renewals } from '../../orders/order/renewals.js';
import { QUOTE_TOKEN, QuoteTokens } from '../../orders/order/quote-token.js';
import { hostsIn, MAX_HOSTS_LENGTH } from '../../orders/order/name-servers.js';
import { OrderPrices } from '../../orders/order/order-prices.js';
import { MAX_YEARS } from '../../orders/registrar/port.js';
import { type RegistrantProfile, sortReadable } from '../../orders/registrants/registrant.repository.js';
import { RegistrantsService } from '../../orders/registrants/registrants.service.js';
import { Registry } from '../../registry/registry.js';
import { counted, dollars, fillIn, t } from '../../texts/texts.js';
import { IsIntegerFrom } from '../../validation/shape.js';
import { isObject } from '../../validation/unknown-values.js';
import { messageInWords, momentInWords, sourceInWords, timeView } from '../layout/words.js';
import { verdictView } from '../names/name-eligibility.js';
import { BADGES, statusOfKnown } from '../names/status-badge.js';
import { FormPages, ProofGuard, SessionGuard, SignedIn } from './form-pages.js';
import { RenewalForm } from './forms.dto.js';
import { FormsInPlace } from './forms-in-place.js';
import { definePage } from './page.js';
import { actorOf, AGREEMENT_BOXES, detailsOf } from './order-view.js';

const MAX_NAME_LENGTH = 300;
const STALE = { message: t.forms.stale };

const orderFormPage = definePage('order-form', {
  title: t.profile.titles.register,
  section: '/profile/orders',
});

class OrderFormQuery {
  @MaxLength(MAX_NAME_LENGTH, { message: 'This is longer than any name.' })
  @IsString(STALE)
  name: string;

  @MaxLength(MAX_HOSTS_LENGTH, STALE)
  @IsString(STALE)
  @IsOptional()
  servers = '';

  // Of the form that buys, from which another price is asked for.
  @IsOptional()
  quote?: unknown;

  @IsOptional()
  submission?: unknown;

  @IsOptional()
  accept?: unknown;

  @IsOptional()
  renew_for?: unknown;

  @IsOptional()
  @IsUUID(undefined, STALE)
  holder?: string;

  @IsOptional()
  @IsIntegerFrom(1, MAX_YEARS)
  years = 1;

  /** The order whose name is to be renewed; left out: a name is to be registered. */
  @IsOptional()
  @IsUUID(undefined, STALE)
  renews?: string;
}

class OrderForm extends RenewalForm {
  @Matches(QUOTE_TOKEN, STALE)
  quote: string;

  /** New with each page: sent twice, the form orders once. */
  @IsUUID(4, STALE)
  submission: string;

  @MaxLength(MAX_HOSTS_LENGTH, STALE)
  @IsString(STALE)
  @IsOptional()
  servers = '';

  @IsString(STALE)
  name: string;

  @IsOptional()
  @IsUUID(undefined, STALE)
  holder?: string;

  @IsIntegerFrom(1, MAX_YEARS)
  years: number;

  @IsOptional()
  @IsUUID(undefined, STALE)
  renews?: string;
}

/** A person orders a name, or its renewal: holder, verdict, term, price and texts on one page; the button approves. */
@FormPages()
@UseGuards(SessionGuard)
export class OrderFormController {
  constructor(
    private readonly config: Config,
    private readonly desk: OrderDesk,
    private readonly tokens: QuoteTokens,
    private readonly prices: OrderPrices,
    private readonly renewals: Renewals,
    private readonly orders: OrderRepository,
    private readonly ledger: Ledger,
    private readonly registrants: RegistrantsService,
    private readonly domains: DomainRepository,
    private readonly registry: Registry,
    private readonly clock: Clock,
    inPlace: FormsInPlace,
  ) {
    inPlace.register('/profile/order', (account, { body }: Request) => this.form(account, queryIn(body)));
  }

  @Get('profile/order')
  show(@SignedIn() account: Account, @Query() query: OrderFormQuery): Promise<string> {
    return this.form(account, query);
  }

  private form(account: Account, query: OrderFormQuery): Promise<string> {
    const { renews } = query;
    return renews === undefined ? this.registration(account, query) : this.renewal(account, query, renews);
  }

  private async registration(
    { id }: Account,
    { name, holder, years, servers }: OrderFormQuery,
  ): Promise<string> {
    const domain = parseDomainName(name);
    const { readable: holders, unreadable } = sortReadable(await this.registrants.list(id));
    // Not the newest, which a key may have added.
    const chosen = holders.find((one) => one.id === holder) ?? holders.at(-1);
    const wanted = chosen && { domain: domain.domain, years, registrantId: chosen.id };
    const quoted = wanted ? await orRefusal(this.desk.quote(wanted, id)) : null;
    return orderFormPage({
      ...(await this.viewOf(domain, years, this.prices.yearsOf(domain.tld), quoted, id)),
      heading: fillIn(t.ordering.title, { domain: domain.domain }),
      // What the quote is for, which may be newer than the list.
      holders: holders.map((one) =>
        one === chosen ? holderOf({ ...one, ...registrantOf(quoted) }, true) : holderOf(one, false),
      ),
      isUnreadable: unreadable.length > 0,
      ...{ renews: null, servers },
    });
  }

  /** The registrant and the name servers stay. */
  private async renewal({ id }: Account, { years }: OrderFormQuery, renews: string): Promise<string> {
    const renewed = await this.desk.read(renews, id);
    const domain = parseDomainName(renewed.domain);
    const [quoted, holder] = await Promise.all([
      orRefusal(this.desk.quoteRenewal(renews, years, id)),
      this.orders.findHolder(renews),
    ]);
    return orderFormPage({
      ...(await this.viewOf(domain, years, this.prices.yearsAt(renewed.registrar), quoted, id)),
      heading: fillIn(t.ordering.renewals.awaiting_approval.title, { domain: domain.domain }),
      holders: holder ? [holderOf({ id: renews, ...holder }, true)] : [],
      ...{ isUnreadable: false, renews, servers: '' },
    });
  }

  private async viewOf(
    domain: DomainName,
    years: number,
    sold: readonly number[],
    quoted: Quoted | ApiError | null,
    accountId: string,
  ): Promise<object> {
    const [balance, status] = await Promise.all([this.ledger.balanceOf(accountId), this.statusOf(domain)]);
    return {
      ...{ domain: domain.domain, tld: domain.tld, years, submission: randomUUID() },
      ...status,
      terms: sold.map((value) => ({ value, words: termInWords(value) })),
      refusal: quoted instanceof ApiError ? messageInWords(quoted.message) : null,
      ...(quoted && !(quoted instanceof ApiError) ? await this.priced(quoted, balance.freeCents) : UNPRICED),
      agreements: AGREEMENT_BOXES,
    };
  }

  /** What the name is, by whose word and since when. */
  private async statusOf(name: DomainName): Promise<object> {
    const [row, answer, now] = await Promise.all([
      this.domains.findDomain(name.domain),
      name.reserved ? null : this.registry.findKnown(name),
      this.clock.now(),
    ]);
    const shown = row?.hidden ? null : row;
    const { badge, saidBy, saidAt } = statusOfKnown(name, answer ?? null, shown, undefined, now);
    return {
      badge: BADGES[badge],
      said: saidAt && timeView(saidAt, now),
      saidBy: saidBy === null ? t.names.unknownSource : sourceInWords(saidBy),
    };
  }

  @Post('profile/order')
  @UseGuards(ProofGuard)
  @Redirect('', 303)
  async order(
    @SignedIn() account: Account,
    @Body() form: OrderForm,
    @Ip() address: string,
  ): Promise<{ url: string }> {
    const { quote, accept, submission, servers, renew_for: maxCents } = form;
    this.assertQuoted(form);
    const actor = actorOf(account, address);
    const key = `page:${submission}`;
    const consent =
      maxCents === undefined ? undefined : await this.renewals.consentWith(quote, maxCents, key, actor);
    const { id } = await this.desk.order(quote, accept, key, actor, hostsIn(servers), consent);
    return { url: `/profile/orders/${id}?done=order-approved` };
  }

  /** The chosen registrant and term are bought, or nothing is. @throws {ApiError} price_changed */
  private assertQuoted({ quote, years, holder }: OrderForm): void {
    const quoted = this.tokens.read(quote);
    // A registrant of another account is refused with the order.
    if (!quoted) return;
    const isChosen = quoted.years === years && (quoted.renews !== null || quoted.registrantId === holder);
    if (!isChosen) throw refusal('price_changed', 'chosenAnew');
  }

  private async priced({ quote, token, verdict }: Quoted, freeCents: number): Promise<object> {
    const { totalCents, gstCents, registrar, isDrop, expiresAt } = quote;
    const hours = this.prices.giveBackHours(registrar);
    const cents = quote.renews === null ? await this.prices.shownYearOfRenewal(quote) : null;
    const { feeCents } = this.config.orders;
    const missing = totalCents - freeCents;
    return {
      price: {
        ...{ total: dollars(totalCents), gst: dollars(gstCents), term: termInWords(quote.years) },
        ...{ name: dollars(totalCents - gstCents - feeCents), fee: dollars(feeCents) },
      },
      verdict: verdictView(verdict),
      balance: dollars(freeCents),
      after: missing > 0 ? null : dollars(freeCents - totalCents),
      missing: missing > 0 ? dollars(missing) : null,
      ...{ registrar, isDrop, token, until: momentInWords(new Date(expiresAt)) },
      renewal: cents === null ? null : { cents, price: dollars(cents) },
      final: hours > 0 ? fillIn(t.ordering.finalAfter, { hours: counted(hours, 'hour') }) : t.ordering.final,
    };
  }
}

/** The view of a page that says why there is no price. */
const UNPRICED = {
  ...{ price: null, verdict: null, balance: null, after: null, missing: null },
  ...{ registrar: null, isDrop: false, token: null, until: null, renewal: null, final: null },
};

/** @returns why there is no price */
function orRefusal<Price>(quoting: Promise<Price>): Promise<Price | ApiError> {
  return quoting.catch((error: unknown) => {
    if (error instanceof ApiError) return error;
    throw error;
  });
}

function registrantOf(quoted: Quoted | ApiError | null): Partial<Pick<Quoted, 'registrant'>> {
  return quoted && !(quoted instanceof ApiError) ? { registrant: quoted.registrant } : {};
}

function holderOf(
  { id, registrant }: Pick<RegistrantProfile, 'id' | 'registrant'>,
  isChosen: boolean,
): object {
  return { ...{ id, isChosen, name: registrant.legalName }, details: detailsOf(registrant) };
}

function queryIn(body: unknown): OrderFormQuery {
  const { name = '', holder, years, renews, servers } = isObject(body) ? body : {};
  return {
    name: String(name),
    ...(typeof holder === 'string' && { holder }),
    ...(typeof renews === 'string' && { renews }),
    years: Number(years) || 1,
    servers: typeof servers === 'string' ? servers : '',
  };
}
