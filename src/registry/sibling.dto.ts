import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { SUFFIXES, type Suffix } from '../domains/schema/domain.js';
import { DOMAIN_STATES, type DomainState } from '../domains/schema/states.js';
import { EligibilityDto } from '../domains/name/eligibility.js';
import { NAME_REASONS, type NameReason } from '../domains/name/rules/name-rule.js';
import { REGISTRY_STATES, type RegistryState } from './answer.js';

export const SIBLING_STATES = [...new Set([...REGISTRY_STATES, ...Object.keys(DOMAIN_STATES)])];

@ApiSchema({ name: 'SiblingError', description: 'Why there is no answer for a name that was to be asked.' })
export class SiblingError {
  @ApiProperty({ description: 'As in the body of a failure.', example: 'registry_unavailable' })
  code: string;

  @ApiProperty({ description: 'What was wrong and what to do.' })
  message: string;
}

@ApiSchema({ name: 'Sibling', description: 'The same label under one of the six suffixes.' })
export class Sibling {
  @ApiProperty({ description: 'The name.', example: 'coffeecart.net.au' })
  domain: string;

  @ApiProperty({ description: 'Its .au suffix.', enum: SUFFIXES, example: 'net.au' })
  tld: Suffix;

  @ApiProperty({ description: 'Whether the dataset has it.', example: true })
  known: boolean;

  @ApiProperty({
    description: 'Whether it can be registered, as far as that is known; null where it is not.',
    type: Boolean,
    nullable: true,
    example: true,
  })
  available: boolean | null;

  @ApiProperty({
    description:
      "What it is: the registry's word where there is a recent one, else what the dataset has it for; null " +
      'where neither says anything: ask with live=true.',
    enum: SIBLING_STATES,
    type: String,
    nullable: true,
    example: 'available',
  })
  state: RegistryState | DomainState | null;

  @ApiProperty({
    description: 'When that was learned (ISO 8601 UTC); null where it is not known.',
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2026-11-20T03:41:07.123Z',
  })
  learned_at: string | null;

  @ApiProperty({
    description:
      'From whom: a registry service, `reserved_names`, `vouched:` and the name of a source, or `list` where ' +
      'only a drop list says so; null where it is not known.',
    type: String,
    nullable: true,
    example: 'rdap',
  })
  learned_from: string | null;

  @ApiProperty({
    description: 'Archive activity score; null for a name that the dataset does not have.',
    type: 'integer',
    minimum: 0,
    nullable: true,
    example: 12,
  })
  wayback: number | null;

  @ApiProperty({
    description:
      'Whether it can be registered by somebody whom the suffix is for; null where that is not known or in doubt.',
    type: Boolean,
    nullable: true,
    example: true,
  })
  registrable: boolean | null;

  @ApiProperty({
    description: 'What is known against the label under this suffix, as in a check; null when nothing is.',
    enum: NAME_REASONS,
    type: String,
    nullable: true,
    example: null,
  })
  reason: NameReason | null;

  @ApiProperty({
    description: 'Checkout at the accredited registrar; null unless it is available.',
    type: String,
    format: 'uri',
    nullable: true,
    example: 'https://ventraip.com.au/domain-names?domain=coffeecart.net.au',
  })
  register_url: string | null;

  @ApiProperty({ type: EligibilityDto, description: 'Who may hold a name of this suffix.' })
  eligibility: EligibilityDto;

  @ApiPropertyOptional({
    type: SiblingError,
    description: 'Why it was not asked, or had no answer, although live=true asked for it. Absent otherwise.',
  })
  error?: SiblingError;
}
