import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema, PickType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsOptional,
  IsString,
  Matches,
} from 'class-validator';
import { Metered } from '../access/rate.dto.js';
import { BULK_TOKEN } from '../api/check/wanted-names.js';
import { CheckResult } from '../api/check/check.dto.js';
import { ReportAddress } from '../api/report/report.dto.js';
import { eventOf, type EventWord, eventWordOf, FEED_TYPES } from '../domains/schema/events.js';
import { SuggestQuery } from '../api/suggest/suggest.dto.js';
import { OptionalProperty, Property } from '../validation/property.js';

/** A boolean argument; some models write it as text. */
function Switch(description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, type: Boolean }),
    IsOptional(),
    Transform(({ value }: { value: unknown }) => {
      if (value === 'true') return true;
      return value === 'false' ? false : value;
    }),
    IsBoolean({ message: '$property must be true or false' }),
  );
}

export class SuggestArguments extends SuggestQuery {
  @Switch('Rows without links, a third of the tokens; the register link of the first name only.')
  compact?: boolean;
}

export class DomainReportArguments extends ReportAddress {
  @Switch('Whether to ask the registry too, for one record more.')
  live?: boolean;
}

/** An agent reads this many in one answer; REST takes ten times as many. */
export const MAX_NAMES = 20;
const RULE = { message: `domains must be a list of 1 to ${MAX_NAMES} names` };

export class CheckDomainsArguments {
  @OptionalProperty(
    'Fully qualified registrable .au domain names.',
    ['coffeecart.com.au', 'coffeecart.net.au'],
    { type: [String], minItems: 1, maxItems: MAX_NAMES },
  )
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
export class CheckedRow {
  @ApiProperty({ description: 'The name.' })
  domain: string;

  @ApiProperty({
    description: 'What the registry says; or pending, or the code of what was wrong with the name.',
  })
  state: string;

  @ApiProperty({ description: 'Whether it could be registered then; false while that is not known.' })
  available: boolean;

  @ApiPropertyOptional({ description: 'When the registry said so.', type: String, format: 'date-time' })
  checked_at?: string;

  @ApiPropertyOptional({
    description: 'Archive activity score, of a name that the dataset knows.',
    type: 'integer',
  })
  wayback?: number;
}

@ApiSchema({ name: 'CheckedList', description: 'Names with what the registry says of them now.' })
export class CheckedList extends Metered {
  @ApiProperty({ description: 'Always true on success.', enum: [true] })
  ok: true;

  @ApiProperty({ type: [CheckedRow], description: 'In the order asked for, each name once.' })
  results: CheckedRow[];

  @ApiProperty({ description: 'Names still pending.', type: 'integer' })
  pending: number;

  @ApiProperty({
    description: 'Call again with it alone for the rest; null at the end.',
    type: String,
    nullable: true,
  })
  token: string | null;
}

/** For each event, when it happened. */
const News: Type<Partial<Record<EventWord, string>>> = class {};

@ApiSchema({ name: 'CompactRow', description: 'A name, as short as it can be told.' })
export class CompactRow extends News {
  @ApiProperty({ description: 'The name.' })
  domain: string;

  @ApiProperty({ description: 'Archive activity score; higher means more established.', type: 'integer' })
  wayback: number;

  @ApiPropertyOptional({ description: 'First day it was seen; absent when not known.', format: 'date' })
  first_seen?: string;

  @ApiPropertyOptional({ description: 'When the registry purges it (UTC).' })
  purge?: string;
}
for (const type of FEED_TYPES)
  ApiPropertyOptional({ description: eventOf(type).agent, type: String })(
    CompactRow.prototype,
    eventWordOf(type),
  );

/** Without links: an address is twenty tokens, and can be made from the name. */
@ApiSchema({ name: 'CompactList', description: 'Names without their links.' })
export class CompactList extends Metered {
  @ApiProperty({ description: 'Always true on success.', enum: [true] })
  ok: true;

  @ApiProperty({ type: [CompactRow], description: 'In the order asked for.' })
  results: CompactRow[];

  @ApiProperty({ description: 'Names in this answer: what was charged.', type: 'integer' })
  count: number;

  @ApiProperty({
    description:
      'Checkout of the first name; null where it is not on offer. Nothing is bought by calling it.',
    type: String,
    nullable: true,
  })
  register_url: string | null;

  @ApiPropertyOptional({
    description: 'Names that match in all; say "about" where total_is is estimated.',
    type: 'integer',
  })
  total?: number;

  @ApiPropertyOptional({ description: 'How total was found.', enum: ['exact', 'estimated'] })
  total_is?: 'exact' | 'estimated';

  @ApiPropertyOptional({ description: 'Whether more follow: call again with cursor alone.' })
  has_more?: boolean;

  @ApiPropertyOptional({ description: 'Send it as cursor.', type: String, nullable: true })
  next_cursor?: string | null;

  @ApiPropertyOptional({ description: 'True when the search was too broad for the time cap.', enum: [true] })
  timed_out?: true;

  @ApiPropertyOptional({
    description: 'Present when that struck before the first name was found: nothing is known.',
  })
  note?: string;
}

@ApiSchema({
  name: 'RegisterResult',
  description: 'The hand-off to the registrar, or why there is none. Nothing was bought or registered.',
})
export class RegisterResult extends PickType(CheckResult, [
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
] as const) {
  @Property('Always false: this service buys nothing and registers nothing.', false, { enum: [false] })
  registered_by_this_call: false;

  @ApiProperty({ description: 'Why the name can or cannot be had, as the registry says now.' })
  reason: string;

  @ApiProperty({ description: 'What to do now.' })
  what_next: string;
}
