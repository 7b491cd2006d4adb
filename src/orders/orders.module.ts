import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { DomainsModule } from '../domains/domains.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { WorkKinds } from '../work/kind.js';
import { OrdersController } from './api/orders.controller.js';
import { LedgerModule } from './ledger/ledger.module.js';
import { OrderingCustomers } from './order/customers.js';
import { OrderDesk } from './order/order-desk.js';
import { OrderRepository } from './order/order.repository.js';
import { OrderWork } from './order/order-work.js';
import { QuoteTokens } from './order/quote-token.js';
import { RegistrarWatch } from './order/registrar-watch.js';
import { OrdersRegistrarModule } from './registrars.module.js';

/** No account has a registrant: every order is refused. */
@Injectable()
class NoRegistrants extends OrderingCustomers {
  async findRegistrant(): Promise<null> {
    return null;
  }

  judge(): Promise<never> {
    return Promise.reject(new Error('there are no registrants'));
  }
}

/** Registering names for customers. With ORDERS=off nothing of it can be reached, and undecided orders are settled. */
@Module({})
export class OrdersModule {
  static with({ orders }: Config): DynamicModule {
    return {
      module: OrdersModule,
      imports: [DomainsModule, LedgerModule, OrdersRegistrarModule, RegistryModule],
      exports: [LedgerModule, OrderDesk, OrderRepository],
      controllers: orders.enabled ? [OrdersController] : [],
      providers: [
        OrderDesk,
        OrderRepository,
        OrderWork,
        QuoteTokens,
        RegistrarWatch,
        { provide: OrderingCustomers, useClass: NoRegistrants },
      ],
    };
  }

  constructor(kinds: WorkKinds, work: OrderWork, watch: RegistrarWatch) {
    kinds.add(work, watch);
  }
}
