import { Inject, Injectable } from '@nestjs/common';
import { aside } from '../../db/scope.js';
import { registrarAway } from '../ledger/refusals.js';
import { type Found, REGISTRARS, type Registrars, SAME_DAY_MS } from '../registrar/port.js';
import { GivenBackRepository } from './given-back.repository.js';
import { orderClosed } from './order-words.js';
import type { Order } from './order.repository.js';
import { dayOf } from './renewal-window.js';

type Registered = Pick<Order, 'id' | 'registrar' | 'expiresAt'>;
/** What the registrar has of a registered name: its end, by the registrar's own day, or a later one than ours. */
type Sponsored = 'unanswered' | Extract<Found, string> | { readonly end: Date } | { readonly laterEnd: Date };

/** Whether the registrar still has a registered name for its order, with the end that the order has. */
@Injectable()
export class SponsoredNames {
  constructor(
    private readonly attempts: GivenBackRepository,
    @Inject(REGISTRARS) private readonly registrars: Registrars,
  ) {}

  async ask({ id, registrar, expiresAt }: Registered): Promise<Sponsored> {
    const attempt = await this.attempts.readLast(id);
    const found = await aside(async () => this.registrars.named(registrar)?.find(attempt));
    if (found?.is !== 'done') return 'unanswered';
    if (typeof found.value === 'string') return found.value;
    if (!expiresAt) return 'unanswered';
    const told = found.value.expiresAt ?? expiresAt;
    const laterByMs = told.getTime() - expiresAt.getTime();
    if (laterByMs > SAME_DAY_MS) return { laterEnd: told };
    return { end: laterByMs < -SAME_DAY_MS ? expiresAt : told };
  }

  /** Before money is held for a renewal. @throws {ApiError} order_closed, registrar_unavailable */
  async assertOurs(renewed: Registered): Promise<void> {
    const there = await this.ask(renewed);
    switch (there) {
      case 'unanswered':
        throw registrarAway('noWord');
      case 'none':
      case 'foreign':
        throw orderClosed('notOurs');
      case 'unproven':
        throw orderClosed('unproven');
      default:
        if ('laterEnd' in there) throw orderClosed('renewedBefore', { until: dayOf(there.laterEnd) });
    }
  }
}
