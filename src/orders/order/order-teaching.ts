import { Injectable } from '@nestjs/common';
import { Lifecycle } from '../../domains/lifecycle/lifecycle.js';
import { parseDomainName } from '../../domains/name/domain-name.js';
import { Registry } from '../../registry/registry.js';
import type { WorkResult } from '../../work/kind.js';
import type { Order } from './order.repository.js';

const DAY_MS = 24 * 3_600_000;
/** While the registry has no turn, or the operator's guard has stopped all writes of answers. */
const AGAIN_MS = 5 * 60_000;

/**
 * Teaches the dataset what became of the name of an order. It is the work of an order that has ended: a run that was
 * killed before, or failed, is repeated. An order that an operator settled comes to it at its next turn.
 */
@Injectable()
export class OrderTeaching {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly registry: Registry,
  ) {}

  /** @param registeredAt as the registrar says; left out: when the order ended, unless it renews a name */
  async run(
    { domain, state, settledAt, cancelAskedAt, renews }: Order,
    now: Date,
    registeredAt?: Date | null,
  ): Promise<WorkResult> {
    const endedAt = settledAt ?? now;
    const isOver = now.getTime() - endedAt.getTime() > DAY_MS;
    if (isOver || (state === 'cancelled' && !cancelAskedAt) || state === 'failed') return {};
    if (state === 'registered') {
      const answer = { state, source: 'registrar', checkedAt: endedAt } as const;
      const said = { ...answer, registeredAt: registeredAt ?? (renews === null ? endedAt : null) };
      const { isStopped } = await this.lifecycle.observeAnswer(domain, said, (transaction) =>
        this.registry.keepWord(domain, said, now, transaction),
      );
      return isStopped ? { againInMs: AGAIN_MS } : {};
    }
    const { answered } = await this.registry.askInBackground(parseDomainName(domain));
    return answered ? {} : { againInMs: AGAIN_MS };
  }
}
