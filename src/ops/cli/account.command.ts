import { Argument, type Command } from 'commander';
import { TIER_NAMES, type TierName, TIERS } from '../../config/tiers.js';
import { type OrderFlags, takesReason } from './order-flags.js';

const MAX_LISTED = 1_000;
const ACCOUNT_TIERS = TIER_NAMES.filter((name) => TIERS[name].keyRequired);
const CHANGES = [
  ['disable', 'Let nobody sign in to an account, and none of its keys work, until it is enabled again.'],
  ['enable', 'Let an account work again.'],
  ['remove', 'Remove an account with its keys, webhooks and all that belongs to it, for good.'],
] as const;

/** `bowerbird account set-tier someone@example.com pro` */
export function registerAccount(program: Command): void {
  const account = program
    .command('account')
    .description(
      'Look at accounts, set their tier, disable and remove them. Works within a second on every instance.',
    );
  const load = () => import('./actions/account.action.js');
  const named = (word: string, description: string) =>
    account.command(word).description(description).argument('<email>', 'the address of the account');
  account
    .command('list')
    .description(
      `Print accounts, the newest first, ${MAX_LISTED} at most: address, tier, working keys, when made.`,
    )
    .action(async () => (await load()).listAccounts(MAX_LISTED));
  named('show', 'Print an account, with its keys and what belongs to it.').action(async (email: string) =>
    (await load()).showAccount(email),
  );
  named('usage', 'Print what is left of the budgets of an account.').action(async (email: string) =>
    (await load()).printUsage(email),
  );
  takesReason(
    named('set-tier', 'Put an account on a tier.').addArgument(
      new Argument('<tier>', 'the tier').choices(ACCOUNT_TIERS),
    ),
  ).action(async (email: string, tier: TierName, flags: OrderFlags) =>
    (await load()).setTier(email, tier, flags),
  );
  takesReason(named('revoke-keys', 'Revoke every key of an account, for good.')).action(
    async (email: string, flags: OrderFlags) => (await load()).revokeKeys(email, flags),
  );
  for (const [word, description] of CHANGES)
    takesReason(named(word, description)).action(async (email: string, flags: OrderFlags) =>
      (await load()).changeAccount(word, email, flags),
    );
}

/** `bowerbird keys list`, `bowerbird keys revoke ID --reason …` */
export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('Look at API keys, and revoke one.');
  keys
    .command('list')
    .description(`Print keys, the newest first, ${MAX_LISTED} at most: never their text.`)
    .option('--account <email>', 'only those of this account')
    .action(async ({ account }: { account?: string }) =>
      (await import('./actions/account.action.js')).listKeys(account ?? null, MAX_LISTED),
    );
  takesReason(
    keys
      .command('revoke')
      .description('Revoke a key, for good.')
      .argument('<id>', 'its id, as `keys list` prints it'),
  ).action(async (id: string, flags: OrderFlags) =>
    (await import('./actions/account.action.js')).revokeKey(id, flags),
  );
}
