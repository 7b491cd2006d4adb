import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { ChallengeDelivery, EventDelivery, TestDelivery } from '../notify/webhooks/delivery.dto.js';
import {
  ACCOUNT_EVENT_TYPES,
  ACCOUNT_EVENTS,
  type AccountEventType,
} from '../notify/webhooks/account-events.js';
import { OrderDto } from '../orders/api/orders.dto.js';
import { eventOf, eventWordOf, FEED_TYPES, type FeedType } from '../domains/schema/events.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['post']>;

/** The shapes of what receivers are sent. */
export const DELIVERY_SHAPES = [EventDelivery, TestDelivery, ChallengeDelivery];

/** The messages that receivers get, and how their answers count (OpenAPI 3.1 has a section for it). */
export function receiverOperations(takesOrders: boolean): Record<string, { post: Operation }> {
  const own = takesOrders ? ACCOUNT_EVENT_TYPES : [];
  return {
    ...Object.fromEntries(FEED_TYPES.map((type) => [type, { post: eventOperation(type) }])),
    ...Object.fromEntries(own.map((type) => [type, { post: accountOperation(type) }])),
    'webhook.test': {
      post: operation(
        'receiveTest',
        'A test',
        'What POST /api/v1/webhooks/{id}/test has sent.',
        TestDelivery,
      ),
    },
    'webhook.challenge': {
      post: operation(
        'receiveChallenge',
        'A challenge',
        'What POST /api/v1/webhooks/{id}/proof has sent, once. A 2xx whose text is the signature of the ' +
          'challenge proves the host.',
        ChallengeDelivery,
      ),
    },
  };
}

function eventOperation(type: FeedType): Operation {
  const word = eventWordOf(type);
  const description =
    'Once at least for every such event that the filter of the webhook lets through, in no promised order.';
  const received = operation(
    `receive${word.charAt(0).toUpperCase()}${word.slice(1)}`,
    eventOf(type).webhook,
    description,
    EventDelivery,
  );
  const schema = {
    allOf: [
      { $ref: getSchemaPath(EventDelivery) },
      { properties: { type: { type: 'string', enum: [type] } } },
    ],
  };
  return { ...received, requestBody: { required: true, content: { 'application/json': { schema } } } };
}

function accountOperation(type: AccountEventType): Operation {
  const received = operation(
    `receive${type
      .split(/[._]/)
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join('')}`,
    ACCOUNT_EVENTS[type].summary,
    'Once at least, to the webhooks of the account of the order, whatever else they let through.',
    TestDelivery,
  );
  const properties = {
    type: { type: 'string' as const, enum: [type] },
    timestamp: { type: 'string' as const, format: 'date-time', description: 'When it happened.' },
    data: { $ref: getSchemaPath(OrderDto) },
  };
  const schema = { type: 'object' as const, required: Object.keys(properties), properties };
  return { ...received, requestBody: { required: true, content: { 'application/json': { schema } } } };
}

const HEADERS = {
  'webhook-id': [
    'The same in every attempt at one delivery: keep it, to know what you have seen.',
    'msg_6f1c2f6e-2f1a-4b7e-8a55-0a6a7e0f6b1d',
  ],
  'webhook-timestamp': ['When this attempt was made, in seconds since 1970.', '1795231267'],
  'webhook-signature': [
    'By the Standard Webhooks specification, with the secret; two of them while an old secret still signs.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
} as const;

function operation(
  operationId: string,
  summary: string,
  description: string,
  body: (typeof DELIVERY_SHAPES)[number],
): Operation {
  return {
    operationId,
    summary,
    description,
    tags: ['Webhooks'],
    // The signature vouches for us; receivers are shown no key.
    security: [],
    parameters: Object.entries(HEADERS).map(([name, [meaning, example]]) => ({
      ...{ name, in: 'header', required: true, description: meaning, example, schema: { type: 'string' } },
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: getSchemaPath(body) } } },
    },
    responses: {
      '2XX': { description: 'Delivered.' },
      '410': { description: 'The webhook is switched off.' },
      '429': { description: 'Tried again when Retry-After says; so is 503.' },
      default: { description: 'Tried again by the published schedule. Redirects are not followed.' },
    },
  };
}
