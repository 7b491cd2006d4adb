import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import { Day } from '../../../domains/name/name-parameters.js';
import { UsageOfDay } from '../../../api/usage/usage.dto.js';
import { IsIntegerFrom } from '../../../validation/numbers.js';

export const USAGE_PAGE_ROWS = 500;
const MAX_PAGE = 10_000;

/** Which days, and of whom. */
export class ChargedQuery {
  @Day('First day, of UTC.', '2026-11-01')
  from?: string;

  @Day('Last day, of UTC; left out: today. A year at most.', '2026-11-30')
  to?: string;

  @ApiPropertyOptional({ description: 'Of one account; left out: of all.', format: 'uuid' })
  @IsOptional()
  @IsUUID(undefined, { message: 'account must be the id of an account' })
  account?: string;
}

export class ChargedPageQuery extends ChargedQuery {
  @ApiPropertyOptional({
    description: `Which page, of ${USAGE_PAGE_ROWS} entries each.`,
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    default: 1,
  })
  @IsOptional()
  @IsIntegerFrom(1, MAX_PAGE)
  page = 1;
}

@ApiSchema({ name: 'ChargedDay', description: 'What one key of one account was charged on one day.' })
export class ChargedDay extends UsageOfDay {
  @ApiProperty({ description: 'The account.', format: 'uuid' })
  account: string;

  @ApiProperty({ description: 'Its address.', example: 'ann@example.com' })
  email: string;

  @ApiProperty({ description: 'The tier that it is on now.', example: 'pro' })
  tier: string;
}

@ApiSchema({ name: 'Charged', description: 'What the budgets charged, by account, key and day.' })
export class Charged {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ description: 'First day.', format: 'date', example: '2026-11-01' })
  from: string;

  @ApiProperty({ description: 'Last day.', format: 'date', example: '2026-11-30' })
  to: string;

  @ApiProperty({ description: 'Records in all, on all pages.', type: 'integer', example: 31_400 })
  records: number;

  @ApiProperty({ type: [ChargedDay], description: 'The oldest day first, and by account and key.' })
  results: ChargedDay[];

  @ApiProperty({ description: 'Whether a page follows.', example: false })
  has_more: boolean;
}
