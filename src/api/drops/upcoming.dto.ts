import { ApiExtraModels, ApiSchema } from '@nestjs/swagger';
import { LIST_KINDS, type ListKind } from '../../config/product.js';
import { Cursor } from '../../domains/schema/page-cursor.js';
import { DomainDto, FullDomainDto, TIER_SHAPES } from '../../domains/schema/domain.dto.js';
import type { Suffix } from '../../domains/schema/domain.js';
import { PURGE_ZONE } from '../../domains/schema/calendar-date.js';
import { Day, Keyword, Score, SuffixList } from '../../domains/name/name-parameters.js';
import { Metered } from '../../access/rate.dto.js';
import { MAX_PAGE_SIZE } from '../../config/tiers.js';
import {
  count,
  day,
  field,
  many,
  OK,
  oneOf,
  optional,
  orNull,
  shape,
  text,
  time,
  yes,
  ChoiceParameter,
  IntegerParameter,
} from '../../validation/shape.js';

/** Which names, of a list as of a calendar. */
export class UpcomingCalendarQuery {
  @Day(`Only names that are purged on this day in ${PURGE_ZONE} (AEST, UTC+10 all year).`, '2026-11-21')
  date?: string;

  @SuffixList()
  tld?: Suffix[];

  @ChoiceParameter(LIST_KINDS, 'Only names on this part of the official list; left out: both.', {
    example: 'deleted',
  })
  kind?: ListKind;

  @Keyword()
  q?: string;

  @Score('Smallest archive score. A name that has not been scored yet has 0.', { default: 0, example: 10 })
  min_wayback = 0;

  @IntegerParameter(
    1,
    MAX_PAGE_SIZE,
    "Most names, up to the tier's page size, and capped by what is left of the budget. Left out: " +
      "25, or the tier's page size where that is smaller.",
    { example: 25 },
  )
  limit?: number;
}

export class UpcomingQuery extends UpcomingCalendarQuery {
  @Cursor(
    'page',
    'next_cursor of the page before. It goes on by itself: filters that are sent as well must be ' +
      'those of that page. Needs a tier with paging. A calendar has no pages.',
  )
  cursor?: string;
}

@ApiSchema({ name: 'UpcomingDrop', description: 'A name that is about to be purged, and when.' })
@ApiExtraModels(DomainDto, FullDomainDto)
export class UpcomingDropDto extends shape({
  purge_at: time(
    'When the registry purges the name (ISO 8601 UTC). Until then its holder may get it back.',
    '2026-11-21T03:00:00.000Z',
  ),
  purge_at_local: time(
    `The same moment in time_zone, ${PURGE_ZONE} (ISO 8601 with its offset, +10:00 all year).`,
    '2026-11-21T13:00:00+10:00',
  ),
  kind: field<ListKind | null>({
    description:
      'The part of the official list that the name is on: `deleted` by its holder or the registry, ' +
      'or `expired`. Null when the list did not say.',
    enum: [...LIST_KINDS, null],
    type: String,
    nullable: true,
    example: 'deleted',
  }),
  approximate: yes(
    'Whether the name may be purged a day earlier than purge_at: it became due in the half hour ' +
      'between the two runs of a day, and which of them takes it is not published.',
    false,
  ),
  data: field<DomainDto | FullDomainDto>({
    description:
      "The name as the dataset knows it, with the fields of the caller's tier. `available` is " +
      'false until a registry says otherwise after the purge.',
    ...TIER_SHAPES,
  }),
}) {}

@ApiSchema({ name: 'UpcomingResult', description: 'A page of the names that are about to be purged.' })
export class UpcomingResult extends shape({
  ...Metered.fields,
  ...OK,
  time_zone: oneOf([PURGE_ZONE], 'The zone of purge_at_local, and of the parameter date.', PURGE_ZONE),
  date: optional(day('The day that was asked for, in time_zone; absent without one.', '2026-11-21')),
  results: many(
    UpcomingDropDto,
    'Names, the next purge first; in each the highest archive score first, then by name.',
    { maxItems: MAX_PAGE_SIZE },
  ),
  count: count('Names in this answer: what was charged.', 1),
  has_more: yes('Whether more names follow.', false),
  next_cursor: orNull(
    text(
      'Where the next page begins; null at the end and for tiers without paging. Opaque, valid for these filters only.',
      null,
    ),
  ),
}) {}
