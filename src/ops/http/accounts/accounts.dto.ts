import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsEmail, IsIn, IsOptional, IsUUID, MaxLength } from 'class-validator';
import { KEY_KINDS, type KeyKind, type Scope, SCOPES } from '../../../access/api-key.js';
import { Quota } from '../../../access/rate.dto.js';
import { Allowance } from '../../../access/tier.dto.js';
import { TIER_NAMES, type TierName, TIERS } from '../../../config/tiers.js';
import { IsIntegerFrom } from '../../../validation/numbers.js';
import { ReasonBody } from '../order.js';

const TIME = { type: String, format: 'date-time', example: '2026-11-22T05:00:00.000Z' } as const;
/** The tiers that an account can be on. */
export const ACCOUNT_TIERS = TIER_NAMES.filter((name) => TIERS[name].keyRequired);
export const MAX_LISTED = 1_000;
const DEFAULT_LIMIT = 100;

export class AccountAddress {
  // Not its address, which would stand in logs.
  @ApiProperty({ description: 'The id of the account, as the list has it.', format: 'uuid' })
  @IsUUID(undefined, { message: 'id must be the id of an account' })
  id: string;
}

export class KeyAddress {
  @ApiProperty({ description: 'The id of a key.', format: 'uuid' })
  @IsUUID(undefined, { message: 'id must be the id of a key' })
  id: string;
}

export class ListQuery {
  @ApiPropertyOptional({
    description: 'How many.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_LISTED,
    default: DEFAULT_LIMIT,
  })
  @IsOptional()
  @IsIntegerFrom(1, MAX_LISTED)
  limit: number = DEFAULT_LIMIT;
}

/** An account by its id or by its address. */
export type AccountReference = { readonly id: string } | { readonly email: string };

export class AccountsQuery extends ListQuery {
  @ApiPropertyOptional({ description: 'Only that with this address.', example: 'someone@example.com' })
  @IsOptional()
  @MaxLength(254, { message: 'email must be an e-mail address' })
  @IsEmail({ require_tld: false }, { message: 'email must be an e-mail address' })
  email?: string;
}

export class KeysQuery extends AccountsQuery {}

export class TierBody extends ReasonBody {
  @ApiProperty({ description: 'The tier.', enum: ACCOUNT_TIERS, example: 'pro' })
  @IsIn(ACCOUNT_TIERS, { message: `tier must be one of ${ACCOUNT_TIERS.join(', ')}` })
  tier: TierName;
}

@ApiSchema({ name: 'Account', description: 'An account, as operators see it.' })
export class AccountDto {
  @ApiProperty({ description: 'Its id, which the audit log names.', format: 'uuid' })
  id: string;

  @ApiProperty({ description: 'Its address.', example: 'someone@example.com' })
  email: string;

  @ApiProperty({ description: 'Whether the address was confirmed.', example: true })
  confirmed: boolean;

  @ApiProperty({ description: 'Its tier.', enum: TIER_NAMES, example: 'member' })
  tier: TierName;

  @ApiProperty({ ...TIME, description: 'When it was made.' })
  created_at: string;

  @ApiProperty({ description: 'Keys that work.', type: 'integer', example: 1 })
  working_keys: number;

  @ApiProperty({ ...TIME, nullable: true, description: 'Since when it is disabled; null: it is not.' })
  disabled_at: string | null;
}

@ApiSchema({ name: 'OperatorsKey', description: 'A key, as operators see it: never its text.' })
export class KeyDto {
  @ApiProperty({ description: 'Its id.', format: 'uuid' })
  id: string;

  @ApiProperty({ description: 'The account it belongs to.', example: 'someone@example.com' })
  email: string;

  @ApiProperty({ description: 'What its owner calls it.', example: 'production' })
  name: string;

  @ApiProperty({ description: 'Its kind.', enum: KEY_KINDS })
  kind: KeyKind;

  @ApiProperty({ description: 'What it may be used for.', enum: SCOPES, isArray: true })
  scopes: readonly Scope[];

  @ApiProperty({ description: 'How it begins and ends.', example: 'dau_live_A1b2…9zYx' })
  shown: string;

  @ApiProperty({ description: 'Whether it works now.', example: true })
  works: boolean;

  @ApiProperty({ ...TIME, description: 'When it was made.' })
  created_at: string;

  @ApiProperty({ ...TIME, nullable: true, description: 'When it ends by itself.' })
  expires_at: string | null;

  @ApiProperty({ ...TIME, nullable: true, description: 'When it was revoked.' })
  revoked_at: string | null;

  @ApiProperty({ ...TIME, nullable: true, description: 'When it was last used, to the minute.' })
  last_used_at: string | null;
}

@ApiSchema({ name: 'Accounts' })
export class Accounts {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [AccountDto], description: 'The newest first.' })
  accounts: AccountDto[];
}

@ApiSchema({ name: 'Keys' })
export class Keys {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [KeyDto], description: 'The newest first.' })
  keys: KeyDto[];
}

@ApiSchema({ name: 'MinuteBudget', description: 'What may be spent a minute.' })
export class MinuteBudget {
  @ApiProperty({ description: 'Records a minute.', type: 'integer', example: 600 })
  limit: number;

  @ApiProperty({
    description: 'Records left, of the minute and the longer budget.',
    type: 'integer',
    example: 590,
  })
  remaining: number;
}

@ApiSchema({ name: 'AccountUsage', description: 'What is left of the budgets of an account.' })
export class AccountUsage {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ description: 'Its tier.', enum: TIER_NAMES, example: 'pro' })
  tier: TierName;

  @ApiProperty({ type: Allowance, description: 'What the tier includes.' })
  includes: Allowance;

  @ApiProperty({ type: MinuteBudget })
  minute: MinuteBudget;

  @ApiProperty({ type: Quota, nullable: true, description: 'The longer budget; null: the tier has none.' })
  quota: Quota | null;
}

@ApiSchema({ name: 'AccountDetails', description: 'An account, and what belongs to it.' })
export class AccountDetails extends AccountDto {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [KeyDto], description: 'Its keys, the newest first; 100 at most.' })
  keys: KeyDto[];

  @ApiProperty({ description: 'Its webhooks.', type: 'integer', example: 0 })
  webhooks: number;

  @ApiProperty({ description: 'Browsers signed in to it.', type: 'integer', example: 1 })
  sessions: number;
}
