import { Transform } from 'class-transformer';
import { ArrayMinSize, ArrayUnique, IsIn, IsUUID } from 'class-validator';
import { KEY_KINDS, type KeyKind, type Scope, SCOPES } from '../../access/api-key.js';
import { IsIntegerFrom } from '../../validation/numbers.js';
import { NameForm } from './account.dto.js';

const STALE_FORM = { message: 'This form is not complete. Load the page again.' };
const YEAR_DAYS = 365;
const WEEK_HOURS = 168;

export class CreateKeyForm extends NameForm {
  @IsUUID(4, STALE_FORM)
  submission: string;

  @IsIn(KEY_KINDS, STALE_FORM)
  kind: KeyKind;

  // One box ticked is sent as one value, several as a list.
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value))
  @ArrayMinSize(1, { message: 'Choose at least one scope.' })
  @ArrayUnique(STALE_FORM)
  @IsIn(SCOPES, { each: true, message: STALE_FORM.message })
  scopes: Scope[] = [];

  /** 0: until it is revoked. */
  @IsIntegerFrom(0, YEAR_DAYS)
  expires_days = 0;
}

export class ReplaceKeyForm {
  @IsUUID(4, STALE_FORM)
  submission: string;

  @IsIntegerFrom(0, WEEK_HOURS)
  overlap_hours = 0;
}

export class KeyPath {
  @IsUUID(undefined, { message: 'There is no such key.' })
  id: string;
}
