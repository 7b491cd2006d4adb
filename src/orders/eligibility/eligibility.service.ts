import { Controller, Get, Injectable, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags, ApiSchema } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { type DomainName, parseDomainName } from '../../domains/name/domain-name.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { NAME_FAILURES } from '../../errors/error-codes.js';
import { t } from '../../texts/texts.js';
import { day, OK, one, oneOf, shape, text } from '../../validation/shape.js';
import { refusal } from '../ledger/refusals.js';
import { AbnLookup } from './abn-lookup.js';
import { digitsOf, kindOfNumber } from '../../validation/business-numbers.js';
import { type Holder, judgeEligibility, type Verdict } from './verdict.js';

/** Kinds of holders of the .au registry that have an ABN or ACN. */
export const ELIGIBILITY_TYPES = [
  ...['Company', 'Sole Trader', 'Partnership', 'Incorporated Association', 'Registered Business', 'Charity'],
  ...[
    'Club',
    'Commercial Statutory Body',
    'Non-profit Organisation',
    'Political Party',
    'Trade Union',
    'Other',
  ],
];

/** Whether a holder may have a name, from our data and the register. */
@Injectable()
export class EligibilityService {
  constructor(private readonly lookup: AbnLookup) {}

  /** @param afresh for an order: otherwise the register's answer of today will do */
  async judge(name: DomainName, holder: Holder, afresh = false): Promise<Verdict> {
    // A verdict that needs no register asks none.
    const alone = judgeEligibility(name, holder, null);
    if (alone.is !== 'unknown') return alone;
    const { id } = holder;
    return judgeEligibility(name, holder, await (afresh ? this.lookup.find(id) : this.lookup.findRecent(id)));
  }
}

const MAX_TEXT_LENGTH = 255;
const NUMBER_RULE = t.orders.refused.numberDigits;

export class EligibilityQuery {
  @ApiProperty({ description: 'The name.', maxLength: MAX_TEXT_LENGTH, example: 'coffeecart.com.au' })
  @IsString({ message: 'domain must be given once, as text' })
  domain: string;

  @ApiProperty({ description: 'ABN or ACN of the holder.', maxLength: 20, example: '53 004 085 616' })
  @MaxLength(20, { message: NUMBER_RULE })
  @IsString({ message: NUMBER_RULE })
  number: string;

  @ApiProperty({
    description: 'The legal name of the holder, exactly as on the register.',
    ...{ maxLength: MAX_TEXT_LENGTH, example: 'Coffee Cart Pty Ltd' },
  })
  @MaxLength(MAX_TEXT_LENGTH, { message: `legal_name must have at most ${MAX_TEXT_LENGTH} characters` })
  @IsString({ message: 'legal_name must be given once, as text' })
  legal_name: string;

  @ApiProperty({ description: 'The kind of holder.', enum: ELIGIBILITY_TYPES, example: 'Company' })
  @IsIn(ELIGIBILITY_TYPES, { message: `type must be one of ${ELIGIBILITY_TYPES.join(', ')}` })
  type: string;
}

@ApiSchema({ name: 'HolderVerdict', description: 'Whether the holder may have the name.' })
class VerdictDto extends shape({
  is: oneOf(
    ['eligible', 'not_eligible', 'unknown'],
    '`eligible` only where every rule was proved; `unknown` wherever the data do not decide.',
  ),
  rule: text('The rule that decided.'),
  source: text('Where the rule or the fact is published.'),
  as_of: day('The day of the source.'),
}) {}

export class EligibilityResult extends shape({
  ...OK,
  domain: text('The name.', 'coffeecart.com.au'),
  eligibility: one(VerdictDto),
}) {}

@ApiTags('Orders')
@Controller('api/v1')
export class EligibilityController {
  constructor(private readonly eligibility: EligibilityService) {}

  @Get('eligibility')
  @ApiOperation({
    operationId: 'judgeEligibility',
    summary: 'Whether a holder may have a name',
    description: 'By rule, source and day, without an order. Costs no records. The registrar decides.',
  })
  @ApiOkResponse({ type: EligibilityResult, description: 'The verdict.' })
  @ApiFailures('invalid_parameter', ...NAME_FAILURES)
  judge(@Query() query: EligibilityQuery): Promise<EligibilityResult> {
    return judgeQuery(this.eligibility, query);
  }
}

/** For every door. @throws {ApiError} for what cannot be judged */
export async function judgeQuery(
  eligibility: EligibilityService,
  query: EligibilityQuery,
): Promise<EligibilityResult> {
  const name = parseDomainName(query.domain);
  const { is, rule, source, asOf } = await eligibility.judge(name, holderOf(query));
  return { ok: true, domain: name.domain, eligibility: { is, rule, source, as_of: asOf } };
}

/** @throws {ApiError} invalid_parameter */
export function holderOf({
  number,
  legal_name: legalName,
  type: eligibilityType,
}: Omit<EligibilityQuery, 'domain'>): Holder {
  const id = digitsOf(number);
  if (id === null) throw refusal('invalid_parameter', 'numberDigits');
  return { legalName, eligibilityType, idType: kindOfNumber(id), id };
}
