import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  Headers,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  Res,
  UseGuards,
} from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { ApiIdempotencyKey, LOCATION_HEADER } from '../../access/idempotent-requests.js';
import { RequiresScope, RequiresTier } from '../../access/requirements.js';
import { FeedPlace } from '../../domains/feed/feed-cursor.js';
import { ApiIfMatch } from '../../errors/api-failures.decorator.js';
import { JsonBodyGuard, NoParameters } from '../../errors/validation.pipe.js';
import { Deprecated } from '../../access/deprecations.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveriesQuery, DeliveryList, DeliveryResult, ReplayResult } from './delivery.dto.js';
import {
  ProofOrder,
  ProofResult,
  NewWebhook,
  SecretRotation,
  WebhookChanges,
  DeliveryAddress,
  WebhookFailures,
  WebhookId,
  WebhookList,
  WebhookResult,
  WebhookWithSecret,
} from './webhook.dto.js';
import { WebhookProofsService } from './webhook-proofs.service.js';
import { LOG_DAYS, MAX_EARLIER_SECRETS, MAX_WEBHOOKS } from './webhook.js';
import { WebhooksService } from './webhooks.service.js';

const LOG_LOCATION = {
  Location: { ...LOCATION_HEADER.Location, description: 'The log, where what came of it can be read.' },
} as const;

@ApiTags('Webhooks')
@Controller('api/v1/webhooks')
@RequiresTier((tier) => tier.webhooks)
@RequiresScope('webhooks')
@UseGuards(JsonBodyGuard)
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly proofs: WebhookProofsService,
    private readonly deliveries: DeliveriesService,
  ) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Subscribe an address to events',
    description:
      'From now on, every event that the filter lets through is delivered to the address, signed ' +
      'by the Standard Webhooks specification, at least once and in no promised order. The secret ' +
      `is shown this once. At most ${MAX_WEBHOOKS} webhooks an account. Costs nothing.`,
  })
  @ApiIdempotencyKey(
    'within a day it makes one webhook, and is answered with that and its secret, until the secret is ' +
      'replaced. Removing the webhook frees the key: sent again, the request makes another.',
  )
  @ApiCreatedResponse({
    type: WebhookWithSecret,
    description: 'The webhook, and its secret.',
    headers: LOCATION_HEADER,
  })
  @WebhookFailures('unsupported_media_type', 'limit_reached', 'idempotency_conflict')
  async createWebhook(
    @Query() _: NoParameters,
    @Body() body: NewWebhook,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookWithSecret> {
    const made = await this.webhooks.createWebhook(body, idempotencyKey, caller);
    response.location(`/api/v1/webhooks/${made.webhook.id}`);
    return made;
  }

  @Get()
  @ApiOperation({
    operationId: 'listWebhooks',
    summary: 'Your webhooks',
    description: 'All of the account, the oldest first. Costs nothing.',
  })
  @ApiOkResponse({ type: WebhookList, description: 'Your webhooks.' })
  @WebhookFailures()
  listWebhooks(@Query() _: NoParameters, @CurrentCaller() caller: Caller): Promise<WebhookList> {
    return this.webhooks.listWebhooks(caller);
  }

  @Get(':id')
  @ApiOperation({
    operationId: 'getWebhook',
    summary: 'One webhook',
    description: 'As it was set, and why it was switched off if it was. Costs nothing.',
  })
  @ApiOkResponse({ type: WebhookResult, description: 'The webhook.' })
  @WebhookFailures('not_found')
  readWebhook(
    @Query() _: NoParameters,
    @Param() { id }: WebhookId,
    @CurrentCaller() caller: Caller,
  ): Promise<WebhookResult> {
    return this.webhooks.readWebhook(id, caller);
  }

  @Patch(':id')
  @ApiOperation({
    operationId: 'changeWebhook',
    summary: 'Change a webhook',
    description:
      'What is left out stays. One that is switched off gives up what waits for it; switched on ' +
      'again, it is told of what happens from then on, and the rest can be replayed. Costs nothing.',
  })
  @ApiOkResponse({ type: WebhookResult, description: 'The webhook as it is now.' })
  @WebhookFailures('unsupported_media_type', 'not_found')
  @ApiIfMatch()
  changeWebhook(
    @Query() _: NoParameters,
    @Param() { id }: WebhookId,
    @Body() changes: WebhookChanges,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentCaller() caller: Caller,
  ): Promise<WebhookResult> {
    return this.webhooks.changeWebhook(id, changes, caller, ifMatch);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteWebhook',
    summary: 'Remove a webhook',
    description:
      'And with it its log, which takes up to an hour; what waits is not delivered any more. Costs nothing.',
  })
  @ApiNoContentResponse({ description: 'It is gone.' })
  @WebhookFailures('not_found')
  @ApiIfMatch()
  deleteWebhook(
    @Query() _: NoParameters,
    @Param() { id }: WebhookId,
    @Headers('if-match') ifMatch: string | undefined,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.webhooks.deleteWebhook(id, caller, ifMatch);
  }

  @Post(':id/rotate-secret')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'A new secret',
    description:
      'For a day, or as long as overlap_seconds says, deliveries are signed with both, the new one ' +
      `first; with more of them where it was replaced more than once, up to ${MAX_EARLIER_SECRETS} ` +
      'beside the new one. With "overlap_seconds": 0, for a secret that leaked, the new one alone ' +
      'signs from now on. Sent again without an Idempotency-Key, the request makes another. Costs nothing.',
  })
  @ApiIdempotencyKey('within a day it makes one secret, and is answered with that until it is replaced.')
  @ApiOkResponse({ type: WebhookWithSecret, description: 'The webhook, and its new secret.' })
  @ApiBody({ type: SecretRotation, required: false })
  @WebhookFailures('unsupported_media_type', 'not_found', 'limit_reached', 'idempotency_conflict')
  rotateSecret(
    @Query() _: NoParameters,
    @Param() { id }: WebhookId,
    @Body() rotation: SecretRotation,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @CurrentCaller() caller: Caller,
  ): Promise<WebhookWithSecret> {
    return this.webhooks.rotateSecret(id, rotation, caller, idempotencyKey);
  }

  @Get(':id/proof')
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

  @Post(':id/proof')
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

  @Get(':id/deliveries')
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

  @Post(':id/test')
  @HttpCode(202)
  @ApiOperation({
    operationId: 'testWebhook',
    summary: 'Send a signed webhook.test',
    description: 'Through the same queue as everything else; its log tells what came of it. Costs nothing.',
  })
  @ApiIdempotencyKey('within a day it sends one test, and is answered with that.')
  @ApiAcceptedResponse({ type: DeliveryResult, description: 'It is under way.', headers: LOG_LOCATION })
  @WebhookFailures('not_found', 'webhook_disabled', 'idempotency_conflict')
  async sendTest(
    @Query() _: NoParameters,
    @Param() { id }: WebhookId,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeliveryResult> {
    const sent = await this.deliveries.sendTest(id, caller, idempotencyKey);
    response.location(logOf(id));
    return sent;
  }

  @Post(':id/deliveries/:delivery/redeliver')
  @HttpCode(202)
  @ApiOperation({
    operationId: 'redeliver',
    summary: 'Deliver again',
    description: 'With the same webhook-id, and all attempts before it. Costs nothing.',
  })
  @ApiIdempotencyKey('within a day it delivers again once, and is answered with that delivery.')
  @ApiAcceptedResponse({ type: DeliveryResult, description: 'It is under way.', headers: LOG_LOCATION })
  @WebhookFailures('not_found', 'webhook_disabled', 'idempotency_conflict')
  async redeliver(
    @Query() _: NoParameters,
    @Param() { id, delivery }: DeliveryAddress,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeliveryResult> {
    const sent = await this.deliveries.redeliver(id, delivery, caller, idempotencyKey);
    response.location(logOf(id));
    return sent;
  }

  @Post(':id/replay')
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
  @ApiIdempotencyKey('within a day it replays once, and is answered alike.')
  @ApiAcceptedResponse({ type: ReplayResult, description: 'They are under way.', headers: LOG_LOCATION })
  @ApiBody({ type: FeedPlace, required: false })
  @WebhookFailures(
    'unsupported_media_type',
    'not_found',
    'webhook_disabled',
    'limit_reached',
    'idempotency_conflict',
    'gone',
  )
  async replay(
    @Param() { id }: WebhookId,
    @Query() place: FeedPlace,
    @Body() body: FeedPlace,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ReplayResult> {
    const begin = { since: body.since ?? place.since, cursor: body.cursor ?? place.cursor };
    const replayed = await this.deliveries.replay(id, begin, caller, idempotencyKey);
    response.location(logOf(id));
    return replayed;
  }
}

const logOf = (id: string) => `/api/v1/webhooks/${id}/deliveries`;
