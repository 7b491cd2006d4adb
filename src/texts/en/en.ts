import { account } from './account.js';
import { check } from './check.js';
import { counts } from './counts.js';
import { docs } from './docs.js';
import { drops } from './drops.js';
import { eligibility } from './eligibility.js';
import { errors } from './errors.js';
import { events } from './events.js';
import { filters } from './filters.js';
import { forms } from './forms.js';
import { keys } from './keys.js';
import { layout } from './layout.js';
import { mails } from './mails.js';
import { mandates } from './mandates.js';
import { menu } from './menu.js';
import { badges, names } from './names.js';
import { ops } from './ops.js';
import { plans } from './plans.js';
import { profile } from './profile.js';
import { receipts } from './receipts.js';
import { ordering } from './ordering.js';
import { orders } from './orders.js';
import { script } from './script.js';
import { search } from './search.js';
import { shortlist } from './shortlist.js';
import { signing } from './signing.js';
import { status } from './status.js';
import { devices, sources, times } from './times.js';
import { watches } from './watches.js';
import { webhooks } from './webhooks.js';

/** The texts in Australian English, by page and key. Another language is another file of this shape. */
export const en = {
  locale: 'en-AU',
  account,
  badges,
  check,
  counts,
  devices,
  docs,
  drops,
  eligibility,
  errors,
  events,
  filters,
  forms,
  keys,
  layout,
  mails,
  mandates,
  menu,
  names,
  ops,
  plans,
  ordering,
  orders,
  profile,
  script,
  receipts,
  search,
  shortlist,
  signing,
  sources,
  status,
  times,
  watches,
  webhooks,
} as const;
