import { ApiExtraModels, ApiSchema } from '@nestjs/swagger';
import { Metered } from '../../access/rate.dto.js';
import { MAX_PAGE_SIZE } from '../../config/tiers.js';
import { DomainDto, FullDomainDto, TIER_SHAPES } from '../../domains/schema/domain.dto.js';
import { NameFilterQuery } from '../../domains/schema/filters/parameters.js';
import { Cursor } from '../../domains/schema/page-cursor.js';
import {
  type NameCount,
  NOTHING_KNOWN,
  SORT_KEYS,
  type SortKey,
  type SortOrder,
} from '../../domains/search/discovery-query.js';
import { MAX_NEAR } from '../../domains/near-matches.js';
import { ReadAs } from '../../domains/words/read-as.js';
import { NATURAL_ORDERS } from '../../domains/search/sort-order.js';
import {
  count,
  day,
  field,
  OK,
  one,
  oneOf,
  optional,
  orNull,
  positive,
  shape,
  text,
  time,
  yes,
  ChoiceParameter,
  IntegerParameter,
} from '../../validation/shape.js';

export type Sort = SortKey | `${SortKey}_${SortOrder['direction']}`;

const ORDERS = new Map<Sort, SortOrder>(
  SORT_KEYS.flatMap((key): [Sort, SortOrder][] => [
    // What people mean who name a key alone.
    [key, NATURAL_ORDERS[key][0]],
    [`${key}_asc`, { key, direction: 'asc' }],
    [`${key}_desc`, { key, direction: 'desc' }],
  ]),
);

/** Every value of the parameter `sort`. */
export const SORTS: readonly Sort[] = [...ORDERS.keys()];

export function orderOf(sort: Sort): SortOrder {
  const order = ORDERS.get(sort);
  if (!order) throw new Error(`${sort} is no order`);
  return order;
}

/** Pages by number end here; a cursor goes on to any depth. */
export const MAX_PAGE_RECORDS = 10_000;

export class SearchQuery extends NameFilterQuery {
  @ChoiceParameter(
    SORTS,
    'The order. A key alone has its usual direction: `wayback` highest first, `first_seen` ' +
      'newest first, `length` shortest first, `domain` in byte order; `_asc` and `_desc` say it ' +
      'outright. Names alike in the key come by score, highest first, and then by name; against ' +
      'the usual direction the other way round, lowest score first. Names whose first day is not ' +
      'known come last both ways.',
    { default: 'wayback', example: 'length' },
  )
  sort: Sort = 'wayback';

  @IntegerParameter(
    1,
    MAX_PAGE_RECORDS,
    `Which page, from 1, as far as record ${MAX_PAGE_RECORDS}; a cursor goes on from there. A ` +
      'page that the budget cut short is continued by its next_cursor only: the next number begins ' +
      'a whole page later. Pages after the first need a tier with paging.',
    { default: 1, example: 1 },
  )
  page?: number;

  @IntegerParameter(
    1,
    MAX_PAGE_SIZE,
    "Records a page, up to the tier's page size, and capped by what is left of the budget. Left " +
      "out: 25, or the tier's page size where that is smaller.",
    { example: 1 },
  )
  per_page?: number;

  @Cursor(
    'page',
    'next_cursor of the page before; instead of page. It goes on by itself: filters and sort ' +
      'that are sent as well must be those of that page. A deep page costs what the first one ' +
      'does. Needs a tier with paging.',
  )
  cursor?: string;
}

export class Counted extends shape({
  ...Metered.fields,
  total: count(
    'Names that match, as total_is says. Exact up to 1,000, and however many there are where the ' +
      'filter has no more than suffixes, lengths, whether there are hyphens or digits, whole ' +
      'calendar months and score tiers (0, 1, 10, 100, 1,000, 10,000); otherwise estimated from a ' +
      'sample of 100,000 names. Later pages repeat the count of the first.',
    1,
  ),
  total_capped: yes('Whether there may be more than total: it is not exact.', false),
  total_low: count('Least number of names that match, with 95 % confidence; total where that is exact.', 1),
  total_high: orNull(count('Greatest number likewise; null when it is not known.', 1)),
  total_is: oneOf(['exact', 'estimated'], 'How total was found.', 'exact'),
  first_seen_from: optional(day('The parameter as a day; absent without it.', '2026-11-01')),
  first_seen_to: optional(day('The parameter as a day; absent without it.', '2026-11-20')),
  confirmed_since: optional(time('The parameter as a time; absent without it.', '2026-11-20T00:00:00Z')),
}) {}

type AskedDays = Pick<Counted, 'first_seen_from' | 'first_seen_to' | 'confirmed_since'>;

/** The days and the time that were asked for, which may have been sent as words. */
export function askedDays({ first_seen_from, first_seen_to, confirmed_since }: NameFilterQuery): AskedDays {
  return {
    ...(confirmed_since !== undefined && { confirmed_since: new Date(confirmed_since).toISOString() }),
    ...(first_seen_from !== undefined && { first_seen_from }),
    ...(first_seen_to !== undefined && { first_seen_to }),
  };
}

export function totalsOf({
  total,
  low,
  high,
  isExact,
}: NameCount): Omit<Counted, keyof Metered | keyof AskedDays> {
  return {
    total,
    total_capped: !isExact,
    total_low: low,
    total_high: high,
    total_is: isExact ? 'exact' : 'estimated',
  };
}

@ApiSchema({ name: 'SearchResult', description: 'One page of the available names that match.' })
@ApiExtraModels(DomainDto, FullDomainDto)
export class SearchResult extends shape({
  ...Counted.fields,
  ...OK,
  results: field<(DomainDto | FullDomainDto)[]>({
    description: "The page's names in the order asked for, with the fields of the caller's tier.",
    type: 'array',
    items: TIER_SHAPES,
    maxItems: MAX_PAGE_SIZE,
  }),
  read_as: optional(one(ReadAs, 'With match=words: how q was understood.')),
  near: optional(
    field<(DomainDto | FullDomainDto)[]>({
      description:
        'With match=words, where fewer names match than the first page has room for: names close to the question, ' +
        'the closest first. Each costs a record as well.',
      type: 'array',
      items: TIER_SHAPES,
      maxItems: MAX_NEAR,
    }),
  ),
  page: positive('Which page this is; with a cursor, counted from where the paging began.', 1),
  per_page: positive('Records a page that were asked for.', 25),
  count: count(
    'Records on this page: what was charged, but for near. Fewer than per_page at the end, or when the budget had no more.',
    1,
  ),
  has_more: yes(
    'Whether more names follow this page. True as well when timed_out is, as there may be more.',
    false,
  ),
  next_cursor: orNull(
    text(
      'Where the next page begins; null at the end, for tiers without paging, and when the first ' +
        'page timed out with no name: ask again. Opaque, valid for this search only.',
      null,
    ),
  ),
  timed_out: optional(
    oneOf(
      [true],
      'Present and true when the search was too broad to finish within the time cap; the results ' +
        'are then the true head of the page, as far as it was found. Absent otherwise.',
    ),
  ),
  note: optional(
    text(
      'Present when the time was over before the first name was found: then nothing is known. Present ' +
        'also where a sandbox answered for a name: then that is made up.',
      NOTHING_KNOWN,
    ),
  ),
}) {}
