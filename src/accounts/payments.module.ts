import { Controller, Headers, HttpCode, Module, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { Request } from 'express';
import { IgnoresKeys } from '../access/requirements.js';
import { AuditModule } from '../observe/audit/audit.module.js';
import { PaymentEventRepository } from './payment-event.repository.js';
import { PaymentsService } from './payments.service.js';

/** Where the provider sends its events, whose bytes are signed and are read by nobody before. */
export const PAYMENTS_PATH = 'payments/stripe';

/** For the provider, which signs what it sends: no flood limit, as it sends again what is refused. */
@ApiExcludeController()
@IgnoresKeys()
@SkipThrottle()
@Controller()
class PaymentsController {
  constructor(private readonly payments: PaymentsService) {}

  @Post(PAYMENTS_PATH)
  @HttpCode(200)
  async take(
    @Req() request: Request,
    @Headers('stripe-signature') signature: string | undefined,
  ): Promise<{ received: true; outcome: string }> {
    return { received: true, outcome: await this.payments.take(request, signature) };
  }
}

/** Tier changes by a payment provider; without STRIPE_WEBHOOK_SECRET none of it is there. */
@Module({
  imports: [AuditModule],
  controllers: [PaymentsController],
  providers: [PaymentEventRepository, PaymentsService],
})
export class PaymentsModule {}
