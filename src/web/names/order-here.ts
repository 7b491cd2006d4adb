import { Injectable } from '@nestjs/common';
import type { DomainName } from '../../domains/name/domain-name.js';
import { DatabaseUnavailable } from '../../errors/database-failure.js';
import { Ledger } from '../../orders/ledger/ledger.repository.js';
import { termInWords } from '../../orders/order/order-bookings.js';
import { OrderPrices } from '../../orders/order/order-prices.js';
import { dollars } from '../../texts/texts.js';

/** The order of a name, as its page offers it. */
export interface OrderHereView {
  readonly href: string;
  readonly term: string;
  /** Null while the registrar does not say. */
  readonly price: string | null;
  /** Null for strangers, and while the primary is away. */
  readonly balance: string | null;
}

/** What it takes to register a name here. */
@Injectable()
export class OrderHere {
  constructor(
    private readonly prices: OrderPrices,
    private readonly ledger: Ledger,
  ) {}

  /** Null where names of the suffix are not sold here. */
  async view(name: DomainName, accountId: string | null): Promise<OrderHereView | null> {
    const [shown, balance] = await Promise.all([
      this.prices.shownRegistration(name),
      accountId === null ? null : this.balanceOf(accountId),
    ]);
    if (!shown) return null;
    return {
      href: `/profile/order?name=${name.domain}`,
      term: termInWords(shown.years),
      price: shown.cents === null ? null : dollars(shown.cents),
      balance,
    };
  }

  private async balanceOf(accountId: string): Promise<string | null> {
    try {
      const { freeCents } = await this.ledger.balanceOf(accountId);
      return dollars(freeCents);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return null;
      throw error;
    }
  }
}
