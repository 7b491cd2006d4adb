import { Transform } from 'class-transformer';
import { IsEmail, IsString, Length, Matches, MaxLength } from 'class-validator';
import { PASSWORD_MAX, PASSWORD_MIN } from '../../accounts/account-problem.js';

const EMAIL_MAX = 254;
const EMAIL_RULE = {
  message: 'Enter an e-mail address such as you@example.com, of plain letters, digits and . _ - + only.',
};
const TOKEN_MAX = 2000;
const NEW_PASSWORD_RULE = {
  message: `The password must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`,
};
const PASSWORD_RULE = { message: 'Enter your password.' };
export const CODE_MAX = 20;
export const CODE_RULE = { message: 'Enter the six digits of the app, or a recovery code.' };
const LINK_RULE = { message: 'This link is not complete. Open it again from the mail.' };

export class AddressForm {
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.trim().toLowerCase() : value,
  )
  @IsEmail({}, EMAIL_RULE)
  // What the accounts library takes; it would not say why it refuses the rest.
  @Matches(/^[\w'+.-]+@[a-z\d.-]+$/, EMAIL_RULE)
  @MaxLength(EMAIL_MAX, { message: 'The e-mail address is too long.' })
  @IsString(EMAIL_RULE)
  email: string;
}

export class SignInForm extends AddressForm {
  @IsString(PASSWORD_RULE)
  @Length(1, PASSWORD_MAX, PASSWORD_RULE)
  password: string;
}

export class ConfirmForm {
  @IsString(LINK_RULE)
  @Length(1, TOKEN_MAX, LINK_RULE)
  token: string;
}

export class NewPasswordForm extends ConfirmForm {
  @IsString(NEW_PASSWORD_RULE)
  @Length(PASSWORD_MIN, PASSWORD_MAX, NEW_PASSWORD_RULE)
  password: string;
}

/** A password that is being typed, for whom. */
export class StrengthForm {
  @IsString()
  @Length(PASSWORD_MIN, PASSWORD_MAX, NEW_PASSWORD_RULE)
  password: string;

  /** Of the link that the form was opened by; empty: somebody is signed in. */
  @MaxLength(TOKEN_MAX, LINK_RULE)
  @IsString(LINK_RULE)
  token = '';

  @MaxLength(EMAIL_MAX)
  @IsString()
  username = '';
}

export class ChangePasswordForm {
  // Sent along for password managers, which want to know whose password it is.
  @MaxLength(EMAIL_MAX)
  @IsString()
  username = '';

  @IsString(PASSWORD_RULE)
  @Length(1, PASSWORD_MAX, PASSWORD_RULE)
  current_password: string;

  @IsString(NEW_PASSWORD_RULE)
  @Length(PASSWORD_MIN, PASSWORD_MAX, NEW_PASSWORD_RULE)
  new_password: string;
}

export class DeleteForm {
  @IsString(PASSWORD_RULE)
  @Length(1, PASSWORD_MAX, PASSWORD_RULE)
  password: string;
}

export class CodeForm {
  @IsString(CODE_RULE)
  @Length(6, CODE_MAX, CODE_RULE)
  code: string;
}

/** What somebody calls a thing of theirs. */
export class NameForm {
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @Matches(/^[^\p{Cc}\p{Cf}]*$/u, { message: 'A name has no control characters and no invisible ones.' })
  @Matches(/^.{1,60}$/su, { message: 'A name has 1 to 60 characters.' })
  name: string;
}
