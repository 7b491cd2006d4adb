import { ApiProperty, ApiSchema, IntersectionType, OmitType, PartialType } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { DomainDto, FullDomainDto, ArchiveDto } from '../../domains/schema/domain.dto.js';
import { RESTRICTED } from '../../domains/schema/fields.js';
import { EligibilityDto } from '../../domains/name/eligibility.js';
import { RegistrabilityDto } from '../../domains/name/registrability.js';
import type { DomainEvent } from '../../domains/feed/domain-event.repository.js';
import { toEventDto } from '../../domains/feed/feed-cursor.js';
import { FEED_TYPES } from '../../domains/schema/events.js';
import { SUFFIXES } from '../../domains/schema/domain.js';
import { Metered } from '../../access/rate.dto.js';
import type { LoggedAnswer } from '../../registry/answer-log.repository.js';
import {
  RegistryCheckDto,
  toCheckDto,
  AskRegistry,
  RegistryAnswerDto,
} from '../../registry/registry-answer.dto.js';
import { Sibling } from '../../registry/sibling.dto.js';
import {
  many,
  OK,
  one,
  optional,
  orNull,
  shape,
  shapeOn,
  count,
  field,
  oneOf,
  positive,
  time,
} from '../../validation/shape.js';
import type { KeptScore } from '../../archive/archive-score.repository.js';
import { FORMULA, FORMULA_VERSION } from '../../archive/archive-score.js';

@ApiSchema({
  name: 'ArchiveReport',
  description:
    `What the web archive has of a name, and what its score was made from. ${FORMULA}. All parts ` +
    'are null before the first answer of the archive.',
})
class ArchiveReport extends shapeOn(ArchiveDto, {
  days: orNull(count('Different days (UTC) with a capture that counts: a 2xx, a 3xx or a revisit.', 137)),
  active_years: orNull(count('Calendar years that hold such a day.', 14)),
  longest_gap_days: orNull(
    positive('The most days from one such day to the next; null also when there are fewer than two.', 402),
  ),
  days_by_year: field<Record<string, number> | null>({
    description: 'Such days in each year that has any.',
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 1 },
    nullable: true,
    example: { 2009: 12, 2011: 3 },
  }),
  computed_at: orNull(
    time('When the archive answered and the score was computed (ISO 8601 UTC).', '2026-11-20T03:41:07.123Z'),
  ),
  version: orNull(
    positive(
      `Version of the formula that it was computed with; today's is ${FORMULA_VERSION}.`,
      FORMULA_VERSION,
    ),
  ),
  source: orNull(
    oneOf(
      ['archive', 'sandbox'],
      'Who answered. `sandbox` is the made-up archive of the demo: never true of the real world.',
      'archive',
    ),
  ),
}) {}

/** @param kept the score as it was computed; null before the first answer */
export function toArchiveReport(stored: ArchiveDto, kept: KeptScore | null): ArchiveReport {
  return {
    ...stored,
    days: kept?.days ?? null,
    active_years: kept?.activeYears ?? null,
    longest_gap_days: kept?.longestGapDays ?? null,
    days_by_year: kept?.daysByYear ?? null,
    computed_at: kept?.computedAt.toISOString() ?? null,
    version: kept?.version ?? null,
    source: kept?.source ?? null,
  };
}

/** Most entries of a name's history that a report shows. */
export const MAX_HISTORY = 100;
/** Most answers of registries among them. */
export const MAX_CHECKS = 50;
/** The entry of an answer beside those of events. */
const CHECKED = 'domain.checked';

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

@ApiSchema({
  name: 'HistoryEntry',
  description: 'What happened to a name, or what a registry answered about it.',
})
class HistoryEntry extends shape({
  type: oneOf(
    [...FEED_TYPES, CHECKED],
    `As in the feed; and \`${CHECKED}\`: a registry answered about the name, whether or not that was news.`,
    'domain.dropped',
  ),
  timestamp: time(
    'When the dataset learned of it, or when the registry was asked (ISO 8601 UTC).',
    '2026-11-18T02:00:00.000Z',
  ),
  registry: optional(
    orNull(
      one(
        RegistryCheckDto,
        `What the registry answered. With \`${CHECKED}\` alone; null where the details were not kept.`,
      ),
    ),
  ),
}) {}

/**
 * What happened to a name, the newest first; an event stands before the answer that brought it.
 *
 * @param checkedAt when it was last checked: all that is known of checks before answers were kept
 */
export function historyOf(
  events: readonly DomainEvent[],
  answers: readonly LoggedAnswer[],
  checkedAt: Date | null,
): HistoryEntry[] {
  const before = answers.length === 0 && checkedAt ? [{ askedAt: checkedAt, registry: null }] : [];
  const checks = answers.map((answer) => ({ askedAt: answer.askedAt, registry: toCheckDto(answer) }));
  return [
    ...events.map(toEventDto),
    ...[...checks, ...before].map(({ askedAt, registry }) => ({
      ...({ type: CHECKED, timestamp: askedAt.toISOString(), registry } as const),
    })),
  ]
    .sort((one, other) => Date.parse(other.timestamp) - Date.parse(one.timestamp))
    .slice(0, MAX_HISTORY);
}

class ReportParts extends shape({
  ...OK,
  history: optional(
    many(
      HistoryEntry,
      `What happened to the name and what registries answered about it, newest first, at most ${MAX_HISTORY} ` +
        `entries, of them ${MAX_CHECKS} answers. For tiers with full fields.`,
      { maxItems: MAX_HISTORY },
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
