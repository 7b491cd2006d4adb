import { ApiProperty } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import type { ErrorCode } from '../../errors/error-codes.js';

export class WebhookId {
  @ApiProperty({
    description: 'The id of the webhook.',
    format: 'uuid',
    example: '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d',
  })
  @IsUUID(undefined, { message: 'id must be the id of a webhook' })
  id: string;
}

export class DeliveryAddress extends WebhookId {
  @ApiProperty({
    description: 'The id of the delivery.',
    format: 'uuid',
    example: '6f1c2f6e-2f1a-4b7e-8a55-0a6a7e0f6b1d',
  })
  @IsUUID(undefined, { message: 'delivery must be the id of a delivery' })
  delivery: string;
}

/** The failures that every operation on webhooks has. */
export function WebhookFailures(...more: ErrorCode[]): MethodDecorator {
  return ApiFailures('key_required', 'key_invalid', 'tier_required', 'scope_required', ...more);
}
