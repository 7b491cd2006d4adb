import { type KeyRefused, type KeyRefusal, MAX_WORKING_KEYS } from '../access/api-keys.service.js';

/** What keeps a form from being done, in words for the person who sent it. */
export class AccountProblem extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 409 | 415 | 429 | 503,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** There is no session, or no longer: the page for signing in is shown instead. */
export class SignInRequired extends Error {}

/** What the person is told whose keys stay as they are. */
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
