import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { PaymentEventRepository } from './payment-event.repository.js';
import { PaymentsController } from './payments.controller.js';
import { PaymentsService } from './payments.service.js';

/** Tier changes by a payment provider; without STRIPE_WEBHOOK_SECRET none of it is there. */
@Module({
  imports: [AuditModule],
  controllers: [PaymentsController],
  providers: [PaymentEventRepository, PaymentsService],
})
export class PaymentsModule {}
