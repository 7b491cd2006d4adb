import { type AccountRow, AccountRepository } from '../../accounts/library/account.repository.js';
import { ApiKeyRepository } from '../../auth/keys/api-key.repository.js';
import type { TierName } from '../../tiers/tiers.js';
import { withDatabase } from '../with-database.js';

/** Prints the newest accounts. */
export async function listAccounts(limit: number): Promise<void> {
  const accounts = await withDatabase((database) => new AccountRepository(database).listAccounts(limit));
  for (const account of accounts) process.stdout.write(`${describe(account)}\n`);
}

export async function setTier(email: string, tier: TierName): Promise<void> {
  await withDatabase(async (database) => {
    const accounts = new AccountRepository(database);
    const before = await find(accounts, email);
    await accounts.setTier(email, tier);
    process.stdout.write(`${before.email}: ${before.tier} -> ${tier}\n`);
  });
}

export async function revokeKeys(email: string): Promise<void> {
  await withDatabase(async (database) => {
    const { id } = await find(new AccountRepository(database), email);
    const count = await new ApiKeyRepository(database).revokeAllKeys(id);
    process.stdout.write(`${email}: ${count} ${count === 1 ? 'key' : 'keys'} revoked\n`);
  });
}

async function find(accounts: AccountRepository, email: string): Promise<AccountRow> {
  const account = await accounts.findAccount(email);
  if (!account) throw new Error(`There is no account ${email}.`);
  return account;
}

function describe({ email, confirmed, tier, workingKeys, createdAt }: AccountRow): string {
  const state = confirmed ? tier : 'not confirmed';
  return [email, state, workingKeys, createdAt.toISOString()].join('\t');
}
