import { type DynamicModule, Module, Optional } from '@nestjs/common';
import { PaymentsModule, PaymentsService } from '../../accounts/payments.module.js';
import type { Config } from '../../config/config.js';
import { maintenance, WorkKinds } from '../../work/kind.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { CardLedger } from './card-ledger.js';
import { CardPayments } from './card-payments.js';
import { TopUpRepository } from './top-up.repository.js';
import { TopUps } from './top-ups.js';

const DAY_MS = 86_400_000;
/** The provider repeats events for three days. */
const UNBOOKED_KEPT_DAYS = 30;
const EXCHANGE_DEADLINE_MS = 60_000;

/** Top-ups by card. Events are taken also with ORDERS=off: a payment may still be disputed. */
@Module({})
export class TopUpModule {
  static with({ payments }: Config): DynamicModule {
    return {
      module: TopUpModule,
      imports: [LedgerModule, ...(payments.secret === undefined ? [] : [PaymentsModule])],
      providers: [CardLedger, CardPayments, TopUpRepository, TopUps],
      exports: [TopUpRepository, TopUps],
    };
  }

  constructor(
    kinds: WorkKinds,
    topUps: TopUps,
    repository: TopUpRepository,
    cardLedger: CardLedger,
    @Optional() payments?: PaymentsService,
  ) {
    payments?.add((event) => cardLedger.takeEvent(event));
    kinds.add(
      {
        name: 'top-up',
        run: ({ key }, now) => topUps.makeAvailable(key, now),
      },
      {
        name: 'card-refund',
        deadlineMs: EXCHANGE_DEADLINE_MS,
        run: ({ key }, now) => topUps.sendRefund(key, now),
      },
      maintenance('card-purge', DAY_MS, (now) =>
        repository.deleteUnbooked(new Date(now.getTime() - UNBOOKED_KEPT_DAYS * DAY_MS)),
      ),
    );
  }
}
