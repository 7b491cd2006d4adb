import { ApiSchema, IntersectionType, ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
  IsUUID,
} from 'class-validator';
import { MAX_WEBHOOKS, type Webhook, SECRET_OVERLAP_SECONDS } from './webhook.js';
import {
  field,
  many,
  OK,
  one,
  orNull,
  shape,
  shapeOn,
  text,
  yes,
  amount,
  oneOf,
  time,
} from '../../validation/shape.js';
import {
  LABEL_LENGTH,
  MATCH_MODES,
  type MatchMode,
  MAX_WAYBACK,
  SUFFIXES,
  type Suffix,
} from '../../domains/schema/domain.js';
import { KEYWORD, KEYWORD_RULE, MAX_KEYWORD_LENGTH } from '../../domains/name/name-parameters.js';
import { MAX_URL_LENGTH } from './receiver-address.js';
import { ACCOUNT_EVENT_TYPES, WEBHOOK_EVENT_TYPES, type WebhookEventType } from './account-events.js';
import { FEED_TYPES } from '../../domains/schema/events.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import type { ErrorCode } from '../../errors/error-codes.js';
import { PROOF_WAYS } from './webhook-proof.repository.js';

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

export function WebhookFailures(...more: ErrorCode[]): MethodDecorator {
  return ApiFailures('key_required', 'key_invalid', 'tier_required', 'scope_required', ...more);
}

const { min: MIN_LENGTH, max: MAX_LENGTH } = LABEL_LENGTH;
const MAX_BATCH = 100;

function WholeNumber(min: number, max: number): PropertyDecorator {
  const rule = { message: `$property must be a whole number from ${min} to ${max}` };
  return applyDecorators(IsInt(rule), Min(min, rule), Max(max, rule));
}

// A missing field and null differ: some fields accept null, and the others reject it.
const NULL_IS_A_VALUE = { skipNullProperties: false };
const isNotNull = (_: object, value: unknown) => value !== null;

/** What a new webhook has where nothing else was said. */
export const WEBHOOK_DEFAULTS = {
  description: '',
  events: ['domain.dropped' as const],
  watched_only: false,
  tld: [] as Suffix[],
  q: null,
  mode: 'contains' as const,
  min_wayback: 0,
  min_length: null,
  max_length: null,
  batch_size: 1,
  enabled: true,
} satisfies Partial<NewWebhook>;

class WebhookOptions {
  @ApiProperty({
    description: 'What it is for.',
    type: String,
    maxLength: 200,
    example: 'New cafes',
  })
  // PostgreSQL cannot store it.
  @Matches(/^[^\0]*$/, { message: 'description must not hold a null character' })
  @MaxLength(200, { message: 'description must have at most 200 characters' })
  @IsString({ message: 'description must be text' })
  description: string;

  @ApiProperty({
    description:
      'Which events to be told of. Left out with `watched_only`: all but `domain.removed` and ' +
      '`domain.restored`, which nobody watches for and which are refused there.',
    enum: WEBHOOK_EVENT_TYPES,
    isArray: true,
    example: ['domain.dropped'],
  })
  @IsIn(WEBHOOK_EVENT_TYPES, {
    each: true,
    message: `events must be of ${FEED_TYPES.join(', ')}; with ORDERS=on also of ${ACCOUNT_EVENT_TYPES.join(', ')}`,
  })
  @ArrayUnique({ message: 'events must name each event once' })
  @ArrayMinSize(1, { message: 'events must name one event at least' })
  @IsArray({ message: 'events must be a list' })
  events: WebhookEventType[];

  @ApiProperty({
    description:
      'Whether only of names and searches that the account watches (/api/v1/watches), and only of ' +
      'what they are watched for. The other filters hold as well.',
    type: Boolean,
    example: false,
  })
  @IsBoolean({ message: 'watched_only must be true or false' })
  watched_only: boolean;

  @ApiProperty({
    description: 'Only these suffixes; empty: all.',
    enum: SUFFIXES,
    isArray: true,
    example: ['com.au'],
  })
  @IsIn(SUFFIXES, { each: true, message: `tld must be of ${SUFFIXES.join(', ')}` })
  @ArrayUnique({ message: 'tld must name each suffix once' })
  @ArrayMaxSize(SUFFIXES.length, { message: 'tld must name each suffix once' })
  @IsArray({ message: 'tld must be a list' })
  tld: Suffix[];

  @ApiProperty({
    description: 'Text to match in the name; null: every name.',
    type: String,
    nullable: true,
    maxLength: MAX_KEYWORD_LENGTH,
    pattern: KEYWORD.source,
    example: 'cafe',
  })
  @ValidateIf(isNotNull)
  @Matches(KEYWORD, KEYWORD_RULE)
  q: string | null;

  @ApiProperty({
    description: 'How q matches the name.',
    enum: MATCH_MODES,
    example: 'contains',
  })
  @IsIn(MATCH_MODES, { message: `mode must be one of ${MATCH_MODES.join(', ')}` })
  mode: MatchMode;

  @ApiProperty({
    description: 'Smallest archive score.',
    type: 'integer',
    minimum: 0,
    maximum: MAX_WAYBACK,
    example: 0,
  })
  @WholeNumber(0, MAX_WAYBACK)
  min_wayback: number;

  @ApiProperty({
    description: 'Fewest characters of the label; null: any.',
    type: 'integer',
    minimum: MIN_LENGTH,
    maximum: MAX_LENGTH,
    nullable: true,
    example: null,
  })
  @ValidateIf(isNotNull)
  @WholeNumber(MIN_LENGTH, MAX_LENGTH)
  min_length: number | null;

  @ApiProperty({
    description: 'Most characters of the label; null: any.',
    type: 'integer',
    minimum: MIN_LENGTH,
    maximum: MAX_LENGTH,
    nullable: true,
    example: 12,
  })
  @ValidateIf(isNotNull)
  @WholeNumber(MIN_LENGTH, MAX_LENGTH)
  max_length: number | null;

  @ApiProperty({
    description: 'Most events in one delivery. From 2 on, `data` is a list, whatever its length.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_BATCH,
    example: 1,
  })
  @WholeNumber(1, MAX_BATCH)
  batch_size: number;

  @ApiProperty({
    description: 'Whether deliveries are made.',
    type: Boolean,
    example: true,
  })
  @IsBoolean({ message: 'enabled must be true or false' })
  enabled: boolean;
}

class WebhookAddress {
  @ApiProperty({
    description:
      'Where to deliver: https, port 443, 8443 or one from 1024 on, a public address, no user name and no password.',
    format: 'uri',
    maxLength: MAX_URL_LENGTH,
    example: 'https://example.com/hooks/bowerbird',
  })
  // What else is wrong with an address is judged apart, so that the message can say it.
  @IsString({ message: 'url must be an address, such as https://example.com/hooks' })
  url: string;
}

const NewWebhookFields = IntersectionType(WebhookAddress, PartialType(WebhookOptions, NULL_IS_A_VALUE));

// Of a change they would be a lie.
for (const [field, value] of Object.entries(WEBHOOK_DEFAULTS))
  ApiPropertyOptional({ default: value })(NewWebhookFields.prototype as object, field);

@ApiSchema({ name: 'NewWebhook', description: 'A webhook to be made.' })
export class NewWebhook extends NewWebhookFields {}

@ApiSchema({ name: 'WebhookChanges', description: 'What is to be changed; what is left out stays.' })
export class WebhookChanges extends PartialType(
  IntersectionType(WebhookAddress, WebhookOptions),
  NULL_IS_A_VALUE,
) {}

@ApiSchema({ name: 'SecretRotation', description: 'How a secret is replaced.' })
export class SecretRotation {
  @ApiPropertyOptional({
    description:
      'For how long the secrets until now sign beside the new one, in seconds. 0 for a secret that ' +
      'leaked: from now on the new one alone signs. Left out: a day.',
    type: 'integer',
    minimum: 0,
    maximum: SECRET_OVERLAP_SECONDS,
    example: 0,
  })
  @ValidateIf((_, value) => value !== undefined)
  @WholeNumber(0, SECRET_OVERLAP_SECONDS)
  overlap_seconds: number = SECRET_OVERLAP_SECONDS;
}

@ApiSchema({ name: 'Webhook', description: 'A subscription to events.' })
export class WebhookDto extends shapeOn(IntersectionType(WebhookAddress, WebhookOptions), {
  id: field<string>({ type: String, format: 'uuid', example: '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d' }),
  disabled_reason: orNull(text('Why it was switched off, if not by you; null otherwise.', null)),
  host_proven: yes(
    'Whether its host, or its address, is proven to be yours (`POST .../proof`). Until then its ' +
      'deliveries share one pace with all that is not proven.',
    true,
  ),
  created_at: field<string>({ type: String, format: 'date-time', example: '2026-11-20T03:41:07.123Z' }),
  updated_at: field<string>({ type: String, format: 'date-time', example: '2026-11-20T03:41:07.123Z' }),
}) {}

@ApiSchema({ name: 'WebhookResult' })
export class WebhookResult extends shape({
  ...OK,
  webhook: one(WebhookDto),
}) {}

@ApiSchema({ name: 'WebhookWithSecret' })
export class WebhookWithSecret extends shape({
  ...WebhookResult.fields,
  secret: text(
    'What deliveries are signed with. Shown this once: keep it.',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw3kSZ1xq0bHo=',
  ),
}) {}

@ApiSchema({ name: 'WebhookList' })
export class WebhookList extends shape({
  ...OK,
  results: many(WebhookDto, 'Your webhooks, the oldest first.', { maxItems: MAX_WEBHOOKS }),
}) {}

export function toWebhookDto(webhook: Webhook): WebhookDto {
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    events: [...webhook.eventTypes],
    watched_only: webhook.watchedOnly,
    tld: [...webhook.suffixes],
    q: webhook.q,
    mode: webhook.mode,
    min_wayback: webhook.minWayback,
    min_length: webhook.minLength,
    max_length: webhook.maxLength,
    batch_size: webhook.batchSize,
    enabled: webhook.enabled,
    disabled_reason: webhook.disabledReason,
    host_proven: webhook.isProven,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

const ASKED_WAYS = ['challenge', 'file'] as const;

@ApiSchema({ name: 'WebhookProofOrder', description: 'How a host, or an address, is to be proven.' })
export class ProofOrder {
  @ApiProperty({
    description:
      '`challenge`: a signed webhook.challenge is sent to the address of the webhook, which ' +
      'answers with a signature of its own, which proves that address and no other; `file`: a file ' +
      'is read from the host, which proves all of it.',
    enum: ASKED_WAYS,
    example: 'file',
  })
  @IsIn(ASKED_WAYS, { message: `by must be one of ${ASKED_WAYS.join(', ')}` })
  by: (typeof ASKED_WAYS)[number];
}

@ApiSchema({ name: 'WebhookProofFile' })
class ProofFile extends shape({
  url: text('Where it is read from.', 'https://example.com/.well-known/bowerbird-webhooks.txt', {
    format: 'uri',
  }),
  line: text(
    'The line that it has to hold; the same for all hosts of an account. It is no secret.',
    'bowerbird-webhooks=2Cn1b8kLr5nA0b7cYxUuKqkzqz5oPzqj1cB1Zl0dD3E',
  ),
}) {}

@ApiSchema({
  name: 'WebhookProof',
  description: 'Whether the host of a webhook, or its address, is proven to be yours.',
})
export class ProofDto extends shape({
  host: text('With its port, unless that is 443.', 'example.com'),
  proven_at: orNull(time('Null while it is not proven.', '2026-11-20T03:41:07.123Z')),
  proven_by: orNull(
    oneOf(
      PROOF_WAYS,
      '`file`: for all webhooks of the account that lead to the host; `challenge`: for those that ' +
        'lead to this address; `use`: the same, as a webhook led there before proofs were.',
      'file',
    ),
  ),
  unproven_pace_seconds: amount(
    'Seconds from one delivery to the next to all that the account has not proven, and from one ' +
      'attempt at a proof to the next; 0: no proof is needed.',
    10,
    { minimum: 0 },
  ),
  file: one(ProofFile),
}) {}

@ApiSchema({ name: 'WebhookProofResult' })
export class ProofResult extends shape({
  ...OK,
  proof: one(ProofDto),
}) {}
