import { type KeyRefusal, type KeyRefused, MAX_WORKING_KEYS } from '../access/api-keys.service.js';
import { isObject } from '../validation/unknown-values.js';

export const PASSWORD_MIN = 10;
export const PASSWORD_MAX = 128;

/** Why a form is refused, in words for the person who sent it. */
export class AccountProblem extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 409 | 415 | 429 | 503,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** There is no session, or it has ended. The sign-in page is shown instead. */
export class SignInRequired extends Error {}

/** The session has to prove its account holder first (step-up.ts). */
export class ProofRequired extends Error {}

/** Why a key was not made, replaced or revoked. */
export function problemOfKeys({ refusal }: KeyRefused): AccountProblem | SignInRequired {
  // The session ended with its account.
  if (refusal === 'no_account') return new SignInRequired();
  return new AccountProblem(refusal === 'no_key' ? 404 : 409, REFUSALS[refusal]);
}

const REFUSALS: Readonly<Record<Exclude<KeyRefusal, 'no_account'>, string>> = {
  no_key: 'There is no such key.',
  submitted_before: 'This form was sent before, and its key was shown then. Go back for another one.',
  too_many: `${MAX_WORKING_KEYS} keys work already. Revoke one that is not in use.`,
  not_replaceable: 'This key was replaced before or works no longer. Replace a newer one, or make one.',
};

// One answer for a wrong password and an unknown address, so that neither can be guessed.
const NOT_SIGNED_IN = new AccountProblem(
  401,
  'Wrong address or password. If you have no account yet, sign up first.',
);
export const LINK_IS_OLD = new AccountProblem(400, 'This link is wrong or has expired. Ask for a new one.');
export const WRONG_CODE = new AccountProblem(401, 'The code is not right.');
const NO_CODE_ANY_MORE = new AccountProblem(
  401,
  'That took too long, or too many codes were wrong. Start again with your password.',
);
const DISABLED = new AccountProblem(403, 'This account is disabled. Write to us if that is a mistake.');
const PASSKEY_TOO_LATE = new AccountProblem(401, 'That took too long, or was done already. Try again.');
export const PASSKEY_NOT_TAKEN = new AccountProblem(
  401,
  'The passkey was not taken. Try again, or use your password.',
);
const PROBLEMS: Readonly<Record<string, AccountProblem>> = {
  INVALID_EMAIL: new AccountProblem(400, 'This is not an email address.'),
  INVALID_EMAIL_OR_PASSWORD: NOT_SIGNED_IN,
  EMAIL_NOT_VERIFIED: NOT_SIGNED_IN,
  FAILED_TO_CREATE_SESSION: DISABLED,
  UNABLE_TO_CREATE_SESSION: DISABLED,
  CHALLENGE_NOT_FOUND: PASSKEY_TOO_LATE,
  PASSKEY_NOT_FOUND: new AccountProblem(401, 'No account has this passkey, or no longer. Use your password.'),
  AUTHENTICATION_FAILED: PASSKEY_NOT_TAKEN,
  FAILED_TO_VERIFY_REGISTRATION: PASSKEY_NOT_TAKEN,
  YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY: PASSKEY_TOO_LATE,
  USER_NOT_VERIFIED: new AccountProblem(
    401,
    'The passkey did not check that it is you: it has to ask for a PIN, a finger or a face.',
  ),
  INVALID_PASSWORD: new AccountProblem(401, 'The current password is not right.'),
  PASSWORD_TOO_SHORT: new AccountProblem(400, `The password needs at least ${PASSWORD_MIN} characters.`),
  PASSWORD_TOO_LONG: new AccountProblem(400, `The password may have ${PASSWORD_MAX} characters at most.`),
  INVALID_TOKEN: LINK_IS_OLD,
  TOKEN_EXPIRED: LINK_IS_OLD,
  INVALID_CODE: WRONG_CODE,
  INVALID_BACKUP_CODE: WRONG_CODE,
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: NO_CODE_ANY_MORE,
  INVALID_TWO_FACTOR_COOKIE: NO_CODE_ANY_MORE,
  ACCOUNT_TEMPORARILY_LOCKED: new AccountProblem(
    429,
    'Too many wrong codes. Try again in a quarter of an hour.',
    {
      'Retry-After': '900',
    },
  ),
  TOTP_ALREADY_ENABLED: new AccountProblem(409, 'A second factor is on already.'),
  TOTP_NOT_ENABLED: new AccountProblem(409, 'There is no second factor; set one up first.'),
  USER_NOT_FOUND: LINK_IS_OLD,
};

/** Whether a code was checked and is wrong, as opposed to not checked at all. */
export const isWrongCode = (problem: unknown): boolean => problem === WRONG_CODE;

/** The library's refusal in our words. */
export function problemOf(error: unknown): AccountProblem | undefined {
  // By shape: under Jest the library's error class may come from another realm.
  if (!isObject(error)) return undefined;
  const { body } = error;
  return isObject(body) ? PROBLEMS[String(body.code)] : undefined;
}
