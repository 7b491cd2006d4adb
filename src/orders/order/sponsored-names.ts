import { Inject, Injectable } from '@nestjs/common';
import { aside } from '../../db/scope.js';
import { registrarAway } from '../ledger/refusals.js';
import { REGISTRARS, type Registrars } from '../registrar/port.js';
import { GivenBackRepository } from './given-back.repository.js';
import { orderClosed } from './order-words.js';
import type { Order } from './order.repository.js';

/** Whether the registrar still has a registered name for its order: asked before money is held for a renewal. */
@Injectable()
export class SponsoredNames {
  constructor(
    private readonly attempts: GivenBackRepository,
    @Inject(REGISTRARS) private readonly registrars: Registrars,
  ) {}

  /** @throws {ApiError} order_closed, registrar_unavailable */
  async assertOurs({ id, registrar }: Pick<Order, 'id' | 'registrar'>): Promise<void> {
    const attempt = await this.attempts.readLast(id);
    const found = await aside(async () => this.registrars.named(registrar)?.find(attempt));
    if (found?.is !== 'done') throw registrarAway('noWord');
    if (found.value === 'none' || found.value === 'foreign') throw orderClosed('notOurs');
    if (found.value === 'unproven') throw orderClosed('unproven');
  }
}
