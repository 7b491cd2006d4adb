import type { Type } from '@nestjs/common';
import { ApiPropertyOptional, ApiSchema, OmitType, PickType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional, IsString, Matches } from 'class-validator';
import { Metered } from '../access/rate.dto.js';
import { BULK_TOKEN } from '../api/check/name-list.js';
import { CheckResult } from '../api/check/check.dto.js';
import { ReportAddress } from '../api/report/report.dto.js';
import { NAME_REASONS } from '../domains/name/rules/name-rule.js';
import { eventOf, type EventWord, eventWordOf, FEED_TYPES } from '../domains/schema/events.js';
import { Description, Ideas, SuggestQuery } from '../api/suggest/suggest.dto.js';
import {
  BooleanParameter,
  day,
  many,
  oneOf,
  optional,
  orNull,
  shape,
  shapeOn,
  text,
  time,
  whole,
  yes,
} from '../validation/shape.js';

export class SuggestArguments extends SuggestQuery {
  @Description('q')
  describe?: string;

  @Ideas()
  ideas = false;

  @BooleanParameter('Rows without links, a third of the tokens; the register link of the first name only.')
  compact?: boolean;
}

export class DomainReportArguments extends ReportAddress {
  @BooleanParameter('Whether to ask the registry too, for one record more.')
  live?: boolean;
}

/** An agent reads this many in one answer; REST takes ten times as many. */
export const MAX_NAMES = 20;
const RULE = { message: `domains must be a list of 1 to ${MAX_NAMES} names` };

export class CheckDomainsArguments {
  @ApiPropertyOptional({
    description: 'Fully qualified registrable .au domain names.',
    type: [String],
    minItems: 1,
    maxItems: MAX_NAMES,
    example: ['coffeecart.com.au', 'coffeecart.net.au'],
  })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value))
  @IsString({ each: true, ...RULE })
  @ArrayMaxSize(MAX_NAMES, RULE)
  @ArrayMinSize(1, RULE)
  @IsArray(RULE)
  domains?: string[];

  @ApiPropertyOptional({
    description: 'Instead of domains: the token of an answer, for the rest of it.',
    type: String,
  })
  @IsOptional()
  @Matches(BULK_TOKEN, { message: 'token must be the token of an earlier answer of check_domains' })
  token?: string;
}

@ApiSchema({ name: 'CheckedRow', description: 'What the registry said of one name.' })
export class CheckedRow extends shape({
  domain: text('The name.'),
  state: text('What the registry says; or pending, or the code of what was wrong with the name.'),
  available: yes('Whether it could be registered then; false while that is not known.'),
  reason: optional(oneOf(NAME_REASONS, 'What is known against the name, free or not.')),
  checked_at: optional(time('When the registry said so.')),
  wayback: optional(whole('Archive activity score, of a name that the dataset knows.')),
}) {}

@ApiSchema({ name: 'CheckedList', description: 'Names with what the registry says of them now.' })
export class CheckedList extends shape({
  ...Metered.fields,
  ok: oneOf([true], 'Always true on success.'),
  results: many(CheckedRow, 'In the order asked for, each name once.'),
  pending: whole('Names still pending.'),
  token: orNull(text('Call again with it alone for the rest; null at the end.')),
  note: optional(text('Of a sandbox: the answers are made up.')),
}) {}

/** For each event, when it happened. */
const News: Type<Partial<Record<EventWord, string>>> = class {};

@ApiSchema({ name: 'CompactRow', description: 'A name, as short as it can be told.' })
export class CompactRow extends shapeOn(News, {
  domain: text('The name.'),
  wayback: whole('Archive activity score; higher means more established.'),
  first_seen: optional(day('First day it was seen; absent when not known.')),
  purge: optional(text('When the registry purges it (UTC).')),
}) {}
for (const type of FEED_TYPES)
  ApiPropertyOptional({ description: eventOf(type).agent, type: String })(
    CompactRow.prototype,
    eventWordOf(type),
  );

/** Without links: an address is twenty tokens, and can be made from the name. */
@ApiSchema({ name: 'CompactList', description: 'Names without their links.' })
export class CompactList extends shape({
  ...Metered.fields,
  ok: oneOf([true], 'Always true on success.'),
  results: many(CompactRow, 'In the order asked for.'),
  count: whole('Names in this answer: what was charged.'),
  register_url: orNull(
    text('Checkout of the first name; null where it is not on offer. Nothing is bought by calling it.'),
  ),
  date: optional(day('The day that was asked for (AEST).')),
  first_seen_from: optional(day('As asked for (AEST).')),
  first_seen_to: optional(day('As asked for (AEST).')),
  confirmed_since: optional(time('As asked for.')),
  since: optional(time('As asked for.')),
  missing_before: optional(time('Earlier events were deleted.')),
  total: optional(whole('Names that match in all; say "about" where total_is is estimated.')),
  total_is: optional(oneOf(['exact', 'estimated'], 'How total was found.')),
  has_more: optional(yes('Whether more follow: call again with cursor alone.')),
  next_cursor: optional(orNull(text('Send it as cursor.'))),
  timed_out: optional(oneOf([true], 'True when the search was too broad for the time cap.')),
  note: optional(
    text('When that struck before the first name, nothing is known; of a sandbox, the answers are made up.'),
  ),
}) {}

@ApiSchema({ name: 'SuggestedRow', description: 'A name, and with describe or ideas why it is here.' })
class SuggestedRow extends shapeOn(CompactRow, {
  why: optional(text('Why it is here.')),
}) {}

@ApiSchema({ name: 'SuggestedList', description: 'Names without their links.' })
export class SuggestedList extends shapeOn(OmitType(CompactList, ['results'] as const), {
  results: many(SuggestedRow, 'The best first; with describe, the closest.'),
  ideas: optional(many(SuggestedRow, 'Names that do not match and are close.')),
}) {}

@ApiSchema({
  name: 'RegisterResult',
  description: 'The hand-off to the registrar, or why there is none. Nothing was bought or registered.',
})
export class RegisterResult extends shapeOn(
  PickType(CheckResult, [
    'ok',
    'domain',
    'tld',
    'available',
    'registrable',
    'name_rule',
    'register_url',
    'registry',
    'eligibility',
    'rate',
    'quota',
  ] as const),
  {
    registered_by_this_call: oneOf(
      [false],
      'Always false: this service buys nothing and registers nothing.',
      false,
    ),
    reason: text('Why the name can or cannot be had, as the registry says now.'),
    what_next: text('What to do now.'),
  },
) {}
