import { Body, Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RequiresScope, RequiresTier } from '../../access/requirements.js';
import { JsonBodyGuard } from '../../errors/request-body.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { WebhookFailures, WebhookId } from './webhook-id.dto.js';
import { ProofOrder, ProofResult } from './webhook-proof.dto.js';
import { WebhookProofsService } from './webhook-proofs.service.js';

@ApiTags('Webhooks')
@Controller('api/v1/webhooks/:id/proof')
@RequiresTier((tier) => tier.webhooks)
@RequiresScope('webhooks')
@UseGuards(JsonBodyGuard)
export class WebhookProofsController {
  constructor(private readonly proofs: WebhookProofsService) {}

  @Get()
  @ApiOperation({
    operationId: 'getWebhookProof',
    summary: 'Whether its host or address is proven',
    description: 'And what to put where to prove it. Costs nothing.',
  })
  @ApiOkResponse({ type: ProofResult, description: 'The host and its proof.' })
  @WebhookFailures('not_found')
  readProof(
    @Query() _: NoParameters,
    @Param() { id }: WebhookId,
    @CurrentCaller() caller: Caller,
  ): Promise<ProofResult> {
    return this.proofs.readProof(id, caller);
  }

  @Post()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'proveWebhook',
    summary: 'Prove that its host is yours',
    description:
      'Until then, deliveries to all that the account has not proven share one pace. The host is ' +
      'asked at once: for a file, which proves the whole host, or by a signed challenge to the ' +
      'address of the webhook, which proves that address alone. Attempts have the same pace, and ' +
      'do not wait for deliveries. A proof ends when a webhook to that host or address is switched ' +
      'off by us. Costs nothing.',
  })
  @ApiOkResponse({ type: ProofResult, description: 'It is proven.' })
  @WebhookFailures('unsupported_media_type', 'not_found', 'host_not_proven')
  prove(
    @Query() _: NoParameters,
    @Param() { id }: WebhookId,
    @Body() order: ProofOrder,
    @CurrentCaller() caller: Caller,
  ): Promise<ProofResult> {
    return this.proofs.prove(id, order, caller);
  }
}
