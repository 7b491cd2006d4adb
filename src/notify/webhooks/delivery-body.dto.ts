import { ApiExtraModels, ApiSchema, getSchemaPath, OmitType } from '@nestjs/swagger';
import { FullDomainDto } from '../../domains/schema/domain.dto.js';
import { DomainEventDto } from '../../domains/feed/feed-cursor.js';
import { field, one, positive, shape, shapeOn, text, time } from '../../validation/shape.js';

@ApiSchema({ name: 'EventDelivery', description: 'What a receiver is sent when something happens to names.' })
@ApiExtraModels(FullDomainDto)
export class EventDelivery extends shapeOn(OmitType(DomainEventDto, ['timestamp']), {
  timestamp: time(
    'When the dataset learned of it; of several events, of the last.',
    '2026-11-18T02:00:00.000Z',
  ),
  number: positive(
    'The place of the event in the feed, GET /api/v1/dropped; of several events, of the last. ' +
      'Deliveries come in no promised order: this is what to sort them by.',
    40_213,
  ),
  numbers: field<number[]>({
    description: 'The places of all events that it tells of, in the order of `data`.',
    type: 'integer',
    isArray: true,
    example: [40_213],
  }),
  data: field<FullDomainDto | FullDomainDto[]>({
    description:
      'The name as the dataset knows it at this moment, with every field; a list of names where ' +
      'batch_size was 2 or more.',
    anyOf: [
      { $ref: getSchemaPath(FullDomainDto) },
      { type: 'array', items: { $ref: getSchemaPath(FullDomainDto) } },
    ],
  }),
}) {}

@ApiSchema({ name: 'WebhookChallenge' })
class WebhookChallenge extends shape({
  webhook_id: field<string>({
    type: String,
    format: 'uuid',
    example: '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d',
  }),
  challenge: text(
    'To be answered with the signature of this text, made with the secret, the webhook-id and ' +
      'the webhook-timestamp of the request: `v1,…` as plain text.',
    'pXq2T0bGkzB4r8mWc1Zr7jVQh0nS5yLd',
  ),
}) {}

@ApiSchema({
  name: 'ChallengeDelivery',
  description: 'What a receiver is sent when its owner wants to prove its host.',
})
export class ChallengeDelivery extends shape({
  type: field<'webhook.challenge'>({ enum: ['webhook.challenge'], example: 'webhook.challenge' }),
  timestamp: field<string>({ type: String, format: 'date-time', example: '2026-11-18T02:00:00.000Z' }),
  data: one(WebhookChallenge),
}) {}

@ApiSchema({ name: 'TestedWebhook' })
class TestedWebhook extends shape({
  webhook_id: field<string>({
    type: String,
    format: 'uuid',
    example: '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d',
  }),
}) {}

@ApiSchema({ name: 'TestDelivery', description: 'What a receiver is sent when its owner asks for a test.' })
export class TestDelivery extends shape({
  type: field<'webhook.test'>({ enum: ['webhook.test'], example: 'webhook.test' }),
  timestamp: time('When it was asked for.', '2026-11-18T02:00:00.000Z'),
  data: one(TestedWebhook),
}) {}
