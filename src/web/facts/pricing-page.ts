import { type TierName, tierRows, type TierTable } from '../../config/tiers.js';
import { eta, renderLayout, type SiteView } from '../layout/layout.js';

const BODY = eta.compile(`
<main id="main" tabindex="-1" class="wrap main">
  <h1>What it costs</h1>
  <p class="lead">Reading these pages is free. Programs pay in records; each tier holds so many.</p>
  <% if (it.site.hasAccounts && !it.signedIn) { %><p class="actions"><a class="btn" href="/sign-up">Make a free account</a></p><% } %>
  <div class="table" role="region" aria-label="What each tier includes" tabindex="0">
  <table>
    <thead><tr><td></td><% for (const name of it.tiers) { %><th scope="col"><%= name %></th><% } %></tr></thead>
    <tbody>
      <tr><th scope="row">price</th><% for (const price of it.prices) { %><td><%= price %></td><% } %></tr>
      <% for (const [head, ...cells] of it.rows) { %><tr><th scope="row"><%= head %></th><% for (const cell of cells) { %><td><%= cell %></td><% } %></tr><% } %>
    </tbody>
  </table>
  </div>
  <h2>What a record is</h2>
  <p>One name in one answer. A search that returns 25 names costs 25 records; asking the registry about a name costs one; counters and the status cost none. What is refused or fails costs nothing.</p>
  <p>Lists on these pages cost no records. They end after so many rows, and so many pages in ten minutes, so that people can browse and copies are made by the API.</p>
  <p><a href="/api/v1/docs">The documents of the API</a></p>
</main>`);

/** What each tier includes, from the tier table. @param words what the operator asks for tiers */
export function renderPricing(
  site: SiteView,
  table: TierTable,
  words: Readonly<Partial<Record<TierName, string>>>,
  signedIn: boolean,
): string {
  const [, ...rows] = tierRows(table);
  const tiers = Object.values(table);
  const prices = tiers.map(({ name, keyRequired }) => {
    const asked = words[name];
    if (asked !== undefined) return asked;
    if (!keyRequired) return 'free, without an account';
    return name === tiers.find((tier) => tier.keyRequired)?.name ? 'free' : 'on request';
  });
  const body = eta.render(BODY, { site, signedIn, rows, prices, tiers: tiers.map(({ name }) => name) });
  return renderLayout(site, {
    title: 'What it costs',
    description: 'What each tier of the Bowerbird API includes, and what a record is.',
    canonical: '/pricing',
    section: '/pricing',
    signedIn,
    body,
  });
}
