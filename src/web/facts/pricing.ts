import type { Quota, Tier, TierName, TierTable } from '../../config/tiers.js';
import { counted, fillIn, grouped, t } from '../../texts/texts.js';
import { renderLayout, type SiteView } from '../layout/layout.js';
import { template } from '../layout/templates.js';

const page = template('pricing');

/** @param words prices by tier, as the operator set them */
export function renderPricing(
  site: SiteView,
  table: TierTable,
  words: Readonly<Partial<Record<TierName, string>>>,
  contact: string,
  signedIn: boolean,
): string {
  const tiers = Object.values(table);
  const free = tiers.find((tier) => tier.keyRequired)?.name;
  const plans = tiers.map((tier) => {
    const { name, keyRequired } = tier;
    const isFree = !keyRequired || name === free;
    const signUp = site.hasAccounts && !signedIn && name === free;
    return {
      ...t.plans.names[name],
      price: words[name] ?? (isFree ? t.plans.free : t.plans.talk),
      lines: linesOf(tier),
      href: signUp ? '/sign-up' : isFree ? null : contact,
      act: signUp ? t.plans.signUp : t.plans.talk,
    };
  });
  return renderLayout(site, {
    title: t.menu.pricing,
    description: t.docs.pricingAbout,
    canonical: '/pricing',
    section: '/pricing',
    signedIn,
    body: page({ groups: groupsOf(tiers), plans, contact }),
  });
}

/** What a plan is chosen by. */
function linesOf({ quota, recordsPerMinute, watchedNames, pageSize, webhooks }: Tier): string[] {
  return [
    quotaInWords(quota),
    fillIn(t.plans.minute, { names: counted(recordsPerMinute, 'name') }),
    fillIn(t.plans.page, { names: counted(pageSize, 'name') }),
    watchedNames > 0 ? fillIn(t.plans.watch, { names: counted(watchedNames, 'name') }) : t.plans.noWatching,
    ...(webhooks ? [t.plans.webhooks] : []),
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
