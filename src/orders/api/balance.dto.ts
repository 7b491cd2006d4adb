import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsInt, IsOptional, IsUUID, Max, Min } from 'class-validator';
import {
  count,
  id,
  many,
  OK,
  one,
  oneOf,
  orNull,
  positive,
  shape,
  text,
  time,
  whole,
} from '../../validation/shape.js';
import type { StatementRow } from '../ledger/ledger.repository.js';
import type { CardRefund, TopUp } from '../topup/top-up.repository.js';
import { NEXT } from './orders.dto.js';
import { MAX_CENTS, timeOrNull } from '../../validation/formats.js';

const TOP_UP_ID = '5b1d7a52-03f7-4c3f-8a0e-0c6b3f1e9d11';
const REFUND_ID = '0c9f4d6e-7a51-4d0e-9f0a-3f2f0d3a7c55';
/** The settings have closer bounds. */
const CENTS_RULE = { message: `cents must be an integer from 1 to ${MAX_CENTS}` };

@ApiSchema({ name: 'TopUpRequest', description: 'Money to be added to the balance.' })
export class TopUpBody {
  @ApiProperty({
    description: 'Cents of AUD.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_CENTS,
    example: 5_000,
  })
  @Max(MAX_CENTS, CENTS_RULE)
  @Min(1, CENTS_RULE)
  @IsInt(CENTS_RULE)
  cents: number;
}

@ApiSchema({ name: 'RefundRequest', description: 'What is sent back to the card.' })
export class RefundBody {
  @ApiProperty({
    description: 'Cents of AUD. Left out: what is left of the top-up.',
    ...{ type: 'integer', minimum: 1, maximum: MAX_CENTS, example: 5_000, required: false },
  })
  @Max(MAX_CENTS, CENTS_RULE)
  @Min(1, CENTS_RULE)
  @IsInt(CENTS_RULE)
  @IsOptional()
  cents?: number;
}

export class TopUpId {
  @ApiProperty({ description: 'The id of the top-up.', format: 'uuid', example: TOP_UP_ID })
  @IsUUID(undefined, { message: 'id must be the id of a top-up' })
  id: string;
}

export class RefundId extends TopUpId {
  @ApiProperty({ description: 'The id of the refund.', format: 'uuid', example: REFUND_ID })
  @IsUUID(undefined, { message: 'refund must be the id of a refund' })
  refund: string;
}

@ApiSchema({ name: 'Balance', description: 'The prepaid balance, in cents of AUD.' })
export class BalanceResult extends shape({
  ...OK,
  balance_cents: count('All of it.', 8_500),
  held_cents: count('Of it, set aside for orders that are not settled, or not to be spent yet.', 2_400),
  waiting_cents: count('Of what is set aside, top-ups that cannot be spent yet.', 0),
  waiting_until: orNull(time('From when they can; null: none waits.', null)),
  free_cents: count('What can be ordered with.', 6_100),
  owed_cents: count('Owed after a disputed payment.', 0),
  is_frozen: oneOf([true, false], 'Whether a disputed payment keeps the account from ordering.', false),
  is_play_money: oneOf([true, false], 'Whether no real money is meant: a demo.', false),
}) {}

@ApiSchema({ name: 'StatementRow', description: 'A movement of the balance.' })
class StatementRowDto extends shape({
  id: text('Its number.', '42'),
  at: time('When.', '2026-11-27T03:01:05.000Z'),
  kind: text('What it was.', 'registration'),
  words: text('For what.', 'slowcoffee.au, 1 year'),
  cents: whole('What was added, or taken if negative.', -2_400),
  balance_cents: whole('The balance after it, less what is owed.', 6_100),
  receipt: orNull(text('The number of its receipt or tax invoice; null where it has none.', '1042')),
}) {}

@ApiSchema({ name: 'Statement', description: 'Movements of the balance, the newest first.' })
export class StatementResult extends shape({
  ...OK,
  results: many(StatementRowDto, 'The movements.'),
  ...NEXT,
}) {}

const TOP_UP_STATES = ['open', 'paid', 'expired'] as const;

@ApiSchema({ name: 'TopUp', description: 'Money added to the balance by card.' })
class TopUpDto extends shape({
  id: id('Its id.', TOP_UP_ID),
  cents: positive('Cents of AUD.', 5_000),
  state: oneOf(TOP_UP_STATES, '`paid` once the card provider has said so.', 'open'),
  checkout_url: orNull(
    text('Where it is paid; null once it is not open.', 'https://checkout.stripe.com/c/pay/cs_1'),
  ),
  made_at: time('When it was asked for.', '2026-11-27T03:00:00.000Z'),
  ends_at: time('Until when it can be paid.', '2026-11-27T04:00:00.000Z'),
  paid_at: orNull(time('When it was paid; null before.', null)),
  available_at: orNull(time('From when it can be spent; null before it is paid.', null)),
  refunded_cents: count('What was sent back of it.', 0),
  is_play_money: oneOf([true, false], 'Whether no real money is meant: a demo.', false),
}) {}

@ApiSchema({ name: 'TopUpResult', description: 'One top-up.' })
export class TopUpResult extends shape({ ...OK, top_up: one(TopUpDto) }) {}

@ApiSchema({ name: 'TopUpList', description: 'The latest top-ups, the newest first.' })
export class TopUpList extends shape({
  ...OK,
  results: many(TopUpDto, 'The top-ups.'),
}) {}

@ApiSchema({ name: 'Refund', description: 'What is sent back to a card.' })
export class RefundResult extends shape({
  ...OK,
  id: id('Its id.', REFUND_ID),
  cents: positive('Cents of AUD.', 5_000),
  state: oneOf(
    ['asked', 'sent', 'failed'] as const,
    'Of a failed one the money is back in the balance.',
    'asked',
  ),
}) {}

export function toStatementRow(row: StatementRow): StatementRowDto {
  const { id: number, at, kind, words, cents, balanceCents, receipt } = row;
  return { id: number, at: at.toISOString(), kind, words, cents, balance_cents: balanceCents, receipt };
}

export function toTopUpDto(topUp: TopUp, now: Date, isPlayMoney: boolean): TopUpDto {
  const { id: own, cents, checkoutUrl, madeAt, endsAt, paidAt, availableAt, refundedCents } = topUp;
  const state = paidAt ? 'paid' : endsAt > now ? 'open' : 'expired';
  return {
    ...{ id: own, cents, state, checkout_url: state === 'open' ? checkoutUrl : null },
    ...{ made_at: madeAt.toISOString(), ends_at: endsAt.toISOString() },
    ...{ paid_at: timeOrNull(paidAt), available_at: timeOrNull(availableAt) },
    ...{ refunded_cents: refundedCents, is_play_money: isPlayMoney },
  };
}

export function toRefundDto({ id: own, cents, state }: CardRefund): RefundResult {
  return { ok: true, id: own, cents, state };
}
