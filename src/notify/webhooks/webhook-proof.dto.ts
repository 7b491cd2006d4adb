import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { PROOF_WAYS } from './webhook-proof.repository.js';
import { amount, OK, one, oneOf, orNull, shape, text, time } from '../../validation/shape.js';

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
