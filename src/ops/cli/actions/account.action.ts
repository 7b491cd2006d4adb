import type { AccountDto, KeyDto } from '../../http/accounts/accounts.dto.js';
import { OperatorAccounts } from '../../http/accounts/operator-accounts.js';
import type { TierName } from '../../../config/tiers.js';
import type { OrderFlags } from '../order-flags.js';
import { orderOf, print, withOperators } from './operators.action.js';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Prints the newest accounts. */
export async function listAccounts(limit: number): Promise<void> {
  const { accounts } = await withOperators(OperatorAccounts, (service) => service.list(limit));
  for (const account of accounts) process.stdout.write(`${describe(account)}\n`);
}

export async function showAccount(email: string): Promise<void> {
  print(await withOperators(OperatorAccounts, (accounts) => accounts.show({ email })));
}

export async function printUsage(email: string): Promise<void> {
  print(await withOperators(OperatorAccounts, (accounts) => accounts.usage({ email })));
}

export async function setTier(email: string, tier: TierName, flags: OrderFlags): Promise<void> {
  const order = orderOf(flags);
  const { email: found, before } = await withOperators(OperatorAccounts, (accounts) =>
    accounts.setTier({ email }, tier, order),
  );
  process.stdout.write(`${found}: ${before} -> ${tier}\n`);
}

export async function revokeKeys(email: string, flags: OrderFlags): Promise<void> {
  const order = orderOf(flags);
  const count = await withOperators(OperatorAccounts, (accounts) => accounts.revokeKeys({ email }, order));
  process.stdout.write(`${email}: ${count} ${count === 1 ? 'key' : 'keys'} revoked\n`);
}

export async function changeAccount(
  word: 'disable' | 'enable' | 'remove',
  email: string,
  flags: OrderFlags,
): Promise<void> {
  const order = orderOf(flags);
  const { changed } = await withOperators(OperatorAccounts, (accounts) =>
    word === 'remove'
      ? accounts.remove({ email }, order)
      : accounts.setDisabled({ email }, word === 'disable', order),
  );
  process.stdout.write(`${email} is ${word}d${changed ? '' : ', as it was'}\n`);
}

/** Prints the newest keys. @param email null: of all accounts */
export async function listKeys(email: string | null, limit: number): Promise<void> {
  const { keys } = await withOperators(OperatorAccounts, (accounts) => accounts.listKeys(email, limit));
  for (const key of keys) process.stdout.write(`${describeKey(key)}\n`);
}

export async function revokeKey(id: string, flags: OrderFlags): Promise<void> {
  if (!UUID.test(id)) throw new Error(`${id} is not the id of a key; \`keys list\` prints them.`);
  const order = orderOf(flags);
  await withOperators(OperatorAccounts, (accounts) => accounts.revokeKey(id, order));
  process.stdout.write(`${id} is revoked\n`);
}

function describe({ email, confirmed, disabled_at, tier, working_keys, created_at }: AccountDto): string {
  const state = disabled_at ? `${tier}, disabled` : tier;
  return [email, confirmed ? state : 'not confirmed', working_keys, created_at].join('\t');
}

function describeKey({ id, email, name, shown, works, last_used_at }: KeyDto): string {
  return [id, email, shown, works ? 'works' : 'ended', last_used_at ?? 'never used', name].join('\t');
}
