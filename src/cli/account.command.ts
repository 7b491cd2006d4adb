import { Argument, type Command } from 'commander';
import { type AccountRow, AccountRepository } from '../accounts/library/account.repository.js';
import { ApiKeyRepository } from '../auth/keys/api-key.repository.js';
import type { Database } from '../database/database.js';
import { TIER_NAMES, type TierName, TIERS } from '../tiers/tiers.js';
import { withDatabase } from './with-database.js';

const MAX_LISTED = 1_000;
const ACCOUNT_TIERS = TIER_NAMES.filter((name) => TIERS[name].keyRequired);

/** `bowerbird account set-tier someone@example.com pro` */
export function registerAccount(program: Command): void {
  const account = program
    .command('account')
    .description(
      'Look at accounts, set their tier, revoke their keys. Works within a second on every instance.',
    );
  account
    .command('list')
    .description(
      `Print accounts, the newest first, ${MAX_LISTED} at most: address, tier, working keys, when made.`,
    )
    .action(() => withDatabase(listAccounts));
  account
    .command('set-tier')
    .description('Put an account on a tier.')
    .argument('<email>', 'the address of the account')
    .addArgument(new Argument('<tier>', 'the tier').choices(ACCOUNT_TIERS))
    .action((email: string, tier: TierName) => withDatabase((database) => setTier(database, email, tier)));
  account
    .command('revoke-keys')
    .description('Revoke every key of an account, for good.')
    .argument('<email>', 'the address of the account')
    .action((email: string) => withDatabase((database) => revokeKeys(database, email)));
}

async function listAccounts(database: Database): Promise<void> {
  const accounts = await new AccountRepository(database).listAccounts(MAX_LISTED);
  for (const account of accounts) process.stdout.write(`${describe(account)}\n`);
}

async function setTier(database: Database, email: string, tier: TierName): Promise<void> {
  const accounts = new AccountRepository(database);
  const before = await find(accounts, email);
  await accounts.setTier(email, tier);
  process.stdout.write(`${before.email}: ${before.tier} -> ${tier}\n`);
}

async function revokeKeys(database: Database, email: string): Promise<void> {
  const { id } = await find(new AccountRepository(database), email);
  const count = await new ApiKeyRepository(database).revokeAllKeys(id);
  process.stdout.write(`${email}: ${count} ${count === 1 ? 'key' : 'keys'} revoked\n`);
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
