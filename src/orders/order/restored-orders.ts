import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { OrderingStops } from '../ledger/ordering-stops.repository.js';
import { type Attempt, newAttempt, REGISTRARS, type Registrars } from '../registrar/port.js';
import type { OrderHolder, OrderThat } from './order.repository.js';

type Unsent = OrderThat<'waits'>;

export function attemptFor(order: Unsent, holder: OrderHolder, startedAt: Date): Attempt {
  const { id, domain: name, years, registrar, nameServers } = order;
  return newAttempt(
    { id: randomUUID(), order: id, registrar, name, years, nameServers, ...holder },
    startedAt,
  );
}

/** Orders that were not sent as far as this database knows. One that was restored lacks what came after its backup. */
@Injectable()
export class RestoredOrders {
  constructor(
    private readonly stops: OrderingStops,
    @Inject(REGISTRARS) private readonly registrars: Registrars,
  ) {}

  /**
   * Whether an order that is about to end was sent after all: the name is under the contact of this order. Null
   * before all names were compared, and while the registrar does not answer. The end of a renewed name proves nothing.
   */
  async wasSent(order: Unsent, readHolder: () => OrderHolder): Promise<boolean | null> {
    const { approvedAt, placedAt, registrar: name, renews } = order;
    const lacks = await this.stops.lacksSince(approvedAt ?? placedAt);
    if (lacks === 'not_compared') return null;
    const registrar = this.registrars.named(name);
    if (lacks === null || approvedAt === null || renews !== null || !registrar) return false;
    const found = await registrar.find(attemptFor(order, readHolder(), approvedAt));
    if (found.is === 'pending') return true;
    if (found.is !== 'done') return null;
    return found.value !== 'none' && found.value !== 'foreign';
  }
}
