import { IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { CODE_MAX, CODE_RULE, DeleteForm, NameForm } from './account.dto.js';

const ANSWER_MAX = 12_000;
const NO_ANSWER = { message: 'This takes JavaScript and a browser that knows passkeys (WebAuthn).' };

/** What an authenticator said, as JSON: the page's script has put it there. */
export class PasskeyAnswerForm {
  @MaxLength(ANSWER_MAX, NO_ANSWER)
  @IsString(NO_ANSWER)
  response: string;
}

export class BeginPasskeyForm extends DeleteForm {
  /** Where the second factor is on. */
  @IsOptional()
  @MaxLength(CODE_MAX, CODE_RULE)
  @IsString(CODE_RULE)
  code?: string;
}

export class NewPasskeyForm extends NameForm {
  @MaxLength(ANSWER_MAX, NO_ANSWER)
  @IsString(NO_ANSWER)
  response: string;
}

export class PasskeyPath {
  @IsUUID(undefined, { message: 'There is no such passkey.' })
  id: string;
}
