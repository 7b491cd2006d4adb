import { Inject, Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { aside } from '../../db/scope.js';
import type { Suffix } from '../../domains/schema/domain.js';
import { parseDomainName } from '../../domains/name/domain-name.js';
import type { ApiError } from '../../errors/api-error.js';
import { refusal, registrarAway } from '../ledger/refusals.js';
import { type Priced, type Registrar, REGISTRARS, type Registrars } from '../registrar/port.js';
import type { Terms } from './quote-token.js';

export type Charge = Pick<Terms, 'registrar' | 'totalCents' | 'gstCents' | 'registrarCents'>;
/** What a price is asked for. */
export type Priceable = Pick<Terms, 'domain' | 'years' | 'renews'>;

/** Who sells which names for how many years, and for what: by the capabilities of the registrars. */
@Injectable()
export class OrderPrices {
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
  async yearOfRenewal({ domain, registrar }: Pick<Terms, 'domain' | 'registrar'>): Promise<number> {
    return (await this.price(this.named(registrar), domain, 1, 'renewal')).totalCents;
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
    const net = cents - inputGst + this.config.orders.feeCents;
    const gstCents = Math.round((net * this.config.orders.gstPercent) / 100);
    return { registrar: registrar.name, totalCents: net + gstCents, gstCents, registrarCents: cents };
  }
}

function notSold(suffix: Suffix, years: number, offered: readonly number[]): ApiError {
  if (offered.length === 0) return refusal('not_orderable', 'notOrderable', { suffix });
  return refusal('not_orderable', 'yearsNotSold', { suffix, years, offered: offered.join(', ') });
}
