import { ApiSchema } from '@nestjs/swagger';
import { SCOPES } from '../../access/api-key.js';
import { Metered } from '../../access/rate.dto.js';
import { Allowance } from '../../access/tier.dto.js';
import { TIER_NAMES } from '../../config/tiers.js';
import { Day } from '../../domains/name/name-parameters.js';
import { day, id, many, OK, one, oneOf, orNull, shape, someOf, text, whole } from '../../validation/shape.js';

/** Answer of GET /api/v1/usage. */
@ApiSchema({ name: 'Usage', description: 'What is left of the budgets, and what the tier includes.' })
export class Usage extends shape({
  ...Metered.fields,
  ...OK,
  tier: oneOf(TIER_NAMES, "The account's tier.", 'starter'),
  scopes: someOf(SCOPES, 'What this key may be used for.', ['read']),
  includes: one(Allowance, 'What the tier includes.'),
}) {}

export class UsageHistoryQuery {
  @Day('First day, of UTC. Left out: 29 days before the last.', '2026-11-01')
  from?: string;

  @Day('Last day, of UTC. Left out: today.', '2026-11-30')
  to?: string;
}

@ApiSchema({ name: 'UsageOfDay', description: 'What one key was charged on one day.' })
export class UsageOfDay extends shape({
  day: day('The day, of UTC.', '2026-11-20'),
  key_id: orNull(
    id(
      'The key; null for what was asked on the pages by somebody signed in, or by an app that is connected.',
      '0b0a3c1e-6f5d-4f0e-9a51-0c8f1c7b2a4d',
    ),
  ),
  key_name: orNull(text('Its name; null where there is no key, or it was removed since.', 'My program')),
  records: whole('Records that were charged.', 1_250),
}) {}

/** Answer of GET /api/v1/usage/history. */
@ApiSchema({ name: 'UsageHistory', description: 'What the budgets charged, by day and key.' })
export class UsageHistory extends shape({
  ...OK,
  from: day('First day.', '2026-11-01'),
  to: day('Last day.', '2026-11-30'),
  records: whole('Records that were charged in all.', 31_400),
  results: many(
    UsageOfDay,
    'By day and key, the oldest first; a day on which a key was charged nothing has no entry.',
  ),
}) {}
