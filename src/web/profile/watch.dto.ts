import { IsIn, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { Transform } from 'class-transformer';
import { DoneQuery } from './notices.js';
import { MAIL_MODES, type MailMode, WATCHED_KINDS, type Watched } from '../../notify/watches/watch.js';

const MAX_NAME_LENGTH = 300;
const MAX_QUESTION_LENGTH = 1_500;
const STALE_FORM = { message: 'This form is not complete. Load the page again.' };

/** What is about to be watched, as it was chosen on another page before signing in. */
export class WatchQuery extends DoneQuery {
  @IsOptional()
  @IsString()
  @MaxLength(MAX_NAME_LENGTH)
  name?: string;

  @IsOptional()
  @IsString()
  @MaxLength(MAX_QUESTION_LENGTH)
  question?: string;
}

export class WatchForm {
  @IsOptional()
  @MaxLength(MAX_NAME_LENGTH, { message: 'This is longer than any name.' })
  @IsString(STALE_FORM)
  domain?: string;

  @IsOptional()
  @MaxLength(MAX_QUESTION_LENGTH, STALE_FORM)
  @IsString(STALE_FORM)
  question?: string;

  // One box ticked is sent as one value, several as a list.
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value))
  @IsIn(WATCHED_KINDS, { each: true, message: STALE_FORM.message })
  on: Watched[] = [];
}

export class MailsForm {
  @IsIn(MAIL_MODES, STALE_FORM)
  mails: MailMode;
}

export class WatchPath {
  @IsUUID(undefined, { message: 'You watch nothing of this kind.' })
  id: string;
}

export class TokenQuery {
  @MaxLength(200)
  @IsString({ message: 'This link is not complete. Open it again from where you found it.' })
  token: string;
}
