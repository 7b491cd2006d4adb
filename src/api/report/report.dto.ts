import { ApiProperty, ApiSchema, IntersectionType, OmitType, PartialType } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { ArchiveReport } from './archive-report.dto.js';
import { DomainDto, FullDomainDto } from '../../domains/schema/domain.dto.js';
import { RESTRICTED } from '../../domains/schema/fields.js';
import { EligibilityDto } from '../../domains/name/eligibility.js';
import { RegistrabilityDto } from '../../domains/name/registrability.js';
import { DomainEventDto } from '../../domains/feed/feed-cursor.js';
import { SUFFIXES } from '../../domains/schema/domain.js';
import { Metered } from '../../access/rate.dto.js';
import { RegistryCheckDto } from '../../registry/registry-check.dto.js';
import { AskRegistry, RegistryAnswerDto } from '../../registry/registry-answer.dto.js';
import { Sibling } from '../../registry/sibling.dto.js';
import { many, OK, one, optional, orNull, shape, shapeOn } from '../../validation/shape.js';

/** Most events of a name that a report shows. */
export const MAX_HISTORY = 100;
/** Most answers of registries. */
export const MAX_CHECKS = 50;

export class ReportAddress {
  @ApiProperty({
    description: 'Fully qualified registrable .au domain name.',
    type: String,
    maxLength: 255,
    example: 'coffeecart.com.au',
  })
  // The name parser judges length and shape, so that its message can name the fault.
  @IsString()
  domain: string;
}

export class ReportQuery {
  @AskRegistry('Whether to ask the registry too, for one record more.')
  live: 'true' | 'false' = 'false';
}

class ReportParts extends shape({
  ...OK,
  history: optional(
    many(
      DomainEventDto,
      `What happened to the name, newest first, at most ${MAX_HISTORY} events. For tiers with full fields.`,
      { maxItems: MAX_HISTORY },
    ),
  ),
  checks: optional(
    many(
      RegistryCheckDto,
      `What registries answered about the name, newest first, at most ${MAX_CHECKS}. For tiers with full fields. ` +
        'Of a last check at `checked_at` that is not among them, the details were not kept.',
      { maxItems: MAX_CHECKS },
    ),
  ),
  siblings: optional(
    many(Sibling, 'The same label under all six suffixes, this one included. For tiers with full fields.', {
      minItems: SUFFIXES.length,
      maxItems: SUFFIXES.length,
    }),
  ),
  registry: optional(
    orNull(
      one(
        RegistryAnswerDto,
        'What the registry says now, when live=true: null when the budget had no second record for it. ' +
          'Absent otherwise.',
      ),
    ),
  ),
}) {}

class Scoring extends shape({
  archive: optional(
    one(
      ArchiveReport,
      'What the web archive has of the name, and what its score was made from. For tiers with full fields.',
    ),
  ),
}) {}

class Permission extends shapeOn(PartialType(RegistrabilityDto), {
  eligibility: optional(
    one(EligibilityDto, 'Who may hold a name of this suffix. For tiers with full fields.'),
  ),
}) {}

/** What a name has beside the nine fields, for the tiers that see it. */
class MoreFields extends PartialType(OmitType(FullDomainDto, [...RESTRICTED, 'archive' as const])) {}

@ApiSchema({
  name: 'DomainReport',
  description: "All that is known of one name, as far as the caller's tier sees it.",
})
export class DomainReport extends IntersectionType(
  DomainDto,
  MoreFields,
  IntersectionType(IntersectionType(ReportParts, Permission, Scoring), Metered),
) {}
