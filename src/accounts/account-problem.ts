/** What keeps a form from being done, in words for the person who sent it. */
export class AccountProblem extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 409 | 415 | 429,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** There is no session, or no longer: the page for signing in is shown instead. */
export class SignInRequired extends Error {}
