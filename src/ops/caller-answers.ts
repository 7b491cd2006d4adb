import { KEY_KINDS, ALL_SCOPES } from '../access/api-key.js';
import { Quota } from '../access/rate.dto.js';
import { Allowance } from '../access/tier.dto.js';
import { TIER_NAMES } from '../config/tiers.js';
import {
  count as anyCount,
  day,
  type Field,
  id,
  many,
  named as answer,
  OK,
  one,
  oneOf,
  orNull,
  shape,
  someOf,
  text,
  time as anyTime,
  yes as anyYes,
} from '../validation/shape.js';

// What commands answer about callers: accounts, keys and networks, and what they took. Every answer of operators has
// times, counts and flags with these examples.

export const time = (description: string): Field<string> => anyTime(description, '2026-11-22T05:00:00.000Z');
export const count = (description: string, example = 0): Field<number> => anyCount(description, example);
export const yes = (description: string, example = false): Field<boolean> => anyYes(description, example);

export const TierSet = answer('TierSet', 'The answer to a change of tier.', {
  ...OK,
  changed: yes('Whether anything is different now.', true),
  email: text('The address of the account.', 'someone@example.com'),
  before: oneOf(TIER_NAMES, 'The tier until now.'),
});
export const KeysRevoked = answer('KeysRevoked', 'The answer to the end of all keys of an account.', {
  ...OK,
  changed: yes('Whether anything is different now.', true),
  revoked: count('Keys that worked until now.', 2),
});

const ACCOUNT = {
  id: id('Its id, which the audit log names.'),
  email: text('Its address.', 'someone@example.com'),
  confirmed: yes('Whether the address was confirmed.', true),
  tier: oneOf(TIER_NAMES, 'Its tier.'),
  created_at: time('When it was created.'),
  working_keys: count('Keys that work.', 1),
  disabled_at: orNull(time('Since when it is disabled; null: it is not.')),
};
export const Account = answer('Account', 'An account, as operators see it.', ACCOUNT);
export const Key = answer('OperatorsKey', 'A key, as operators see it: never its text.', {
  id: id('Its id.'),
  email: text('The account it belongs to.', 'someone@example.com'),
  name: text('What its owner calls it.', 'production'),
  kind: oneOf(KEY_KINDS, 'Its kind.'),
  scopes: someOf(ALL_SCOPES, 'What it may be used for.'),
  shown: text('How it begins and ends.', 'dau_live_A1b2…9zYx'),
  works: yes('Whether it works now.', true),
  created_at: time('When it was created.'),
  expires_at: orNull(time('When it expires.')),
  revoked_at: orNull(time('When it was revoked.')),
  last_used_at: orNull(time('When it was last used, to the minute.')),
});
export const Accounts = answer('Accounts', 'Accounts.', {
  ...OK,
  accounts: many(Account, 'The newest first.'),
});
export const AccountDetails = answer('AccountDetails', 'An account, and what belongs to it.', {
  ...ACCOUNT,
  ...OK,
  keys: many(Key, 'Its keys, the newest first; 100 at most.'),
  webhooks: count('Its webhooks.'),
  sessions: count('Browsers signed in to it.', 1),
});
export const Subscriptions = answer('Subscriptions', 'Subscriptions at the payment provider.', {
  ...OK,
  subscriptions: many(
    shape({
      account: id('The account.'),
      email: text('Its address.', 'someone@example.com'),
      subscription: text("The provider's id.", 'sub_1PqXyZ'),
      tier: orNull(text('The tier that it pays for; null: none now.', 'pro')),
      is_ended: yes('Whether it has ended for good.'),
      happened_at: time('When its last event happened.'),
      account_tier: oneOf(TIER_NAMES, 'The tier of the account now.'),
    }),
    'The latest event first.',
  ),
});
export const Keys = answer('Keys', 'API keys.', { ...OK, keys: many(Key, 'The newest first.') });
const MinuteBudget = answer('MinuteBudget', 'The budget of a minute.', {
  limit: count('Records a minute.', 600),
  remaining: count('Records left, of the minute and the longer budget.', 590),
});
export const AccountUsage = answer('AccountUsage', 'What is left of the budgets of an account.', {
  ...OK,
  tier: oneOf(TIER_NAMES, 'Its tier.'),
  includes: one(Allowance, 'What the tier includes.'),
  minute: one(MinuteBudget),
  quota: orNull(one(Quota, 'The longer budget; null: the tier has none.')),
});

export const ChargedDay = answer('ChargedDay', 'What one key of one account was charged on one day.', {
  day: day('The day (UTC).', '2026-11-20'),
  account: id('The account.'),
  email: text('Its address.', 'ann@example.com'),
  tier: text('Its tier now.', 'pro'),
  key_id: orNull(id('The key; null: the pages, or a connected app.')),
  key_name: orNull(text('Its name; null: no key, or a key that was removed since.', 'My program')),
  records: count('Records that were charged.', 1_250),
});
export const Charged = answer('Charged', 'What the budgets charged, by account, key and day.', {
  ...OK,
  from: day('First day.', '2026-11-01'),
  to: day('Last day.', '2026-11-30'),
  records: count('Records on all pages.', 31_400),
  results: many(ChargedDay, 'The oldest day first, then by account and key.'),
  has_more: yes('Whether a page follows.'),
});

export const Takers = answer('Takers', 'Who takes most.', {
  ...OK,
  takers: many(
    shape({
      taker: text(
        '`network:…` (a /24 or /48, of callers without an account), `account:…` or `key:…`.',
        'network:203.0.113.0/24',
      ),
      records: count('Records that were sent.', 1_200),
      pages: count('Pages of lists.', 40),
      refusals: count('Requests that were refused.', 310),
    }),
    'The first by records, by pages or by refusals come first.',
  ),
});
export const NetworkRules = answer('NetworkRules', 'What operators have said of networks.', {
  ...OK,
  rules: many(
    shape({
      network: text('The network.', '203.0.113.0/24'),
      verdict: oneOf(['block', 'allow'], '`allow`: it is excepted from the shares of networks.'),
      reason: text('Why.', '310 sign-ups in 20 minutes'),
      set_by: text('Who.', 'operator:alice'),
      set_at: time('When.'),
      ends_at: time('Until when.'),
    }),
    'Those that hold now; the narrowest decides.',
  ),
});
