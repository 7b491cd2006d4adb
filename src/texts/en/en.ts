import { account } from './account.js';
import { check } from './check.js';
import { counts } from './counts.js';
import { docs } from './docs.js';
import { drops } from './drops.js';
import { keys } from './keys.js';
import { layout } from './layout.js';
import { mails } from './mails.js';
import { names } from './names.js';
import { ops } from './ops.js';
import { search } from './search.js';
import { shortlist } from './shortlist.js';
import { signing } from './signing.js';
import { status } from './status.js';
import { watches } from './watches.js';
import { webhooks } from './webhooks.js';

/** The texts in Australian English, by page and key. Another language is another file of this shape. */
export const en = {
  locale: 'en-AU',
  account,
  check,
  counts,
  docs,
  drops,
  keys,
  layout,
  mails,
  names,
  ops,
  search,
  shortlist,
  signing,
  status,
  watches,
  webhooks,
} as const;
