import { definePage, type PageView } from './page.js';
import { drawStacks, MAX_PARTS } from '../charts/stacks.js';
import { counted, dayInWords, grouped } from '../words.js';
import type { Metered } from '../../access/rate.dto.js';
import type { UsageHistory } from '../../api/usage/usage.dto.js';
import { daysBefore } from '../../api/usage/usage.service.js';

const OTHERS = 'other keys';
const WITHOUT_KEY = 'pages and apps';

interface Part {
  readonly id: string;
  readonly name: string;
  readonly records: number;
}

/** What was charged, by day and key, and what is left. */
export function usagePage(history: UsageHistory, left: Metered, tier: string): string {
  const parts = partsOf(history);
  const shown = shownOf(parts);
  const bars = daysOf(history).map((day) => ({
    day,
    label: labelOf(day),
    parts: partsOn(day, history, shown),
  }));
  const words = `Records by day and key, ${dayInWords(history.from)} to ${dayInWords(history.to)}: ${grouped(history.records)} in all. The table below has the numbers.`;
  return page({
    tier,
    left,
    total: counted(history.records, 'record'),
    chart:
      history.records === 0
        ? ''
        : drawStacks(
            bars,
            shown.map(({ id }) => id),
            words,
          ),
    legend: shown.map(({ name }, place) => ({ name, place })),
    keys: parts.map(({ name, records }) => ({ name, records: grouped(records) })),
    days: bars
      .map(({ day, parts: on }) => ({
        day: dayInWords(day),
        records: grouped(Object.values(on).reduce((sum, one) => sum + one, 0)),
      }))
      .reverse(),
  });
}

/** The keys that were charged, those that were charged most first. */
function partsOf({ results }: UsageHistory): Part[] {
  const parts = new Map<string, Part>();
  for (const { key_id, key_name, records } of results) {
    const id = key_id ?? WITHOUT_KEY;
    const name = key_id === null ? WITHOUT_KEY : (key_name ?? `a removed key (${key_id.slice(0, 8)})`);
    parts.set(id, { id, name, records: (parts.get(id)?.records ?? 0) + records });
  }
  return [...parts.values()].sort((one, other) => other.records - one.records);
}

/** As many as there are shades, and the others as one. */
function shownOf(parts: readonly Part[]): Part[] {
  if (parts.length <= MAX_PARTS) return [...parts];
  const others = parts.slice(MAX_PARTS - 1);
  const records = others.reduce((sum, part) => sum + part.records, 0);
  return [...parts.slice(0, MAX_PARTS - 1), { id: OTHERS, name: OTHERS, records }];
}

function partsOn(day: string, { results }: UsageHistory, shown: readonly Part[]): Record<string, number> {
  const parts: Record<string, number> = {};
  for (const { records, key_id } of results.filter((one) => one.day === day)) {
    const id = key_id ?? WITHOUT_KEY;
    const part = shown.some((one) => one.id === id) ? id : OTHERS;
    parts[part] = (parts[part] ?? 0) + records;
  }
  return parts;
}

function daysOf({ from, to }: UsageHistory): string[] {
  const days = [to];
  for (let day = to; day > from;) {
    day = daysBefore(day, 1);
    days.unshift(day);
  }
  return days;
}

const labelOf = (day: string) => dayInWords(day).replace(/ \d{4}$/, '');

interface View extends PageView {
  readonly tier: string;
  readonly left: Metered;
  readonly total: string;
  readonly chart: string;
  readonly legend: readonly { name: string; place: number }[];
  readonly keys: readonly { name: string; records: string }[];
  readonly days: readonly { day: string; records: string }[];
}

const page = definePage<View>(
  'Usage',
  `<dl class="count">
  <div><dt>left of <%= it.left.rate.limit_per_min %> records this minute</dt><dd><%= it.left.rate.remaining %></dd></div>
  <% if (it.left.quota) { %><div><dt>left of <%= it.left.quota.limit.toLocaleString('en-AU') %> this <%= it.left.quota.period %>, full again at <%= it.left.quota.resets_at.slice(0, 16).replace('T', ' ') %> UTC</dt><dd><%= it.left.quota.remaining.toLocaleString('en-AU') %></dd></div><% } %>
  <div><dt>tier, <a href="/pricing">what it includes</a></dt><dd><%= it.tier %></dd></div>
</dl>
<h2>The last 30 days</h2>
<p><%= it.total %>.</p>
<% if (it.chart) { %>
<%~ it.chart %>
<ul class="legend"><% for (const { name, place } of it.legend) { %><li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="part-<%= place %>" width="10" height="10"/></svg> <%= name %></li><% } %></ul>
<div class="table" role="region" aria-label="Records by key" tabindex="0">
<table><thead><tr><th scope="col">Key</th><th scope="col" class="n">Records</th></tr></thead>
<tbody><% for (const { name, records } of it.keys) { %><tr><th scope="row"><%= name %></th><td class="n"><%= records %></td></tr><% } %></tbody></table>
</div>
<details class="filters"><summary>By day</summary>
<table><thead><tr><th scope="col">Day (UTC)</th><th scope="col" class="n">Records</th></tr></thead>
<tbody><% for (const { day, records } of it.days) { %><tr><th scope="row"><%= day %></th><td class="n"><%= records %></td></tr><% } %></tbody></table>
</details>
<% } else { %>
<p>Nothing was charged yet. What your keys are charged is drawn here, a bar for each day and a shade for each key. <a href="/profile/api-keys">Make a key</a>, or <a href="/docs">start in five minutes</a>.</p>
<% } %>
<p><a href="/profile/usage.csv">As CSV</a>: the last 366 days by day and key. Programs ask <code>/api/v1/usage/history</code>; it is kept for 25 months.</p>`,
  { signedIn: true, section: '/profile/usage' },
);
