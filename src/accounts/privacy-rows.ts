import { PERSONAL, type PrivacyWords } from './personal-tables.js';

/** Tables that name people or networks, and belong to no account. */
export const OF_NO_ACCOUNT: Readonly<Record<string, PrivacyWords>> = {
  account_sign_up: {
    what: 'addresses not confirmed yet',
    why: 'the link that confirms them',
    period: 'until used or expired',
    code: 'src/accounts/account.repository.ts',
  },
  account_attempt: {
    what: 'attempts, by a hash of address and network',
    why: 'stopping guesses',
    period: 'an hour at most',
    code: 'src/accounts/account-purge.ts',
  },
  work: {
    what: 'what is due, by account or network',
    why: 'their order',
    period: 'ten minutes after the last run',
    code: 'src/work/work.repository.ts',
  },
  operator_session: {
    what: 'sessions of operators, as hashes',
    why: 'the pages at /ops',
    period: '8 hours',
    code: 'src/ops/operators.repository.ts',
  },
  operator_passkey: {
    what: 'passkeys of operators',
    why: 'signing in to /ops',
    period: 'until removed',
    code: 'src/ops/pages/passkeys.repository.ts',
  },
  network_rule: {
    what: 'networks blocked or allowed, and why',
    why: 'stopping abuse',
    period: 'until the rule ends',
    code: 'src/access/network.repository.ts',
  },
  taken_hour: {
    what: 'who took how much, by network (/24, /48), account, key',
    why: 'seeing abuse',
    period: '48 hours',
    code: 'src/access/network.repository.ts',
  },
  operator_import: {
    what: "operators' uploads: name, counts, rejected rows",
    why: 'reference',
    period: '30 days',
    code: 'src/ops/operators.repository.ts',
  },
};

/** The table of docs/PRIVACY.md. */
export function privacyRows(): string[][] {
  const rows = [
    ...Object.entries(PERSONAL).map(([table, { page }]) => [table, page] as const),
    ...Object.entries(OF_NO_ACCOUNT),
  ];
  const code = (text: string) => (text === 'none' ? text : `\`${text}\``);
  return [
    ['What', 'Where', 'Why', 'How long', 'Which code deletes it'],
    ...rows.map(([table, page]) => [page.what, code(table), page.why, page.period, code(page.code)]),
  ];
}
