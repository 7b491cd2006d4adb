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
  ApiBody,
  ApiCreatedResponse,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RequiresScope, RequiresTier } from '../../access/requirements.js';
import { JsonBodyGuard } from '../../errors/request-body.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { NewWebhook, SecretRotation, WebhookChanges } from './webhook-settings.dto.js';
import { WebhookList, WebhookResult, WebhookWithSecret } from './webhook.dto.js';
import { WebhookFailures, WebhookId } from './webhook-id.dto.js';
import { MAX_EARLIER_SECRETS, MAX_WEBHOOKS } from './webhook.js';
import { WebhooksService } from './webhooks.service.js';

const LOCATION = {
  Location: { description: 'Where it can be read.', schema: { type: 'string', format: 'uri-reference' } },
} as const;

@ApiTags('Webhooks')
@Controller('api/v1/webhooks')
@RequiresTier((tier) => tier.webhooks)
@RequiresScope('webhooks')
@UseGuards(JsonBodyGuard)
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

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
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes it safe to send the request again: within a day it makes one webhook, and is answered ' +
      'with that and its secret, until the secret is replaced. Removing the webhook frees the key: ' +
      'sent again, the request makes another.',
    schema: { type: 'string', maxLength: 255 },
  })
  @ApiCreatedResponse({
    type: WebhookWithSecret,
    description: 'The webhook, and its secret.',
    headers: LOCATION,
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
  changeWebhook(
    @Query() _: NoParameters,
    @Param() { id }: WebhookId,
    @Body() changes: WebhookChanges,
    @CurrentCaller() caller: Caller,
  ): Promise<WebhookResult> {
    return this.webhooks.changeWebhook(id, changes, caller);
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
  deleteWebhook(
    @Query() _: NoParameters,
    @Param() { id }: WebhookId,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.webhooks.deleteWebhook(id, caller);
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
      'signs from now on. Sent again, the request makes another: an Idempotency-Key is read where ' +
      'webhooks are made, and nowhere else. Costs nothing.',
  })
  @ApiOkResponse({ type: WebhookWithSecret, description: 'The webhook, and its new secret.' })
  @ApiBody({ type: SecretRotation, required: false })
  @WebhookFailures('unsupported_media_type', 'not_found', 'limit_reached')
  rotateSecret(
    @Query() _: NoParameters,
    @Param() { id }: WebhookId,
    @Body() rotation: SecretRotation,
    @CurrentCaller() caller: Caller,
  ): Promise<WebhookWithSecret> {
    return this.webhooks.rotateSecret(id, rotation, caller);
  }
}
