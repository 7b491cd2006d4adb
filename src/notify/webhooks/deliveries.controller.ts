import { Body, Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RequiresScope, RequiresTier } from '../../access/requirements.js';
import { FeedPlace } from '../../domains/feed/feed-cursor.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { Deprecated } from '../../versioning/deprecated.decorator.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveriesQuery, DeliveryList, DeliveryResult, ReplayResult } from './delivery.dto.js';
import { DeliveryAddress, WebhookFailures, WebhookId } from './webhook-id.dto.js';
import { JsonBodyGuard } from '../../errors/request-body.js';
import { LOG_DAYS } from './webhook.js';

@ApiTags('Webhooks')
@Controller('api/v1/webhooks/:id')
@RequiresTier((tier) => tier.webhooks)
@RequiresScope('webhooks')
@UseGuards(JsonBodyGuard)
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get('deliveries')
  @Deprecated('GET /api/v1/webhooks/{id}/deliveries')
  @ApiOperation({
    operationId: 'listDeliveries',
    summary: 'What was delivered, and what came of it',
    description: `The newest first, kept for ${LOG_DAYS} days. Costs nothing.`,
  })
  @ApiOkResponse({ type: DeliveryList, description: 'Deliveries.' })
  @WebhookFailures('not_found')
  listDeliveries(
    @Param() { id }: WebhookId,
    @Query() query: DeliveriesQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<DeliveryList> {
    return this.deliveries.listDeliveries(id, query, caller);
  }

  @Post('test')
  @HttpCode(202)
  @ApiOperation({
    operationId: 'testWebhook',
    summary: 'Send a signed webhook.test',
    description: 'Through the same queue as everything else; its log tells what came of it. Costs nothing.',
  })
  @ApiAcceptedResponse({ type: DeliveryResult, description: 'It is under way.' })
  @WebhookFailures('not_found', 'webhook_disabled')
  sendTest(
    @Query() _: NoParameters,
    @Param() { id }: WebhookId,
    @CurrentCaller() caller: Caller,
  ): Promise<DeliveryResult> {
    return this.deliveries.sendTest(id, caller);
  }

  @Post('deliveries/:delivery/redeliver')
  @HttpCode(202)
  @ApiOperation({
    operationId: 'redeliver',
    summary: 'Deliver again',
    description: 'With the same webhook-id, and all attempts before it. Costs nothing.',
  })
  @ApiAcceptedResponse({ type: DeliveryResult, description: 'It is under way.' })
  @WebhookFailures('not_found', 'webhook_disabled')
  redeliver(
    @Query() _: NoParameters,
    @Param() { id, delivery }: DeliveryAddress,
    @CurrentCaller() caller: Caller,
  ): Promise<DeliveryResult> {
    return this.deliveries.redeliver(id, delivery, caller);
  }

  @Post('replay')
  @HttpCode(202)
  @ApiOperation({
    operationId: 'replayWebhook',
    summary: 'Deliver what happened since a time',
    description:
      'Everything since then that the filter lets through, as new deliveries; what has not been ' +
      'delivered at all yet comes by itself. Where to begin is said in the body, or in the ' +
      'address; in one of them. Ten thousand events are looked at; while has_more is true, go on ' +
      'with next_cursor. An account has one replay at a time. Costs nothing.',
  })
  @ApiAcceptedResponse({ type: ReplayResult, description: 'They are under way.' })
  @ApiBody({ type: FeedPlace, required: false })
  @WebhookFailures('unsupported_media_type', 'not_found', 'webhook_disabled', 'limit_reached')
  replay(
    @Param() { id }: WebhookId,
    @Query() place: FeedPlace,
    @Body() body: FeedPlace,
    @CurrentCaller() caller: Caller,
  ): Promise<ReplayResult> {
    return this.deliveries.replay(
      id,
      { since: body.since ?? place.since, cursor: body.cursor ?? place.cursor },
      caller,
    );
  }
}
