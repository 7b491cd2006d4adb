import { ApiProperty, ApiSchema, IntersectionType, PickType } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { DomainDto, EvidenceDto } from '../../domains/schema/domain.dto.js';
import { EligibilityDto } from '../../domains/name/eligibility.js';
import { RegistrabilityDto } from '../../domains/name/registrability.js';
import { Metered } from '../../access/rate.dto.js';
import { RegistryAnswerDto } from '../../registry/registry-answer.dto.js';
import { OK, one, optional, orNull, shape, yes } from '../../validation/shape.js';

export class CheckQuery {
  @ApiProperty({
    description:
      'Fully qualified registrable .au domain name. White space around it, capitals and one trailing dot do no harm.',
    type: String,
    maxLength: 255,
    example: 'coffeecart.com.au',
  })
  // The name parser judges length and shape, so that its message can name the fault.
  @IsOptional()
  @IsString({ message: 'domain must be given once, as text' })
  domain?: string;
}

class Availability extends shape({
  ...OK,
  known: yes('Whether the name is in the dataset.', true),
  hidden: yes(
    'Whether the operator withholds the name from discovery. Changes neither registered nor available.',
    false,
  ),
  registered: yes('Whether the registry holds a registration now.', false),
  available: yes('Whether the name can be registered now. False as well for a reserved name.', true),
  registry: one(RegistryAnswerDto, 'The registry answer behind registered and available.'),
  dataset: optional(
    orNull(
      one(
        EvidenceDto,
        'What the dataset has the name for, and how it knows; null for a name that it does not have. ' +
          'For tiers with full fields.',
      ),
    ),
  ),
  eligibility: one(EligibilityDto, 'Who may hold a name of this suffix.'),
}) {}

/** The result of a check, without its cost. */
@ApiSchema({
  name: 'Checked',
  description: 'Live availability of one name, with what the dataset knows of it.',
})
export class Checked extends IntersectionType(
  PickType(DomainDto, [
    'domain',
    'tld',
    'length',
    'wayback',
    'first_seen',
    'register_url',
    'detail_url',
    'wayback_url',
  ] as const),
  IntersectionType(Availability, RegistrabilityDto),
) {}

/** Answer of GET /v1/domains/check: live availability, enriched from the dataset. */
@ApiSchema({
  name: 'CheckResult',
  description: 'Live availability of one name, with what the dataset knows of it.',
})
export class CheckResult extends IntersectionType(Checked, Metered) {}
