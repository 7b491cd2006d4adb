import { type DynamicModule, Logger, Module } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { DomainsModule } from '../domains/domains.module.js';
import { AuditModule } from '../observe/audit.repository.js';
import { RateLimitModule } from '../access/rate-limit.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { maintenance, WorkKinds } from '../work/kind.js';
import { BalanceController, TopUpsController } from './api/balance.controller.js';
import { ReceiptsController } from './api/receipts.controller.js';
import { OrdersController } from './api/orders.controller.js';
import { AbnLookup } from './eligibility/abn-lookup.js';
import { EligibilityController, EligibilityService } from './eligibility/eligibility.service.js';
import { OwnerWebhooks } from '../notify/webhooks/owner-webhooks.repository.js';
import { WebhookLanes } from '../notify/webhooks/webhook-lanes.js';
import { WebhookLeaseRepository } from '../notify/webhooks/webhook-lease.repository.js';
import { MailModule } from '../accounts/mailer.js';
import { OrderNoticeRepository } from './order/order-notice.repository.js';
import { OrderNotices } from './notices/order-notices.js';
import { LedgerModule } from './ledger/ledger.module.js';
import { ApprovalChallengeRepository, ApprovalLinkRepository } from './mandates/approval-link.repository.js';
import { ApprovalLinks } from './mandates/approval-links.js';
import { ApprovalPasskeys } from './mandates/approval-passkeys.js';
import { MandateRepository } from './mandates/mandate.repository.js';
import { Mandates } from './mandates/mandates.js';
import { ProgramOrders } from './mandates/program-orders.js';
import { OrderingCustomers } from './order/customers.js';
import { OrderDesk } from './order/order-desk.js';
import { OrderEnds } from './order/order-ends.js';
import { GivenBackRepository } from './order/given-back.repository.js';
import { OrderRepository } from './order/order.repository.js';
import { OrderCancelling } from './order/order-cancelling.js';
import { OrderPrices } from './order/order-prices.js';
import { OrderTeaching } from './order/order-teaching.js';
import { OrderWork } from './order/order-work.js';
import { RenewalRepository } from './order/renewal.repository.js';
import { Renewals } from './order/renewals.js';
import { QuoteTokens } from './order/quote-token.js';
import { ReconcileRepository } from './order/reconcile.repository.js';
import { RegistrarReconcile } from './order/registrar-reconcile.js';
import { RegistrarWatch } from './order/registrar-watch.js';
import { RegistrantRepository } from './registrants/registrant.repository.js';
import { RegistrantsController } from './registrants/registrants.controller.js';
import { RegistrantsService } from './registrants/registrants.service.js';
import { RegistrarHealthReader, RegistrarReadings } from './registrar/registrar-health.js';
import { RegistrarStateRepository } from './registrar/registrar-state.repository.js';
import { OrdersRegistrarModule } from './registrars.module.js';
import { TopUpModule } from './topup/top-up.module.js';
import { ReceiptRepository } from './receipts/receipt.repository.js';
import { Receipts } from './receipts/receipts.js';
import { ShownOrders } from './order/shown-orders.js';
import { RegisteredNames } from './order/registered-names.js';
import { RestoredOrders } from './order/restored-orders.js';
import { SponsoredNames } from './order/sponsored-names.js';
import { SealedRows } from './order/sealed-rows.repository.js';

const ROTATE_EVERY_MS = 3_600_000;

const MANDATES = [
  ...[ApprovalChallengeRepository, ApprovalLinkRepository, ApprovalLinks, ApprovalPasskeys],
  ...[MandateRepository, Mandates, ProgramOrders],
];

/** Registering names for customers. With ORDERS=off nothing of it can be reached, and undecided orders are settled. */
@Module({})
export class OrdersModule {
  private readonly logger = new Logger('Orders');

  static with(config: Config): DynamicModule {
    const { orders, payments } = config;
    const topUps = TopUpModule.with(config);
    const doors = [
      ...[EligibilityController, OrdersController, RegistrantsController],
      ...[BalanceController, ReceiptsController],
      ...(payments.cards ? [TopUpsController] : []),
    ];
    return {
      module: OrdersModule,
      imports: [
        AccountsModule,
        AuditModule,
        DomainsModule,
        LedgerModule,
        MailModule,
        OrdersRegistrarModule,
        RateLimitModule,
        RegistryModule,
        topUps,
      ],
      exports: [
        EligibilityService,
        LedgerModule,
        OrderDesk,
        OrderPrices,
        OrderRepository,
        QuoteTokens,
        ReceiptRepository,
        Receipts,
        RegisteredNames,
        RegistrantsService,
        topUps,
        Renewals,
        ShownOrders,
        ...MANDATES,
      ],
      controllers: orders.enabled ? doors : [],
      providers: [
        ...MANDATES,
        AbnLookup,
        EligibilityService,
        OrderCancelling,
        OrderDesk,
        OrderEnds,
        OrderNoticeRepository,
        OrderNotices,
        OrderPrices,
        OrderRepository,
        OrderTeaching,
        OrderWork,
        OwnerWebhooks,
        QuoteTokens,
        ReceiptRepository,
        Receipts,
        GivenBackRepository,
        ReconcileRepository,
        RegisteredNames,
        RegistrarReconcile,
        RegistrarHealthReader,
        RegistrarReadings,
        RegistrarStateRepository,
        RegistrarWatch,
        RenewalRepository,
        Renewals,
        RegistrantRepository,
        RegistrantsService,
        SealedRows,
        ShownOrders,
        RestoredOrders,
        SponsoredNames,
        WebhookLanes,
        WebhookLeaseRepository,
        { provide: OrderingCustomers, useExisting: RegistrantsService },
      ],
    };
  }

  constructor(
    kinds: WorkKinds,
    work: OrderWork,
    watch: RegistrarWatch,
    reconcile: RegistrarReconcile,
    notices: OrderNotices,
    renewals: Renewals,
    sealed: SealedRows,
  ) {
    kinds.add(
      work,
      watch,
      reconcile,
      notices,
      renewals,
      maintenance('order-key-rotation', ROTATE_EVERY_MS, () => this.rotate(sealed)),
    );
  }

  private async rotate(sealed: SealedRows): Promise<void> {
    const rows = await sealed.rotate();
    if (rows > 0) this.logger.log(`${rows} rows of orders are now encrypted with ORDER_SECRET_KEY`);
  }
}
