import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { LIST_KINDS, type ListKind } from '../config/product.js';
import { DOMAIN_STATES, type DomainState } from './lifecycle/states.js';

@ApiSchema({ name: 'Evidence', description: 'What the dataset has a name for, and how it knows.' })
export class EvidenceDto {
  @ApiProperty({
    description: `What the name is in the dataset. ${Object.entries(DOMAIN_STATES)
      .map(([state, meaning]) => `\`${state}\`: ${meaning}`)
      .join(' ')}`,
    enum: Object.keys(DOMAIN_STATES),
    example: 'available',
  })
  state: DomainState;

  @ApiProperty({
    description:
      'Whether the state rests on the word of a registry or of a source that the operator vouches for, and not on a list alone.',
    example: true,
  })
  confirmed: boolean;

  @ApiProperty({
    description:
      'Whose word the state rests on: `rdap`, `availability_service`, `sandbox` (made up), or `vouched:` and the name of a source; null while it rests on none.',
    type: String,
    nullable: true,
    example: 'rdap',
  })
  confirmed_by: string | null;

  @ApiProperty({
    description: 'When that word was given (ISO 8601 UTC); null while there is none.',
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-18T03:01:12.000Z',
  })
  checked_at: string | null;

  @ApiProperty({
    description:
      'The official drop list that the name was on last: `deleted` (purged at 13:00 AEST) or `expired` (13:30 AEST); null when it was on none, or nobody knows which.',
    enum: LIST_KINDS,
    nullable: true,
    example: 'expired',
  })
  list_kind: ListKind | null;

  @ApiProperty({
    description: 'When this dataset learned of that listing (ISO 8601 UTC), or null.',
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-17T04:00:31.000Z',
  })
  listed_at: string | null;

  @ApiProperty({
    description: 'When the name is or was to be purged by that list (ISO 8601 UTC), or null.',
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-18T03:00:00.000Z',
  })
  purge_at: string | null;
}
