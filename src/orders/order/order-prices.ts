import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { aside, carriedThrough } from '../../db/scope.js';
import type { Suffix } from '../../domains/schema/domain.js';
import { type DomainName, parseDomainName } from '../../domains/name/domain-name.js';
import { ApiError } from '../../errors/api-error.js';
import { refusal, registrarAway } from '../ledger/refusals.js';
import { type Priced, type Registrar, REGISTRARS, type Registrars } from '../registrar/port.js';
import type { Terms } from './quote-token.js';

export type Charge = Pick<Terms, 'registrar' | 'totalCents' | 'gstCents' | 'registrarCents'>;
/** What a price is asked for. */
export type Priceable = Pick<Terms, 'domain' | 'years' | 'renews'>;

type Renewed = Pick<Terms, 'domain' | 'registrar'>;
type Shown = Renewed & { readonly years: number; readonly priced: Priced };

const SHOWN_MS = 5 * 60_000;
const SHOWN_WITHIN_MS = 2_000;
/** The page of a name does without the price that it shows beside others. */
const SHOWN_AT_ONCE_MS = 300;
const YEAR_OF_RENEWAL = { years: 1, priced: 'renewal' } as const;

export interface ShownPrice {
  readonly years: number;
  /** Null where the registrar does not say, or not soon. */
  readonly cents: number | null;
}

/** Who sells which names for how many years, and for what: by the capabilities of the registrars. */
@Injectable()
export class OrderPrices {
  /** By registrar, suffix, term, and what for. */
  private readonly shown = new Map<string, { readonly price: Promise<Charge>; readonly at: number }>();

  constructor(
    private readonly config: Config,
    @Inject(REGISTRARS) private readonly registrars: Registrars,
  ) {}

  /** For a new order. @throws {ApiError} not_orderable */
  choose(suffix: Suffix, years: number): Registrar {
    const registrar = this.registrars.choose(suffix, years);
    if (registrar) return registrar;
    throw notSold(suffix, years, this.yearsOf(suffix));
  }

  /** Of an order that exists. @throws {ApiError} registrar_unavailable */
  named(name: string): Registrar {
    const registrar = this.registrars.named(name);
    if (registrar) return registrar;
    throw registrarAway('notServed');
  }

  /** For how many years a name of this suffix can be ordered; none: not at all. */
  yearsOf(suffix: Suffix): readonly number[] {
    const serving = this.registrars.all.map((one) => one.capabilities());
    const years = serving.flatMap((one) => (one.suffixes.includes(suffix) ? one.years : []));
    return [...new Set(years)].sort((one, other) => one - other);
  }

  /** For how many years this registrar renews a name; none: it is not served. */
  yearsAt(registrar: string): readonly number[] {
    return this.registrars.named(registrar)?.capabilities().years ?? [];
  }

  /** The price with our fee and GST, in whole cents. @throws {ApiError} not_orderable, registrar_unavailable */
  async charge(registrar: Registrar, { domain, years, renews }: Priceable): Promise<Charge> {
    return this.price(registrar, domain, years, renews === null ? 'registration' : 'renewal');
  }

  /** What the renewal of a name for a year costs today. @throws as {@link charge} */
  async yearOfRenewal(of: Renewed): Promise<number> {
    return (await this.ask({ ...of, ...YEAR_OF_RENEWAL })).totalCents;
  }

  /**
   * The same for a page, as it was a few minutes ago: pages that are loaded often do not queue at a registrar that
   * settles orders.
   *
   * @returns null where the registrar does not say, or not soon
   */
  async shownYearOfRenewal(of: Renewed): Promise<number | null> {
    return this.showSoon({ ...of, ...YEAR_OF_RENEWAL }, SHOWN_WITHIN_MS);
  }

  /** What a name of the suffix costs for the shortest term, for a page as well; null where it is not sold here. */
  async shownRegistration({ domain, tld }: DomainName): Promise<ShownPrice | null> {
    const [years] = this.yearsOf(tld);
    if (years === undefined) return null;
    const { name: registrar } = this.choose(tld, years);
    const shown = { domain, registrar, years, priced: 'registration' } as const;
    return { years, cents: await this.showSoon(shown, SHOWN_AT_ONCE_MS) };
  }

  private async showSoon(of: Shown, withinMs: number): Promise<number | null> {
    const kept = this.shown.get(keyOf(of));
    const isFresh = kept && performance.now() - kept.at < SHOWN_MS;
    if (!isFresh) carriedThrough(() => this.ask(of)).catch(() => undefined);
    const price = this.shown.get(keyOf(of))?.price;
    const soon = pause(withinMs, null, { ref: false });
    const found = await Promise.race([price?.catch(nullIfRefused) ?? null, soon]);
    return found?.totalCents ?? null;
  }

  private async ask(of: Shown): Promise<Charge> {
    return this.keep(of, this.price(this.named(of.registrar), of.domain, of.years, of.priced));
  }

  private keep(of: Shown, price: Promise<Charge>): Promise<Charge> {
    const key = keyOf(of);
    const entry = { price, at: performance.now() };
    this.shown.set(key, entry);
    price.catch(() => this.shown.get(key) === entry && this.shown.delete(key));
    return price;
  }

  /** Hours after its registration in which a name is given back for its price; 0: not at all. */
  giveBackHours(registrar: string): number {
    return this.registrars.named(registrar)?.capabilities().cancelWindowHours ?? 0;
  }

  private async price(registrar: Registrar, domain: string, years: number, of: Priced): Promise<Charge> {
    const { suffixes, years: sold } = registrar.capabilities();
    const { tld } = parseDomainName(domain);
    const offered = suffixes.includes(tld) ? sold : [];
    if (!offered.includes(years)) throw notSold(tld, years, offered);
    const price = await aside(() => registrar.quote(domain, years, of));
    if (price.is !== 'done') throw registrarAway('noPrice');
    const { cents, gstCents: inputGst } = price.value;
    const { feeCents, gstPercent } = this.config.orders;
    // A seller that charges no GST gets none back of the registrar's.
    const net = cents - (gstPercent > 0 ? inputGst : 0) + feeCents;
    const gstCents = Math.round((net * gstPercent) / 100);
    return { registrar: registrar.name, totalCents: net + gstCents, gstCents, registrarCents: cents };
  }
}

function notSold(suffix: Suffix, years: number, offered: readonly number[]): ApiError {
  if (offered.length === 0) return refusal('not_orderable', 'notOrderable', { suffix });
  return refusal('not_orderable', 'yearsNotSold', { suffix, years, offered: offered.join(', ') });
}

function keyOf({ domain, registrar, years, priced }: Shown): string {
  return [registrar, parseDomainName(domain).tld, years, priced].join(' ');
}

function nullIfRefused(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}
