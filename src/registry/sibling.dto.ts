import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { SUFFIXES, type Suffix } from '../domains/schema/domain.js';
import { DOMAIN_STATES, type DomainState } from '../domains/schema/states.js';
import { EligibilityDto } from '../domains/name/eligibility.js';
import { NAME_REASONS, type NameReason } from '../domains/name/rules/name-rule.js';
import { REGISTRY_STATES, type RegistryState } from './answer.js';
import { COUNT_OR_NULL, FLAG_OR_NULL, Property, TEXT_OR_NULL, TIME_OR_NULL } from '../validation/property.js';

export const SIBLING_STATES = [...new Set([...REGISTRY_STATES, ...Object.keys(DOMAIN_STATES)])];

@ApiSchema({ name: 'SiblingError', description: 'Why there is no answer for a name that was to be asked.' })
export class SiblingError {
  @Property('As in the body of a failure.', 'registry_unavailable')
  code: string;

  @ApiProperty({ description: 'What was wrong and what to do.' })
  message: string;
}

@ApiSchema({ name: 'Sibling', description: 'The same label under one of the six suffixes.' })
export class Sibling {
  @Property('The name.', 'coffeecart.net.au')
  domain: string;

  @Property('Its .au suffix.', 'net.au', { enum: SUFFIXES })
  tld: Suffix;

  @Property('Whether the dataset has it.', true)
  known: boolean;

  @Property(
    'Whether it can be registered, as far as that is known; null where it is not.',
    true,
    FLAG_OR_NULL,
  )
  available: boolean | null;

  @Property(
    "What it is: the registry's word where there is a recent one, else what the dataset has it for; null " +
      'where neither says anything: ask with live=true.',
    'available',
    { enum: SIBLING_STATES, type: String, nullable: true },
  )
  state: RegistryState | DomainState | null;

  @Property(
    'When that was learned (ISO 8601 UTC); null where it is not known.',
    '2026-11-20T03:41:07.123Z',
    TIME_OR_NULL,
  )
  learned_at: string | null;

  @Property(
    'From whom: a registry service, `reserved_names`, `vouched:` and the name of a source, or `list` where ' +
      'only a drop list says so; null where it is not known.',
    'rdap',
    TEXT_OR_NULL,
  )
  learned_from: string | null;

  @Property('Archive activity score; null for a name that the dataset does not have.', 12, COUNT_OR_NULL)
  wayback: number | null;

  @Property(
    'Whether it can be registered by somebody whom the suffix is for; null where that is not known or in doubt.',
    true,
    FLAG_OR_NULL,
  )
  registrable: boolean | null;

  @Property('What is known against the label under this suffix, as in a check; null when nothing is.', null, {
    enum: NAME_REASONS,
    type: String,
    nullable: true,
  })
  reason: NameReason | null;

  @Property(
    'Checkout at the accredited registrar; null unless it is available.',
    'https://ventraip.com.au/domain-names?domain=coffeecart.net.au',
    { type: String, format: 'uri', nullable: true },
  )
  register_url: string | null;

  @ApiProperty({ type: EligibilityDto, description: 'Who may hold a name of this suffix.' })
  eligibility: EligibilityDto;

  @ApiPropertyOptional({
    type: SiblingError,
    description: 'Why it was not asked, or had no answer, although live=true asked for it. Absent otherwise.',
  })
  error?: SiblingError;
}
