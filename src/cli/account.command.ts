import { Argument, type Command } from 'commander';
import { TIER_NAMES, type TierName, TIERS } from '../tiers/tiers.js';

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
    .action(async () => (await import('./actions/account.action.js')).listAccounts(MAX_LISTED));
  account
    .command('set-tier')
    .description('Put an account on a tier.')
    .argument('<email>', 'the address of the account')
    .addArgument(new Argument('<tier>', 'the tier').choices(ACCOUNT_TIERS))
    .action(async (email: string, tier: TierName) =>
      (await import('./actions/account.action.js')).setTier(email, tier),
    );
  account
    .command('revoke-keys')
    .description('Revoke every key of an account, for good.')
    .argument('<email>', 'the address of the account')
    .action(async (email: string) => (await import('./actions/account.action.js')).revokeKeys(email));
}
