import { registerUrl } from '../../domains/schema/domain-view.js';
import type { Domain } from '../../domains/schema/domain.js';
import { barsOfYears, drawScore, drawSpark } from '../charts/bars.js';
import { eta } from '../layout/layout.js';
import { grouped, timeView, type TimeView } from '../words.js';
import { BADGES, type Standing, standingOfRow } from './standing.js';
import { sayerInWords } from './sayer.js';

/** A name in a list. */
export interface NameRow {
  readonly label: string;
  readonly tld: string;
  readonly score: string;
  readonly length: number;
  /** Markup. */
  readonly bar: string;
  /** Markup; empty: no year is known. */
  readonly spark: string;
  readonly dropped: TimeView | null;
  readonly chip: { readonly words: string; readonly tone: string };
  readonly said: TimeView | null;
  readonly saidBy: string;
  /** Null: nobody has said that it can be had. */
  readonly registerUrl: string | null;
}

export interface RowContext {
  readonly years: ReadonlyMap<string, Readonly<Record<string, number>>>;
  readonly registerUrlTemplate: string;
  readonly now: Date;
}

/** @param standing of the row, where a list knows better than the row alone */
export function toNameRow(
  row: Domain,
  { years, registerUrlTemplate, now }: RowContext,
  standing: Standing = standingOfRow(row),
): NameRow {
  const { saidAt, saidBy, badge } = standing;
  return {
    label: row.name,
    tld: row.tld,
    score: grouped(row.wayback),
    length: row.length,
    bar: drawScore(row.wayback),
    spark: drawSpark(barsOfYears(years.get(row.domain) ?? {})),
    dropped: row.droppedAt && timeView(row.droppedAt, now),
    chip: BADGES[badge],
    said: saidAt && timeView(saidAt, now),
    saidBy: saidBy === null ? '' : sayerInWords(saidBy),
    registerUrl: row.available ? registerUrl(registerUrlTemplate, row.domain) : null,
  };
}

const TABLE = eta.compile(`
<table class="cards names">
  <caption class="visually-hidden"><%= it.caption %></caption>
  <thead><tr><th scope="col">Name</th><th scope="col">Archive score</th><th scope="col" class="n">Length</th><th scope="col">Years in the archive</th><th scope="col">Dropped</th><th scope="col">State, and when it was learned</th><th scope="col"><span class="visually-hidden">What to do</span></th></tr></thead>
  <tbody>
  <% for (const row of it.rows) { %>
  <tr>
    <th scope="row"><a class="name" href="/domains/<%= row.label %>.<%= row.tld %>"><%= row.label %><wbr><i>.<%= row.tld %></i></a></th>
    <td class="score" data-label="Score"><%~ row.bar %><%= row.score %></td>
    <td class="n hide"><%= row.length %></td>
    <td class="hide"><%~ row.spark || '<small>not known</small>' %></td>
    <td class="hide"><% if (row.dropped) { %><small><time datetime="<%= row.dropped.iso %>" title="<%= row.dropped.full %>"><%= row.dropped.words %></time></small><% } else { %><small>not yet</small><% } %></td>
    <td class="said"><span class="chip <%= row.chip.tone %>"><%= row.chip.words %></span><% if (row.said) { %> <small title="<%= row.saidBy %>"><time datetime="<%= row.said.iso %>"><%= row.said.words %></time></small><% } %></td>
    <td class="n do"><% if (row.registerUrl) { %><a class="btn quiet small" rel="nofollow" href="<%= row.registerUrl %>">Register<span class="visually-hidden"> <%= row.label %>.<%= row.tld %></span></a><% } else { %><a class="btn quiet small" href="/domains/<%= row.label %>.<%= row.tld %>">Look<span class="visually-hidden"> at <%= row.label %>.<%= row.tld %></span></a><% } %></td>
  </tr>
  <% } %>
  </tbody>
</table>`);

/** Names as a table, which is cards where there is little room. */
export function renderNames(rows: readonly NameRow[], caption: string): string {
  return eta.render(TABLE, { rows, caption });
}
