import { account } from './account.js';
import { check } from './check.js';
import { docs } from './docs.js';
import { drops } from './drops.js';
import { keys } from './keys.js';
import { layout } from './layout.js';
import { names } from './names.js';
import { ops } from './ops.js';
import { search } from './search.js';
import { shortlist } from './shortlist.js';
import { signing } from './signing.js';
import { status } from './status.js';
import { watches } from './watches.js';
import { webhooks } from './webhooks.js';

const locale = 'en-AU';
const numbers = new Intl.NumberFormat(locale);

/** The texts in Australian English, by page and key. Another language is another file of this shape. */
export const en = {
  locale,
  /** With separators: `2,000`. The formatter is made once: making one takes longer than a page. */
  number: (count: number): string => numbers.format(count),
  account,
  check,
  docs,
  drops,
  keys,
  layout,
  names,
  ops,
  search,
  shortlist,
  signing,
  status,
  watches,
  webhooks,
} as const;
