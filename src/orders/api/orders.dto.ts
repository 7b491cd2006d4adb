import { ApiProperty, ApiPropertyOptional, ApiSchema, OmitType, PickType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { ErrorBody } from '../../errors/api-failures.decorator.js';
import { Cursor, PageLimit, USUALLY_LISTED } from '../../domains/schema/page-cursor.js';
import {
  count,
  field,
  id,
  many,
  OK,
  one,
  oneOf,
  optional,
  orNull,
  positive,
  shape,
  shapeOn,
  text,
  time,
} from '../../validation/shape.js';
import { AGREEMENT_NAMES, AGREEMENTS, agreementName } from '../order/agreements.js';
import { MAX_HOST_LENGTH, MAX_NAME_SERVERS, MIN_NAME_SERVERS } from '../order/name-servers.js';
import type { Quoted } from '../order/order-desk.js';
import type { Order } from '../order/order.repository.js';
import { ORDER_STATE_NAMES, ORDER_STATES } from '../order/order-states.js';
import { stateInWords } from '../order/order-words.js';
import { refusal } from '../ledger/refusals.js';
import { MAX_YEARS } from '../registrar/port.js';
import { offerOf, QUOTE_TOKEN } from '../order/quote-token.js';
import { t } from '../../texts/texts.js';
import { timeOrNull } from '../../validation/formats.js';

const MAX_NAME_LENGTH = 300;
const MAX_ACCEPTED = 20;
const MAX_AGREEMENT_LENGTH = 100;
const HOSTS_RULE = `name_servers must be a list of ${MIN_NAME_SERVERS} to ${MAX_NAME_SERVERS} host names`;
const YEARS_RULE = `years must be an integer from 1 to ${MAX_YEARS}`;
const NUMBER = /^\d{1,18}$/;
const ORDER_ID = '3f8e7a0c-5f0e-4a52-9c43-51d2b6a0a9b1';

@ApiSchema({ name: 'QuoteRequest', description: 'A name to be quoted.' })
export class QuoteBody {
  @ApiProperty({ description: 'The name.', maxLength: MAX_NAME_LENGTH, example: 'slowcoffee.au' })
  @MaxLength(MAX_NAME_LENGTH, { message: `domain must have at most ${MAX_NAME_LENGTH} characters` })
  @IsString({ message: 'domain must be text' })
  domain: string;

  @ApiProperty({
    description: 'For how many years. A registrar may sell fewer: the refusal says which.',
    ...{ type: 'integer', minimum: 1, maximum: MAX_YEARS, example: 1 },
  })
  @Max(MAX_YEARS, { message: YEARS_RULE })
  @Min(1, { message: YEARS_RULE })
  @IsInt({ message: YEARS_RULE })
  years: number;

  @ApiProperty({ description: 'The id of a registrant of the account.', format: 'uuid', example: ORDER_ID })
  @IsUUID(undefined, { message: 'registrant must be the id of a registrant of this account' })
  registrant: string;
}

@ApiSchema({ name: 'OrderRequest', description: 'A quote to be ordered.' })
export class OrderBody {
  @ApiProperty({ description: 'The token of the quote.' })
  @Matches(QUOTE_TOKEN, { message: 'quote must be the token of a quote of this account' })
  @IsString({ message: 'quote must be the token of a quote of this account' })
  quote: string;

  @ApiProperty({
    description: 'The agreements of the quote, each as `id:version`.',
    type: String,
    isArray: true,
    example: AGREEMENT_NAMES,
  })
  @MaxLength(MAX_AGREEMENT_LENGTH, { each: true, message: 'accept must list agreements of the quote' })
  @IsString({ each: true, message: 'accept must list agreements of the quote' })
  @ArrayMaxSize(MAX_ACCEPTED, { message: 'accept must list agreements of the quote' })
  @IsArray({ message: 'accept must list agreements of the quote' })
  accept: string[];

  @ApiPropertyOptional({
    description: 'The name servers of a new name; left out: it is parked. A renewal has none.',
    ...{ type: String, isArray: true, minItems: MIN_NAME_SERVERS, maxItems: MAX_NAME_SERVERS },
    example: ['ns1.example.net', 'ns2.example.net'],
  })
  @MaxLength(MAX_HOST_LENGTH, { each: true, message: HOSTS_RULE })
  @IsString({ each: true, message: HOSTS_RULE })
  @ArrayMaxSize(MAX_NAME_SERVERS, { message: HOSTS_RULE })
  @IsArray({ message: HOSTS_RULE })
  @IsOptional()
  name_servers?: string[];
}

@ApiSchema({ name: 'NameServersRequest', description: 'Name servers for a registered name.' })
export class NameServersBody {
  @ApiProperty({
    description: 'All that it is to have, two to nine; none: it is parked.',
    ...{ type: String, isArray: true, maxItems: MAX_NAME_SERVERS },
    example: ['ns1.example.net', 'ns2.example.net'],
  })
  @MaxLength(MAX_HOST_LENGTH, { each: true, message: HOSTS_RULE })
  @IsString({ each: true, message: HOSTS_RULE })
  @ArrayMaxSize(MAX_NAME_SERVERS, { message: HOSTS_RULE })
  @IsArray({ message: HOSTS_RULE })
  name_servers: string[];
}

@ApiSchema({ name: 'RenewalQuoteRequest', description: 'A registered name to be renewed.' })
export class RenewalBody extends PickType(QuoteBody, ['years'] as const) {}

export class OrderId {
  @ApiProperty({ description: 'The id of the order.', format: 'uuid', example: ORDER_ID })
  @IsUUID(undefined, { message: 'id must be the id of an order' })
  id: string;
}

export class ListQuery {
  @PageLimit('Most rows.')
  limit = USUALLY_LISTED;

  @Cursor('page', 'next_cursor of the page before.')
  cursor?: string;
}

@ApiSchema({ name: 'Agreement', description: 'What a person accepts with an order.' })
class AgreementDto extends shape({
  name: text('How it is accepted: id and version.', 'warranty:2026-11-27'),
  text: text('Its words.'),
  hash: text('SHA-256 of its words, in hexadecimal.'),
}) {}

@ApiSchema({ name: 'EligibilityVerdict', description: 'Whether the registrant may have the name.' })
class VerdictDto extends shape({
  is: oneOf(['eligible', 'not_eligible', 'unknown'], 'Never assumed: `unknown` where no source says it.'),
  rule: text('The rule.'),
  source: text('Where it stands.'),
  as_of: text('When it was read.', '2026-11-20'),
}) {}

const MONEY = {
  total_cents: positive('Price with GST, in cents of AUD.', 2_400),
  gst_cents: count('GST in it.', 218),
};

@ApiSchema({ name: 'RegistrationQuote', description: 'A price that holds for 15 minutes.' })
export class QuoteResult extends shape({
  ...OK,
  domain: text('The name.', 'slowcoffee.au'),
  years: positive('For how many years.', 1),
  registrar: text('The registrar of record.'),
  ...MONEY,
  is_drop: oneOf([true, false], 'Whether the name has yet to drop: then a catch is not promised.', false),
  eligibility: one(VerdictDto),
  agreements: many(AgreementDto, 'What a person of the account accepts.'),
  quote: text('The token to order with.'),
  expires_at: time('Until when it can be ordered with.', '2026-11-27T03:15:00.000Z'),
}) {}

@ApiSchema({ name: 'NewPrice', description: 'The quote of the new price, to order with.' })
class NewPrice extends OmitType(QuoteResult, ['ok', 'eligibility', 'agreements'] as const) {}

@ApiSchema({ name: 'OrderConflict', description: 'Why the order was not placed.' })
export class OrderConflict extends shapeOn(ErrorBody, {
  quote: optional(one(NewPrice, 'With `price_changed`: show its price before you order with it.')),
}) {}

@ApiSchema({ name: 'RegistrationOrder', description: 'An order of a name.' })
export class OrderDto extends shape({
  id: id('Its id.', ORDER_ID),
  number: text('Its number, as people see it.', '2048'),
  domain: text('The name.', 'slowcoffee.au'),
  years: positive('For how many years.', 1),
  registrant: id('The id of the registrant.', ORDER_ID),
  registrar: text('The registrar of record.'),
  name_servers: field<readonly string[]>({
    ...{ type: String, isArray: true, description: 'Its name servers; none: it is parked.' },
    example: ['ns1.example.net', 'ns2.example.net'],
  }),
  wished_name_servers: orNull(
    field<readonly string[]>({
      ...{
        type: String,
        isArray: true,
        description: 'Asked for; the registrar has yet to say. Null without.',
      },
      example: null,
    }),
  ),
  state: oneOf(ORDER_STATE_NAMES, 'Where it stands.', 'registered'),
  state_words: text('The same in words.', t.ordering.states.registered.words),
  reason: orNull(text('Why it ended, or waits; null where the state says it.', null)),
  ...MONEY,
  placed_at: time('When it was placed.', '2026-11-27T03:00:00.000Z'),
  approved_at: orNull(time('When a person approved it; null before.', '2026-11-27T03:01:00.000Z')),
  lapses_at: orNull(time('When it lapses unless it is sent; null once it was sent.', null)),
  settled_at: orNull(time('When it ended; null before.', '2026-11-27T03:01:05.000Z')),
  renews: orNull(id('The order whose name it renews; null for a registration.', ORDER_ID)),
  cancel_until: orNull(
    time('Until when the registered name can be given back for its price; null where not.', null),
  ),
  expires_at: orNull(
    time('Until when the name is registered; null where it is not.', '2027-11-27T03:01:05.000Z'),
  ),
}) {}

@ApiSchema({ name: 'RegistrationOrderResult', description: 'One order.' })
export class OrderResult extends shape({
  ...OK,
  order: one(OrderDto),
}) {}

export const NEXT = { next_cursor: orNull(text('For the next page; null at the end.', null)) };

@ApiSchema({ name: 'RegistrationOrderList', description: 'Orders, the newest first.' })
export class OrderList extends shape({
  ...OK,
  results: many(OrderDto, 'The orders.'),
  ...NEXT,
}) {}

export function toQuoteDto(quoted: Quoted): QuoteResult {
  const agreements = AGREEMENTS.map((one) => ({
    ...{ name: agreementName(one), text: one.text, hash: one.hash },
  }));
  return { ...toPriceDto(quoted), agreements };
}

/** A quote without the texts to accept. */
export function toPriceDto({ quote, token, verdict }: Quoted): Omit<QuoteResult, 'agreements'> {
  const { is, rule, source, asOf } = verdict;
  return { ok: true, ...offerOf(quote, token), eligibility: { is, rule, source, as_of: asOf } };
}

export function toOrderDto(order: Order): OrderDto {
  const { id: orderId, number, domain, years, registrantId, registrar, state, reason } = order;
  const { is } = ORDER_STATES[state];
  return {
    ...{
      id: orderId,
      number,
      domain,
      years,
      registrant: registrantId,
      registrar,
      name_servers: order.nameServers,
      wished_name_servers: state === 'registered' ? order.wishedServers : null,
      state,
      state_words: stateInWords(order),
      reason,
    },
    ...{ total_cents: order.totalCents, gst_cents: order.gstCents, placed_at: order.placedAt.toISOString() },
    ...{
      approved_at: timeOrNull(order.approvedAt),
      lapses_at: is === 'waits' ? timeOrNull(order.lapsesAt) : null,
    },
    ...{
      settled_at: timeOrNull(order.settledAt),
      renews: order.renews,
      cancel_until: timeOrNull(order.cancelUntil),
    },
    expires_at: state === 'registered' ? timeOrNull(order.expiresAt) : null,
  };
}

/** @throws {ApiError} invalid_parameter */
export function numberOf(cursor: string | undefined): string | null {
  if (cursor === undefined || NUMBER.test(cursor)) return cursor ?? null;
  throw refusal('invalid_parameter', 'cursor');
}
