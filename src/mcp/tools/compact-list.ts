import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsOptional } from 'class-validator';
import { NOTHING_KNOWN } from '../../domains/search/nothing-known.js';
import type { DomainDto } from '../../domains/schema/domain.dto.js';
import { Metered } from '../../access/rate.dto.js';

/** An argument that is true or false; some models write it as text. */
export function Switch(description: string): PropertyDecorator {
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

@ApiSchema({ name: 'CompactRow', description: 'A name, as short as it can be told.' })
export class CompactRow {
  @ApiProperty({ description: 'The name.' })
  domain: string;

  @ApiProperty({ description: 'Archive activity score; higher means more established.', type: 'integer' })
  wayback: number;

  @ApiPropertyOptional({ description: 'First day it was seen; absent when not known.', format: 'date' })
  first_seen?: string;

  @ApiPropertyOptional({ description: 'When the registry purges it (UTC).' })
  purge?: string;

  @ApiPropertyOptional({ description: 'When it became available (UTC).' })
  dropped?: string;

  @ApiPropertyOptional({ description: 'When it was registered again (UTC).' })
  taken?: string;

  @ApiPropertyOptional({ description: 'When it came on the drop list (UTC).' })
  listed?: string;

  @ApiPropertyOptional({ description: 'When its purge was found to have passed (UTC).' })
  purged?: string;

  @ApiPropertyOptional({ description: 'When its holder was found to have kept it (UTC).' })
  rescued?: string;

  @ApiPropertyOptional({ description: 'When it was to be left out of every copy (UTC).' })
  removed?: string;

  @ApiPropertyOptional({ description: 'When it belonged in again (UTC).' })
  restored?: string;
}

/** Names without links: an address is twenty tokens, and each can be made from the name or asked for. */
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

  @ApiPropertyOptional({ description: 'Names that match in all.', type: 'integer' })
  total?: number;

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

type Listed = Pick<CompactList, 'total' | 'has_more' | 'next_cursor' | 'timed_out' | 'rate' | 'quota'>;
/** A name, and what it is listed for, with the moment. */
interface Entry {
  readonly data: DomainDto;
  readonly news?: readonly [what: keyof Omit<CompactRow, keyof DomainDto>, at: string];
}

const MINUTES = 'YYYY-MM-DDTHH:MM'.length;

/** The short form of an answer. @param entries its rows, with what is said of each beside the name */
export function compactList(entries: readonly Entry[], answer: Listed): CompactList {
  const { total, has_more, next_cursor, timed_out, rate, quota } = answer;
  return {
    ok: true,
    results: entries.map(compactRow),
    count: entries.length,
    register_url: entries[0]?.data.register_url ?? null,
    ...(total !== undefined && { total }),
    ...(has_more !== undefined && { has_more }),
    ...(next_cursor !== undefined && { next_cursor }),
    ...(timed_out && { timed_out }),
    ...(timed_out && entries.length === 0 && { note: NOTHING_KNOWN }),
    rate,
    ...(quota && { quota }),
  };
}

function compactRow({ data, news }: Entry): CompactRow {
  const { domain, wayback, first_seen } = data;
  // The moment is what matters then, and the first day one date too many.
  if (news) return { domain, wayback, [news[0]]: news[1].slice(0, MINUTES) };
  return { domain, wayback, ...(first_seen !== null && { first_seen }) };
}
