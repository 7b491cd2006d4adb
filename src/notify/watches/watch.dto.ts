import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import {
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  IsUUID,
  MaxLength,
} from 'class-validator';
import { Cursor, MAX_LISTED, PageLimit, USUALLY_LISTED } from '../../domains/schema/page-cursor.js';
import { kindsOf, type Watch } from './watch.js';
import { type Watched, WATCHED_KINDS } from '../../domains/schema/events.js';
import { count, field, many, OK, one, orNull, shape, someOf, text, yes } from '../../validation/shape.js';

/** Longer than any name, and than any question. */
const MAX_NAME_LENGTH = 300;
const MAX_QUESTION_LENGTH = 1_500;
const ON =
  '`listed`: it is about to be purged, or no longer; `dropped`: its purge passed, as the official list has ' +
  'it, or it came on offer without one; `confirmed`: it is on offer, confirmed by the registry ' +
  'or by whom the operator believes; `gone`: it is registered again, or was kept by its holder.';

export class WatchesQuery {
  @PageLimit('Most watches.')
  limit = USUALLY_LISTED;

  @Cursor('page', 'next_cursor of the page before. It goes on by itself.')
  cursor?: string;
}

export class WatchId {
  @ApiProperty({
    description: 'The id of what is watched.',
    format: 'uuid',
    example: '3f8e7a0c-5f0e-4a52-9c43-51d2b6a0a9b1',
  })
  @IsUUID(undefined, { message: 'id must be the id of something that is watched' })
  id: string;
}

@ApiSchema({ name: 'NewWatch', description: 'A name or a search to be watched: one of domain and search.' })
export class NewWatchBody {
  @ApiPropertyOptional({ description: 'The name.', maxLength: MAX_NAME_LENGTH, example: 'example.com.au' })
  @IsOptional()
  @MaxLength(MAX_NAME_LENGTH, { message: `domain must have at most ${MAX_NAME_LENGTH} characters` })
  @IsString({ message: 'domain must be text' })
  domain?: string;

  @ApiPropertyOptional({
    description:
      'The question of /api/v1/search, as in its address: you are told of every name that comes ' +
      'into it. One that finds most names cannot be watched.',
    maxLength: MAX_QUESTION_LENGTH,
    example: 'q=cafe&tld=com.au',
  })
  @IsOptional()
  @MaxLength(MAX_QUESTION_LENGTH, { message: `search must have at most ${MAX_QUESTION_LENGTH} characters` })
  @IsString({ message: 'search must be text' })
  search?: string;

  @ApiPropertyOptional({
    description: `Of a name, what to be told: ${ON} Left out: all. A search says it by its state.`,
    enum: WATCHED_KINDS,
    isArray: true,
    example: ['dropped', 'confirmed'],
  })
  @IsOptional()
  @IsIn(WATCHED_KINDS, { each: true, message: `on must be of ${WATCHED_KINDS.join(', ')}` })
  @ArrayUnique({ message: 'on must name each thing once' })
  @ArrayMinSize(1, { message: 'on must name one thing at least' })
  @IsArray({ message: 'on must be a list' })
  on?: Watched[];
}

@ApiSchema({ name: 'Watch', description: 'A name or a search that the account is told of.' })
export class WatchDto extends shape({
  id: field<string>({ type: String, format: 'uuid', example: '3f8e7a0c-5f0e-4a52-9c43-51d2b6a0a9b1' }),
  domain: orNull(text('The name; null for a search.', 'example.com.au')),
  search: orNull(text('The search, as an address has it; null for a name.', null)),
  on: someOf(WATCHED_KINDS, `What is told: ${ON}`, ['confirmed']),
  told: yes(
    'Whether it is told of: not while the tier has room for fewer, or does not see names in the ' +
      'state that is searched for.',
    true,
  ),
  created_at: field<string>({ type: String, format: 'date-time', example: '2026-11-20T03:41:07.123Z' }),
}) {}

@ApiSchema({ name: 'WatchResult' })
export class WatchResult extends shape({
  ...OK,
  watch: one(WatchDto),
}) {}

@ApiSchema({ name: 'WatchList' })
export class WatchList extends shape({
  ...OK,
  results: many(WatchDto, 'Names first, and of both the newest first.', { maxItems: MAX_LISTED }),
  has_more: yes('Whether there are more.', false),
  next_cursor: orNull(text('Where the next page begins; null at the end.', null)),
  max_names: count('Names that the tier has room for.', 1_000),
  max_searches: count('Searches that it has room for.', 100),
}) {}

export function toWatchDto({ id, domain, question, eventTypes, isBeyondTier, createdAt }: Watch): WatchDto {
  return {
    id,
    domain,
    search: question,
    on: kindsOf(eventTypes),
    told: !isBeyondTier,
    created_at: createdAt.toISOString(),
  };
}
