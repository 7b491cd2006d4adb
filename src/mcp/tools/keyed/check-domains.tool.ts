import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional, IsString, Matches } from 'class-validator';
import type { Caller } from '../../../access/caller.js';
import type { BulkCheckItem, BulkCheckResult } from '../../../api/check/bulk/bulk-check.dto.js';
import { BulkCheckService } from '../../../api/check/bulk/bulk-check.service.js';
import { BULK_TOKEN } from '../../../api/check/bulk/bulk-token.js';
import { ApiError } from '../../../errors/api-error.js';
import { Metered } from '../../../access/rate.dto.js';
import { READ_ONLY, type Tool } from '../tool.js';

/** As many as an agent reads in one answer; REST takes ten times as many. */
const MAX_NAMES = 20;
/** Agents' clients give up soon. */
const WAIT_SECONDS = 10;
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
class CheckedRow {
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

@Injectable()
export class CheckDomainsTool implements Tool<CheckDomainsArguments, CheckedList> {
  readonly name = 'check_domains';
  readonly title = 'Check several domains';
  readonly description = `Asks the registry about up to ${MAX_NAMES} .au names at once, in one row each. Use it instead of several check_domain, to choose among candidates. What is not known within ${WAIT_SECONDS} s is pending: call again with token, which costs nothing more. Costs 1 record a name answered. It gives no register_url: register_domain does.`;
  readonly arguments = CheckDomainsArguments;
  readonly results = [CheckedList];
  readonly annotations = { ...READ_ONLY, openWorldHint: true };
  // A token is for what was paid already; whether records are left is asked where names are.
  readonly costsRecords = false;

  constructor(private readonly checks: BulkCheckService) {}

  async run({ domains, token }: CheckDomainsArguments, caller: Caller): Promise<CheckedList> {
    if ((domains === undefined) === (token === undefined))
      throw new ApiError('invalid_parameter', 'domains is missing, or else token: send one of them');
    const answer = token
      ? await this.checks.fetchRest(token, WAIT_SECONDS, caller)
      : await this.checks.checkAll(domains ?? [], WAIT_SECONDS, caller);
    return listOf(answer);
  }
}

function listOf({ results, pending, token, rate, quota }: BulkCheckResult): CheckedList {
  return { ok: true, results: results.map(rowOf), pending, token, rate, ...(quota && { quota }) };
}

function rowOf({ domain, status, result, error }: BulkCheckItem): CheckedRow {
  if (!result) return { domain, state: error?.code ?? status, available: false };
  const { available, known, wayback, registry } = result;
  const { state, checked_at } = registry;
  return { domain, state, available, checked_at, ...(known && { wayback }) };
}
