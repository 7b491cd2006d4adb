import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema, PartialType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsEmail,
  IsIn,
  IsString,
  IsUUID,
  Matches,
  MaxLength,
  ValidateIf,
} from 'class-validator';
import { t } from '../../texts/texts.js';
import { field, id, many, OK, one, positive, shape, shapeOn, text, time } from '../../validation/shape.js';
import { ELIGIBILITY_TYPES } from '../eligibility/eligibility.service.js';
import { digitsOf, hasCheckDigits, kindOfNumber } from '../../validation/business-numbers.js';
import { refusal } from '../ledger/refusals.js';
import { AUSTRALIAN_STATES, type Registrant } from '../registrar/port.js';
import { MAX_REGISTRANTS, type RegistrantProfile } from './registrant.repository.js';

const MAX_TEXT = 255;
const MAX_STREET_LINES = 3;
const MAX_NUMBER = 20;
const ID = '8d0c7b52-0a4e-4a51-8a0e-9f2f6f1c2b30';
const { number: NUMBER_RULE, phone: PHONE_RULE } = t.orders.refused;
const SCRIPT_RULE =
  'legal_name must be in Latin letters, as the register of the number has it: invoices show no others';
const STREET_RULE = `street must be a list of one to ${MAX_STREET_LINES} lines`;

/** Text of one line, as a registry takes it: no control characters, and something in it. */
function Line(name: string): PropertyDecorator {
  const message = `${name} must be text of one line, of 1 to ${MAX_TEXT} characters`;
  return applyDecorators(
    Matches(/^(?=.*\S)[^\p{C}]+$/u, { message }),
    MaxLength(MAX_TEXT, { message }),
    IsString({ message }),
  );
}

class RegistrantFields {
  @ApiProperty({
    description: 'The legal name, exactly as on the register of the number.',
    ...{ maxLength: MAX_TEXT, example: 'Coffee Cart Pty Ltd' },
  })
  // What the register has is in ASCII; a tax invoice draws no more than these.
  @Matches(/^[ -~\u00a0-\u0131\u0134-\u0148\u014a-\u017e‘’“”–—]*$/, { message: SCRIPT_RULE })
  @Line('legal_name')
  legal_name: string;

  @ApiPropertyOptional({
    description: 'ABN or ACN. Without one names are registered at their register_url only.',
    ...{ maxLength: MAX_NUMBER, example: '53 004 085 616' },
  })
  @ValidateIf((_, value) => value !== undefined && value !== null)
  @MaxLength(MAX_NUMBER, { message: NUMBER_RULE })
  @IsString({ message: NUMBER_RULE })
  number?: string | null;

  @ApiProperty({ description: 'The kind of holder.', enum: ELIGIBILITY_TYPES, example: 'Company' })
  @IsIn(ELIGIBILITY_TYPES, { message: `type must be one of ${ELIGIBILITY_TYPES.join(', ')}` })
  type: string;

  @ApiProperty({ description: 'Who is written to.', maxLength: MAX_TEXT, example: 'Mia Example' })
  @Line('contact_name')
  contact_name: string;

  @ApiProperty({ description: 'Their e-mail address.', format: 'email', example: 'mia@example.com' })
  @IsEmail({}, { message: 'email must be an e-mail address' })
  @MaxLength(MAX_TEXT, { message: `email must have at most ${MAX_TEXT} characters` })
  @IsString({ message: 'email must be an e-mail address' })
  email: string;

  @ApiProperty({ description: 'Their telephone.', maxLength: 30, example: '+61.299990000' })
  @MaxLength(30, { message: PHONE_RULE })
  @IsString({ message: PHONE_RULE })
  phone: string;

  @ApiProperty({
    description: 'Street address.',
    ...{ type: String, isArray: true, minItems: 1, maxItems: MAX_STREET_LINES, example: ['12 Elizabeth St'] },
  })
  @Matches(/^(?=.*\S)[^\p{C}]{1,255}$/u, {
    each: true,
    message: `${STREET_RULE}, each of 1 to 255 characters`,
  })
  @IsString({ each: true, message: STREET_RULE })
  @ArrayMaxSize(MAX_STREET_LINES, { message: STREET_RULE })
  @ArrayMinSize(1, { message: STREET_RULE })
  @IsArray({ message: STREET_RULE })
  street: string[];

  @ApiProperty({ description: 'Suburb or city.', maxLength: MAX_TEXT, example: 'Hobart' })
  @Line('city')
  city: string;

  @ApiProperty({ description: 'State or territory.', enum: AUSTRALIAN_STATES, example: 'TAS' })
  @IsIn(AUSTRALIAN_STATES, { message: `state must be one of ${AUSTRALIAN_STATES.join(', ')}` })
  state: (typeof AUSTRALIAN_STATES)[number];

  @ApiProperty({ description: 'Four digits.', pattern: '^\\d{4}$', example: '7000' })
  @Matches(/^\d{4}$/, { message: 'postcode must be four digits' })
  @IsString({ message: 'postcode must be four digits' })
  postcode: string;
}

@ApiSchema({ name: 'NewRegistrant', description: 'Who will hold names: the customer, always.' })
export class NewRegistrantBody extends RegistrantFields {}

@ApiSchema({ name: 'RegistrantChanges', description: 'What is to be changed; what is left out stays.' })
export class RegistrantChanges extends PartialType(RegistrantFields, { skipNullProperties: false }) {}

export class RegistrantId {
  @ApiProperty({ description: 'The id of the registrant.', format: 'uuid', example: ID })
  @IsUUID(undefined, { message: 'id must be the id of a registrant' })
  id: string;
}

@ApiSchema({
  name: 'Registrant',
  description: 'A holder of names. Orders keep it as it was when they were placed.',
})
export class RegistrantDto extends shapeOn(RegistrantFields, {
  id: id('Its id.', ID),
  number: text('ABN or ACN, digits only.', '53004085616'),
  created_at: time('When it was added.', '2026-11-27T03:00:00.000Z'),
  changed_at: time('When it was changed last.', '2026-11-27T03:00:00.000Z'),
}) {}

@ApiSchema({ name: 'RegistrantResult', description: 'One registrant.' })
export class RegistrantResult extends shape({
  ...OK,
  registrant: one(RegistrantDto),
}) {}

@ApiSchema({ name: 'RegistrantList', description: 'All of them, the newest first.' })
export class RegistrantList extends shape({
  ...OK,
  results: many(RegistrantDto, 'The registrants.'),
  unreadable: field<string[]>({
    ...{ type: [String], format: 'uuid', example: [] },
    description:
      'Ids of registrants whose details cannot be read now: remove them and add them again, or ask the operator.',
  }),
  max: positive('How many an account may have.', MAX_REGISTRANTS),
}) {}

/** @throws {ApiError} invalid_parameter; not_eligible without a number, as version 1 takes holders of one only */
export function readRegistrant(body: NewRegistrantBody): Registrant {
  const digits = body.number === undefined || body.number === null ? '' : body.number.trim();
  if (digits === '') throw refusal('not_eligible', 'noNumber');
  const number = digitsOf(digits);
  if (number === null || !hasCheckDigits(kindOfNumber(number), number))
    throw refusal('invalid_parameter', 'number');
  return {
    legalName: body.legal_name.trim(),
    ...{ idType: kindOfNumber(number), id: number, eligibilityType: body.type },
    contact: {
      ...{ name: body.contact_name.trim(), email: body.email.trim(), phone: readPhone(body.phone) },
      ...{ street: body.street.map((line) => line.trim()), city: body.city.trim() },
      ...{ state: body.state, postcode: body.postcode },
    },
  };
}

/** What stays of a registrant, as it would be sent. */
export function bodyOf({ legalName, id: number, eligibilityType, contact }: Registrant): NewRegistrantBody {
  const { name, email, phone, street, city, state, postcode } = contact;
  return {
    ...{ legal_name: legalName, number, type: eligibilityType, contact_name: name, email, phone },
    ...{ street: [...street], city, state, postcode },
  };
}

export function toRegistrantDto({
  id: own,
  registrant,
  createdAt,
  changedAt,
}: RegistrantProfile): RegistrantDto {
  const dates = { created_at: createdAt.toISOString(), changed_at: changedAt.toISOString() };
  return { id: own, ...bodyOf(registrant), number: registrant.id, ...dates };
}

/** As EPP has it: a country code, a point and the rest. */
function readPhone(text: string): string {
  const plain = text.replace(/[\s()-]/g, '');
  const [, national] = /^(?:\+?61\.?|0)([2-478]\d{8}|1[38]\d{4,8})$/.exec(plain) ?? [];
  if (national !== undefined) return `+61.${national}`;
  if (/^1[38]\d{4,8}$/.test(plain)) return `+61.${plain}`;
  if (/^(?=.{1,17}$)\+[1-9]\d{0,2}\.\d{4,14}$/.test(plain)) return plain;
  throw refusal('invalid_parameter', 'phone');
}
