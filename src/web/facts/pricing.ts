import { MAX_PAGE_SIZE, type Quota, type Tier, type TierName, type TierTable } from '../../config/tiers.js';
import { counted, fillIn, grouped, t } from '../../texts/texts.js';
import { renderLayout, type SiteView } from '../layout/layout.js';
import { template } from '../layout/templates.js';

const page = template('pricing');

/** @param words prices by tier, as the operator set them */
export function renderPricing(
  site: SiteView,
  table: TierTable,
  words: Readonly<Partial<Record<TierName, string>>>,
  { contact, takesOrders }: { readonly contact: string; readonly takesOrders: boolean },
  signedIn: boolean,
): string {
  const tiers = Object.values(table).filter(({ keyRequired }) => keyRequired);
  const open = Object.values(table).find(({ keyRequired }) => !keyRequired);
  const free = tiers[0]?.name;
  // The first plan without a small page: programs can live on it.
  const best = tiers.find(({ isPaid, pageSize }) => isPaid && pageSize === MAX_PAGE_SIZE)?.name;
  const plans = tiers.map((tier) => {
    const { name } = tier;
    const isFree = name === free;
    const signUp = site.hasAccounts && !signedIn && isFree;
    const price = words[name];
    const { title } = t.plans.names[name];
    return {
      ...t.plans.names[name],
      ...(isFree && price === undefined
        ? { price: dollarsOf(0), per: t.plans.noCard }
        : priceOf(price ?? t.plans.talk)),
      lines: linesOf(tier),
      isBest: name === best,
      href: signUp ? '/sign-up' : isFree ? null : contact,
      act: signUp ? t.plans.signUp : price === undefined ? t.plans.talk : fillIn(t.plans.choose, { title }),
    };
  });
  const without = open && fillIn(t.plans.without, { lines: linesOf(open).slice(0, -1).join(', ') });
  return renderLayout(site, {
    title: t.menu.pricing,
    description: t.docs.pricingAbout,
    canonical: '/pricing',
    section: '/pricing',
    signedIn,
    body: page({ groups: groupsOf(tiers), plans, contact, takesOrders, without: without ?? '' }),
  });
}

const dollarsOf = (count: number): string => `A$\u00a0${count}`;

/** `$149 a month`: the figure is large, and what it is for is not. */
function priceOf(words: string): { price: string; per: string } {
  const [, price = words, per = ''] = /^(.*?\d[\d,.]*)\s+(\S.*)$/.exec(words) ?? [];
  return { price, per };
}

/** What a plan is chosen by. */
function linesOf(tier: Tier): string[] {
  const { quota, recordsPerMinute, watchedNames, pageSize, fields, listRows, webhooks } = tier;
  const page = fillIn(t.plans.page, { names: counted(pageSize, 'name') });
  return [
    quota || tier.keyRequired
      ? quotaInWords(quota)
      : fillIn(t.plans.minute, { names: counted(recordsPerMinute, 'name') }),
    ...(watchedNames > 0 ? [fillIn(t.plans.watch, { names: counted(watchedNames, 'name') })] : []),
    tier.export ? t.plans.groups.bulk.rows.exports : webhooks ? t.plans.webhooks : page,
    ...(webhooks ? [page] : []),
    ...(tier.feed && !webhooks ? [t.plans.groups.bulk.rows.feed] : []),
    fields === 'full' && !webhooks ? t.plans.everyField : fillIn(t.plans.rows, { rows: grouped(listRows) }),
  ];
}

function quotaInWords(quota: Quota | null): string {
  return quota ? fillIn(t.plans[quota.period], { names: counted(quota.records, 'name') }) : t.plans.noCap;
}

const yesOrNo = (value: boolean): string => (value ? t.plans.yes : t.plans.no);

type Group = keyof typeof t.plans.groups;

/** What plans are compared by. */
const GROUPS: {
  readonly [G in Group]: Readonly<Record<keyof (typeof t.plans.groups)[G]['rows'], (tier: Tier) => string>>;
} = {
  names: {
    quota: ({ quota }) => quotaInWords(quota),
    minute: ({ recordsPerMinute }) => grouped(recordsPerMinute),
    rows: ({ listRows }) => grouped(listRows),
    pages: ({ listPages }) => grouped(listPages),
  },
  api: {
    key: ({ keyRequired }) => yesOrNo(keyRequired),
    requests: ({ requestsPerMinute }) => grouped(requestsPerMinute),
    page: ({ pageSize }) => grouped(pageSize),
    paging: ({ paging }) => yesOrNo(paging),
    fields: ({ fields }) => t.plans.fields[fields],
  },
  watching: {
    names: ({ watchedNames }) => grouped(watchedNames),
    searches: ({ savedSearches }) => grouped(savedSearches),
    webhooks: ({ webhooks }) => yesOrNo(webhooks),
  },
  bulk: {
    feed: ({ feed }) => yesOrNo(feed),
    exports: (tier) => yesOrNo(tier.export),
  },
};

function groupsOf(tiers: readonly Tier[]): object[] {
  return Object.entries(t.plans.groups).map(([group, { title, rows }]) => {
    const cells: Readonly<Record<string, (tier: Tier) => string>> = GROUPS[group as Group];
    return {
      title,
      rows: Object.entries(rows).map(([row, words]) => ({
        words,
        cells: tiers.map((tier) => cells[row]?.(tier)),
      })),
    };
  });
}
