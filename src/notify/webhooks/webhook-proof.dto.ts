import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { PROOF_WAYS, type ProofWay } from './webhook-proof.repository.js';
import { Property, TIME_OR_NULL, Success } from '../../validation/property.js';

const ASKED_WAYS = ['challenge', 'file'] as const;

@ApiSchema({ name: 'WebhookProofOrder', description: 'How a host, or an address, is to be proven.' })
export class ProofOrder {
  @Property(
    '`challenge`: a signed webhook.challenge is sent to the address of the webhook, which ' +
      'answers with a signature of its own, which proves that address and no other; `file`: a file ' +
      'is read from the host, which proves all of it.',
    'file',
    { enum: ASKED_WAYS },
  )
  @IsIn(ASKED_WAYS, { message: `by must be one of ${ASKED_WAYS.join(', ')}` })
  by: (typeof ASKED_WAYS)[number];
}

@ApiSchema({ name: 'WebhookProofFile' })
class ProofFile {
  @Property('Where it is read from.', 'https://example.com/.well-known/bowerbird-webhooks.txt', {
    format: 'uri',
  })
  url: string;

  @Property(
    'The line that it has to hold; the same for all hosts of an account. It is no secret.',
    'bowerbird-webhooks=2Cn1b8kLr5nA0b7cYxUuKqkzqz5oPzqj1cB1Zl0dD3E',
  )
  line: string;
}

@ApiSchema({
  name: 'WebhookProof',
  description: 'Whether the host of a webhook, or its address, is proven to be yours.',
})
export class ProofDto {
  @Property('With its port, unless that is 443.', 'example.com')
  host: string;

  @Property('Null while it is not proven.', '2026-11-20T03:41:07.123Z', TIME_OR_NULL)
  proven_at: string | null;

  @Property(
    '`file`: for all webhooks of the account that lead to the host; `challenge`: for those that ' +
      'lead to this address; `use`: the same, as a webhook led there before proofs were.',
    'file',
    { enum: PROOF_WAYS, nullable: true },
  )
  proven_by: ProofWay | null;

  @Property(
    'Seconds from one delivery to the next to all that the account has not proven, and from one ' +
      'attempt at a proof to the next; 0: no proof is needed.',
    10,
    { minimum: 0 },
  )
  unproven_pace_seconds: number;

  @ApiProperty({ type: ProofFile })
  file: ProofFile;
}

@ApiSchema({ name: 'WebhookProofResult' })
export class ProofResult extends Success {
  @ApiProperty({ type: ProofDto })
  proof: ProofDto;
}
