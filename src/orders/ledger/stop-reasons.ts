/** Why no order begins. Orders that have begun are settled all the same. */
export const STOP_REASONS = {
  ledger: 'A balance of the ledger differs from its entries.',
  funds: 'The account at the registrar is short.',
  credentials: 'The registrar refuses our credentials.',
  restored: 'The database was restored from a backup and is not reconciled with the registrar.',
  operator: 'An operator stopped ordering.',
} as const;
export type StopReason = keyof typeof STOP_REASONS;

export const STOPS = Object.keys(STOP_REASONS) as StopReason[];
