import { Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { Request } from 'express';
import { IgnoresKeys } from '../auth/requirements.js';
import { PAYMENTS_PATH } from './payments-path.js';
import { PaymentsService } from './payments.service.js';

/** For the provider, which signs what it sends: no flood limit, as it sends again what is refused. */
@ApiExcludeController()
@IgnoresKeys()
@SkipThrottle()
@Controller()
export class PaymentsController {
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
