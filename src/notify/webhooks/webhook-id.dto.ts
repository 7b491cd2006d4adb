import { IsUUID } from 'class-validator';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import type { ErrorCode } from '../../errors/error-codes.js';
import { Property } from '../../validation/property.js';

export class WebhookId {
  @Property('The id of the webhook.', '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d', { format: 'uuid' })
  @IsUUID(undefined, { message: 'id must be the id of a webhook' })
  id: string;
}

export class DeliveryAddress extends WebhookId {
  @Property('The id of the delivery.', '6f1c2f6e-2f1a-4b7e-8a55-0a6a7e0f6b1d', { format: 'uuid' })
  @IsUUID(undefined, { message: 'delivery must be the id of a delivery' })
  delivery: string;
}

/** The failures that every operation on webhooks has. */
export function WebhookFailures(...more: ErrorCode[]): MethodDecorator {
  return ApiFailures(
    'invalid_parameter',
    'key_required',
    'key_invalid',
    'tier_required',
    'scope_required',
    'too_many_requests',
    'internal_error',
    'database_unavailable',
    ...more,
  );
}
