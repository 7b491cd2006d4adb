/** A source that the operator trusts: who said that the names were free, and when they were. */
export interface Vouch {
  readonly by: string;
  readonly at: Date;
}

/** What `confirmed_by` has room for beside the word that says what it is. */
export const VOUCHER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;
export const VOUCHER_RULE = 'up to 40 letters, digits, dots, hyphens and underscores';
