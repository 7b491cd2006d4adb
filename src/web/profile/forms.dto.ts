import { MAX_CENTS } from '../../validation/formats.js';
import { applyDecorators, type Type } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsEmail,
  IsIn,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  MaxLength,
} from 'class-validator';
import { KEY_KINDS, type KeyKind, type Scope, ALL_SCOPES } from '../../access/api-key.js';
import { MAX_KEY_NETWORKS, networkIn, readNetworks } from '../../access/key-networks.js';
import { PASSWORD_MAX, PASSWORD_MIN } from '../../accounts/account-problem.js';
import { MAIL_MODES, type MailMode } from '../../notify/watches/watch.js';
import { type Suffix, SUFFIXES } from '../../domains/schema/domain.js';
import { MAX_HOSTS_LENGTH } from '../../orders/order/name-servers.js';
import { APPROVAL_TOKEN } from '../../orders/mandates/approval-links.js';
import { DELIVERY_STATES, type DeliveryState } from '../../notify/webhooks/webhook.js';
import { MAX_NAMES } from '../../api/check/check.dto.js';
import { IsIntegerFrom } from '../../validation/shape.js';
import { DoneQuery } from './page.js';
import { WATCHED_KINDS, type Watched } from '../../domains/schema/events.js';
import { fillIn, t } from '../../texts/texts.js';

const STALE_FORM = { message: t.forms.stale };

/** A single ticked box is sent as one value, several as a list. */
const AsList = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value));

/** Text of so many characters; the rule speaks of both. */
function TextOf(min: number, max: number, rule: { readonly message: string }): PropertyDecorator {
  return applyDecorators(IsString(rule), Length(min, max, rule));
}

/** The id in an address; nothing may exist by it. */
function idOf(what: string): Type<{ id: string }> {
  class Path {
    id: string;
  }
  IsUUID(undefined, { message: fillIn(t.forms.unknown, { what }) })(Path.prototype, 'id');
  return Path;
}

const EMAIL_MAX = 254;
const EMAIL_RULE = {
  message: t.forms.email,
};
const TOKEN_MAX = 2000;
const NEW_PASSWORD_RULE = {
  message: fillIn(t.forms.newPassword, { min: PASSWORD_MIN, max: PASSWORD_MAX }),
};
const PASSWORD_RULE = { message: t.forms.password };
export const CODE_MAX = 20;
const CODE_RULE = { message: t.forms.code };
const LINK_RULE = { message: t.forms.staleLink };

export class AddressForm {
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.trim().toLowerCase() : value,
  )
  @IsEmail({}, EMAIL_RULE)
  // The accounts library refuses other addresses without a reason.
  @Matches(/^[\w'+.-]+@[a-z\d.-]+$/, EMAIL_RULE)
  @MaxLength(EMAIL_MAX, { message: 'The email address is too long.' })
  @IsString(EMAIL_RULE)
  email: string;
}

export class SignInForm extends AddressForm {
  @TextOf(1, PASSWORD_MAX, PASSWORD_RULE)
  password: string;
}

export class ConfirmForm {
  @TextOf(1, TOKEN_MAX, LINK_RULE)
  token: string;
}

export class NewPasswordForm extends ConfirmForm {
  @TextOf(PASSWORD_MIN, PASSWORD_MAX, NEW_PASSWORD_RULE)
  password: string;
}

/** A password while it is typed. */
export class StrengthForm {
  @IsString()
  @Length(PASSWORD_MIN, PASSWORD_MAX, NEW_PASSWORD_RULE)
  password: string;

  /** Token of the mailed link; empty with a session. */
  @TextOf(0, TOKEN_MAX, LINK_RULE)
  token = '';

  @MaxLength(EMAIL_MAX)
  @IsString()
  username = '';
}

export class ChangePasswordForm {
  // For password managers.
  @MaxLength(EMAIL_MAX)
  @IsString()
  username = '';

  @TextOf(1, PASSWORD_MAX, PASSWORD_RULE)
  current_password: string;

  @TextOf(PASSWORD_MIN, PASSWORD_MAX, NEW_PASSWORD_RULE)
  new_password: string;
}

export class DeleteForm {
  @TextOf(1, PASSWORD_MAX, PASSWORD_RULE)
  password: string;
}

export class CodeForm {
  @TextOf(6, CODE_MAX, CODE_RULE)
  code: string;
}

export class RemoveFactorForm extends CodeForm {
  @TextOf(1, PASSWORD_MAX, PASSWORD_RULE)
  password: string;
}

/** A proof that it is the account holder. */
export class ConfirmIdentityForm extends DeleteForm {
  @TextOf(0, CODE_MAX, CODE_RULE)
  code = '';
}

export class NameForm {
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @Matches(/^[^\p{Cc}\p{Cf}]*$/u, { message: 'A name has no control characters and no invisible ones.' })
  @Matches(/^.{1,60}$/su, { message: 'A name has 1 to 60 characters.' })
  name: string;
}

const YEAR_DAYS = 365;
const WEEK_HOURS = 168;

const NETWORK_RULE = {
  message: fillIn(t.forms.networks, { max: MAX_KEY_NETWORKS }),
};

export class CreateKeyForm extends NameForm {
  @IsUUID(4, STALE_FORM)
  submission: string;

  @IsIn(KEY_KINDS, STALE_FORM)
  kind: KeyKind;

  @AsList()
  @ArrayMinSize(1, { message: 'Choose at least one scope.' })
  @ArrayUnique(STALE_FORM)
  @IsIn(ALL_SCOPES, { each: true, message: STALE_FORM.message })
  scopes: Scope[] = [];

  /** 0: until revoked. */
  @IsIntegerFrom(0, YEAR_DAYS)
  expires_days = 0;

  /** None: from anywhere. */
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? readNetworks(value).map((network) => networkIn(network)) : value,
  )
  @ArrayMaxSize(MAX_KEY_NETWORKS, NETWORK_RULE)
  @IsString({ each: true, ...NETWORK_RULE })
  networks: string[] = [];
}

export class ReplaceKeyForm {
  @IsUUID(4, STALE_FORM)
  submission: string;

  @IsIntegerFrom(0, WEEK_HOURS)
  overlap_hours = 0;
}

export class KeyPath extends idOf('key') {}

const ANSWER_MAX = 12_000;
const NO_ANSWER = { message: t.forms.noPasskey };

/** The answer of an authenticator as JSON, filled in by the page's script. */
export class PasskeyAnswerForm {
  @TextOf(0, ANSWER_MAX, NO_ANSWER)
  response: string;
}

export class BeginPasskeyForm extends DeleteForm {
  /** With a second factor. */
  @IsOptional()
  @TextOf(0, CODE_MAX, CODE_RULE)
  code?: string;
}

export class NewPasskeyForm extends NameForm {
  @TextOf(0, ANSWER_MAX, NO_ANSWER)
  response: string;
}

export class PasskeyPath extends idOf('passkey') {}

const MAX_NAME_LENGTH = 300;
const MAX_QUESTION_LENGTH = 1_500;
const MAX_REQUEST_LENGTH = 8_000;
const STALE_REQUEST = { message: t.forms.staleRequest };

export class DecisionForm {
  @TextOf(0, MAX_REQUEST_LENGTH, STALE_REQUEST)
  request: string;

  @IsIn(['allow', 'refuse'], STALE_REQUEST)
  decision: 'allow' | 'refuse';
}

/** A page of the activity list. */
export class ActivityQuery {
  @IsOptional()
  @IsIntegerFrom(1, Number.MAX_SAFE_INTEGER)
  before?: number;
}

const ROW_NUMBER = /^\d{1,18}$/;

/** The numbers of an order and of a movement: each list of the page begins behind its number. */
export class OrdersQuery extends DoneQuery {
  @IsOptional()
  @Matches(ROW_NUMBER, STALE_FORM)
  orders?: string;

  @IsOptional()
  @Matches(ROW_NUMBER, STALE_FORM)
  movements?: string;
}

export class SessionPath extends idOf('session') {}

/** A name or search chosen on another page before signing in. */
export class WatchQuery extends DoneQuery {
  @IsOptional()
  @IsString()
  @MaxLength(MAX_NAME_LENGTH)
  name?: string;

  @IsOptional()
  @IsString()
  @MaxLength(MAX_QUESTION_LENGTH)
  question?: string;

  /** The watch that was made. */
  @IsOptional()
  @IsUUID()
  id?: string;
}

export class WatchForm {
  @IsOptional()
  @MaxLength(MAX_NAME_LENGTH, { message: 'This is longer than any name.' })
  @IsString(STALE_FORM)
  domain?: string;

  @IsOptional()
  @TextOf(0, MAX_QUESTION_LENGTH, STALE_FORM)
  question?: string;

  /** Of a checked list. */
  @IsOptional()
  @TextOf(0, MAX_NAMES * MAX_NAME_LENGTH, STALE_FORM)
  names?: string;

  @AsList()
  @IsIn(WATCHED_KINDS, { each: true, message: STALE_FORM.message })
  on: Watched[] = [];
}

const MAX_LIST_LENGTH = 5_000;

export class ShortlistForm {
  @IsOptional()
  @TextOf(0, MAX_LIST_LENGTH, STALE_FORM)
  add?: string;

  @IsOptional()
  @TextOf(0, MAX_LIST_LENGTH, STALE_FORM)
  remove?: string;
}

export class MailsForm {
  @IsIn(MAIL_MODES, STALE_FORM)
  mails: MailMode;
}

export class WatchPath extends idOf('watch') {}

export class OrderPath extends idOf('order') {}

/** Agreements, each in a field of its own or all in one. */
export class AcceptForm {
  @Transform(({ value }: { value: unknown }) =>
    [value].flat().flatMap((one: unknown) => (typeof one === 'string' ? one.split(',') : [one])),
  )
  @ArrayMaxSize(20, STALE_FORM)
  @IsString({ each: true, ...STALE_FORM })
  accept: string[] = [];
}

/** Ticked: the name is renewed by itself, for so many cents a year at most, as the page has shown. */
export class RenewalForm extends AcceptForm {
  @IsOptional()
  @IsIntegerFrom(0, MAX_CENTS)
  renew_for?: number;
}

/** As they are typed, parted by anything; empty: the name is parked. */
export class NameServersForm {
  @TextOf(0, MAX_HOSTS_LENGTH, STALE_FORM)
  name_servers: string;
}

export class ApproveForm extends AcceptForm {
  /** The hash of what the page showed; a mailed link has its own. */
  @IsOptional()
  @Matches(/^[0-9a-f]{64}$/, STALE_FORM)
  terms?: string;

  /** Of a mailed link; without one, and without a passkey, the session proves its account holder. */
  @IsOptional()
  @Matches(APPROVAL_TOKEN, LINK_RULE)
  token?: string;

  /** Of a passkey. */
  @IsOptional()
  @TextOf(0, ANSWER_MAX, NO_ANSWER)
  response?: string;
}

export class ApprovalQuery {
  @Matches(APPROVAL_TOKEN, LINK_RULE)
  token: string;
}

const MAX_LIMIT_DOLLARS = 10_000;

export class MandateForm extends AcceptForm {
  @AsList()
  @ArrayMinSize(1, { message: 'programs: choose at least one.' })
  @ArrayMaxSize(20, STALE_FORM)
  @IsString({ each: true, ...STALE_FORM })
  programs: string[] = [];

  /** Its id, and a hash of what the page showed of it. */
  @Matches(/^[\da-f-]{36}\.[\w-]{43}$/, STALE_FORM)
  @IsString(STALE_FORM)
  registrant: string;

  @AsList()
  @ArrayMinSize(1, { message: 'suffixes: choose at least one.' })
  @ArrayUnique(STALE_FORM)
  @IsIn(SUFFIXES, { each: true, message: STALE_FORM.message })
  suffixes: Suffix[] = [];

  /** In dollars. */
  @IsIntegerFrom(1, MAX_LIMIT_DOLLARS)
  order_limit: number;

  @IsIntegerFrom(1, MAX_LIMIT_DOLLARS)
  month_limit: number;

  @IsOptional()
  @IsIn(['yes'], STALE_FORM)
  unknown?: string;

  @IsIn(['30', '90', '365'], STALE_FORM)
  days: string;
}

export class MandatePath extends idOf('mandate') {}

export class TokenQuery {
  @MaxLength(200)
  @IsString({ message: 'This link is not complete. Open it again from where you found it.' })
  token: string;
}

const MAX_TEXT = 2_500;

function Text(): PropertyDecorator {
  return applyDecorators(
    IsOptional(),
    TextOf(0, MAX_TEXT, STALE_FORM),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value)),
  );
}

/** The form as sent; NewWebhook validates the values. */
export class WebhookForm {
  @Text()
  url = '';

  @Text()
  description = '';

  @AsList()
  @IsString({ each: true, message: STALE_FORM.message })
  events: string[] = [];

  @IsOptional()
  @IsIn(['yes'], STALE_FORM)
  watched_only?: string;

  @AsList()
  @IsString({ each: true, message: STALE_FORM.message })
  tld: string[] = [];

  @Text()
  q = '';

  @Text()
  mode = 'contains';

  @Text()
  min_wayback = '';

  @Text()
  min_length = '';

  @Text()
  max_length = '';
}

export class RotateForm {
  @IsIn(['86400', '3600', '0'], STALE_FORM)
  overlap_seconds: string;
}

export class ProofForm {
  @IsIn(['challenge', 'file'], STALE_FORM)
  by: 'challenge' | 'file';
}

export class ReplayForm {
  @IsIn(['1', '7', '30'], STALE_FORM)
  days: string;
}

export class LogQuery extends DoneQuery {
  @IsOptional()
  @IsIn(DELIVERY_STATES, { message: 'This address is not complete.' })
  status?: DeliveryState;

  @IsOptional()
  @MaxLength(500)
  @IsString()
  cursor?: string;
}

/** The fields of NewWebhook, without empty ones. */
export function settingsIn(form: WebhookForm): Record<string, unknown> {
  const numbers = { min_wayback: form.min_wayback, min_length: form.min_length, max_length: form.max_length };
  const given = Object.entries(numbers).filter(([, text]) => text !== '');
  return {
    url: form.url,
    description: form.description,
    events: form.events,
    watched_only: form.watched_only !== undefined,
    tld: form.tld,
    mode: form.mode,
    ...(form.q !== '' && { q: form.q.toLowerCase() }),
    ...Object.fromEntries(given.map(([field, text]) => [field, Number(text)])),
  };
}
