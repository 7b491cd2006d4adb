import { definePage, type PageView } from './page.js';
import { LABEL_LENGTH, SUFFIXES } from '../../domains/schema/domain.js';
import { FEED_TYPES } from '../../domains/feed/domain-event.repository.js';
import { MAX_WEBHOOKS } from '../../notify/webhooks/webhook.js';
import type { ProofDto } from '../../notify/webhooks/proofs/webhook-proof.dto.js';
import { EVENT_WORDS, type LogRow, type WebhookRow } from './webhook-words.js';

const SIGNED_IN = { signedIn: true, section: '/profile/webhooks' };

interface ListView extends PageView {
  /** Null: the tier has none. */
  readonly rows: readonly WebhookRow[] | null;
}

const EVENT_BOXES = FEED_TYPES.map(
  (type, place) =>
    `<label><input type="checkbox" name="events" value="${type}"${place === 0 ? ' checked' : ''}> ${EVENT_WORDS[type] ?? type}</label>`,
).join('');
const SUFFIX_BOXES = SUFFIXES.map(
  (tld) => `<label><input type="checkbox" name="tld" value="${tld}"> .${tld}</label>`,
).join('');
const NUMBER = (name: string, label: string, min: number, max?: number) =>
  `<div><label for="${name}">${label}</label><input id="${name}" name="${name}" type="number" inputmode="numeric" min="${min}"${max === undefined ? '' : ` max="${max}"`}></div>`;

const MAKE = `<h2>Make a webhook</h2>
<form class="stack" method="post" action="/profile/webhooks">
  <label for="url">Address</label>
  <input id="url" name="url" type="url" required maxlength="2048" placeholder="https://example.com/hooks/bowerbird" autocomplete="off" spellcheck="false" aria-describedby="url-rule">
  <p id="url-rule" class="hint">https, at a public address. <a href="/docs/webhooks">How to verify what arrives</a></p>
  <label for="description">What it is for</label>
  <input id="description" name="description" maxlength="200" autocomplete="off">
  <fieldset><legend>Tell it when</legend>${EVENT_BOXES}</fieldset>
  <fieldset><legend>Of which names</legend><label><input type="checkbox" name="watched_only" value="yes"> only names and searches that I <a href="/watch">watch</a></label></fieldset>
  <details class="filters"><summary>Only some names</summary>
    <label for="q">With the text</label>
    <input id="q" name="q" maxlength="64" autocapitalize="none" autocomplete="off" spellcheck="false">
    <label for="mode">The text stands</label>
    <select id="mode" name="mode"><option value="contains">anywhere</option><option value="prefix">at the beginning</option><option value="suffix">at the end</option></select>
    <fieldset><legend>Suffix</legend>${SUFFIX_BOXES}</fieldset>
    <div class="fields">${NUMBER('min_length', 'Fewest letters', LABEL_LENGTH.min, LABEL_LENGTH.max)}${NUMBER('max_length', 'Most letters', LABEL_LENGTH.min, LABEL_LENGTH.max)}${NUMBER('min_wayback', 'Least score', 0)}</div>
  </details>
  <button>Make the webhook</button>
</form>`;

export const webhookListPage = definePage<ListView>(
  'Webhooks',
  `<% if (it.rows === null) { %>
<p>A webhook tells a program of yours of every name that drops and passes its filter, signed, within a second. Your tier has none: <a href="/pricing">see which does</a>.</p>
<% } else { %>
<% if (it.rows.length > 0) { %>
<div class="table" role="region" aria-label="Your webhooks" tabindex="0">
<table class="cards">
  <thead><tr><th scope="col">Webhook</th><th scope="col">Address</th><th scope="col">Told when</th><th scope="col">State</th></tr></thead>
  <tbody>
  <% for (const row of it.rows) { %>
  <tr>
    <th scope="row"><a href="/profile/webhooks/<%= row.id %>"><%= row.title %></a></th>
    <td data-label="Address"><code><%= row.url %></code></td>
    <td data-label="Told when"><%= row.told %></td>
    <td data-label="State"><span class="chip <%= row.state.tone %>"><%= row.state.words %></span></td>
  </tr>
  <% } %>
  </tbody>
</table>
</div>
<p class="hint"><%= it.rows.length %> of ${MAX_WEBHOOKS}</p>
<% } else { %><p>You have no webhook yet. One that you make is listed here, with what was delivered and what your program answered.</p><% } %>
${MAKE}
<% } %>`,
  SIGNED_IN,
);

interface WebhookView extends PageView {
  readonly row: WebhookRow;
  readonly proof: ProofDto;
  readonly isOn: boolean;
  /** Why it was switched off, if not by its owner. */
  readonly reason: string | null;
  readonly log: readonly LogRow[];
  readonly status: string | undefined;
  readonly next: string | null;
}

const PROOF = `<% if (!it.proof.proven_at && it.proof.unproven_pace_seconds > 0) { %>
<h2>Show that the host is yours</h2>
<p>Nobody has shown yet that <code><%= it.proof.host %></code> is yours. Until then one delivery in <%= it.proof.unproven_pace_seconds %> seconds is made to all such hosts of your account. Show it once, in one of two ways: the challenge for this address alone, the file for the whole host.</p>
<form class="stack" method="post" action="<%= it.path %>/prove"><input type="hidden" name="by" value="challenge">
  <p>Your program answers a signed <code>webhook.challenge</code> with a signature of its own: <a href="/docs/webhooks">how, in three lines</a>.</p>
  <button>Send the challenge</button></form>
<form class="stack" method="post" action="<%= it.path %>/prove"><input type="hidden" name="by" value="file">
  <p>A file at <code><%= it.proof.file.url %></code> holds this line:</p>
  <pre tabindex="0"><code><%= it.proof.file.line %></code></pre>
  <button class="quiet">Read the file</button></form>
<% } %>`;

const CHANGE = `<h2>Change it</h2>
<div class="actions">
  <form method="post" action="<%= it.path %>/<%= it.isOn ? 'pause' : 'resume' %>"><button class="quiet"><%= it.isOn ? 'Pause' : 'Switch on' %></button></form>
  <form method="post" action="<%= it.path %>/test"><button<% if (!it.isOn) { %> disabled<% } %>>Send a test</button></form>
</div>
<details class="filters"><summary>A new secret</summary>
<form class="stack" method="post" action="<%= it.path %>/rotate">
  <label for="overlap">The secret until now signs beside it for</label>
  <select id="overlap" name="overlap_seconds"><option value="86400">another day</option><option value="3600">another hour</option><option value="0">no longer: it leaked</option></select>
  <button>Make a new secret</button>
</form></details>
<details class="filters"><summary>Deliver again what was missed</summary>
<form class="stack" method="post" action="<%= it.path %>/replay">
  <label for="days">What happened in the last</label>
  <select id="days" name="days"><option value="1">day</option><option value="7">7 days</option><option value="30">30 days</option></select>
  <p class="hint">As new deliveries, of 10,000 events at most.</p>
  <button<% if (!it.isOn) { %> disabled<% } %>>Deliver again</button>
</form></details>
<details class="filters"><summary>Remove it</summary>
<form class="stack" method="post" action="<%= it.path %>/delete"><p>What waits is not delivered any more, and the log goes with it.</p><button class="danger">Remove the webhook</button></form></details>`;

const LOG = `<h2>What was delivered</h2>
<p class="actions"><% for (const { href, words, isOn } of it.filters) { %><a href="<%= href %>"<% if (isOn) { %> aria-current="true"<% } %>><%= words %></a> <% } %></p>
<% if (it.log.length > 0) { %>
<div class="table" role="region" aria-label="Deliveries" tabindex="0">
<table class="cards">
  <thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">State</th><th scope="col">Answer</th><th scope="col">Attempts</th><th scope="col">Again</th></tr></thead>
  <tbody>
  <% for (const one of it.log) { %>
  <tr>
    <th scope="row"><%= one.at %></th>
    <td data-label="What"><%= one.what %></td>
    <td data-label="State"><span class="chip <%= one.state.tone %>"><%= one.state.words %></span></td>
    <td data-label="Answer"><%= one.answer %><% if (one.text) { %><details><summary>What it said</summary><pre tabindex="0"><code><%= one.text %></code></pre></details><% } %></td>
    <td data-label="Attempts"><%= one.attempts %></td>
    <td><form method="post" action="<%= it.path %>/deliveries/<%= one.id %>/redeliver"><button class="quiet small"<% if (!it.isOn) { %> disabled<% } %>>Deliver again<span class="visually-hidden"> of <%= one.at %></span></button></form></td>
  </tr>
  <% } %>
  </tbody>
</table>
</div>
<% if (it.next) { %><p><a class="btn quiet" href="<%= it.next %>">Older ones</a></p><% } %>
<% } else { %><p>Nothing yet. Every delivery of the last 30 days is listed here, with what your program answered. Send a test to see one.</p><% } %>`;

interface RenderedWebhook extends WebhookView {
  readonly path: string;
  readonly filters: readonly { href: string; words: string; isOn: boolean }[];
}

const onePage = definePage<RenderedWebhook>(
  'Webhook',
  `<% if (it.reason) { %><p class="problem">It was switched off: <%= it.reason %></p><% } %>
<dl>
  <dt>For</dt><dd><%= it.row.title %></dd>
  <dt>Address</dt><dd><code><%= it.row.url %></code></dd>
  <dt>Told when</dt><dd><%= it.row.told %></dd>
  <dt>State</dt><dd><span class="chip <%= it.row.state.tone %>"><%= it.row.state.words %></span></dd>
  <dt>Host</dt><dd><% if (it.proof.proven_at) { %>shown to be yours<% } else { %>not shown to be yours<% } %></dd>
</dl>
${PROOF}
${CHANGE}
${LOG}
<p><a href="/profile/webhooks">All webhooks</a></p>`,
  SIGNED_IN,
);

const FILTERS = [
  [undefined, 'all'],
  ['pending', 'waiting'],
  ['delivered', 'delivered'],
  ['failed', 'given up'],
] as const;

export function webhookPage(view: WebhookView): string {
  const path = `/profile/webhooks/${view.row.id}`;
  const filters = FILTERS.map(([status, words]) => ({
    href: status === undefined ? path : `${path}?status=${status}`,
    words,
    isOn: status === view.status,
  }));
  return onePage({ ...view, path, filters });
}

interface SecretView extends PageView {
  readonly id: string;
  readonly secret: string;
}

/** The only page that ever holds a secret. */
export const webhookSecretPage = definePage<SecretView>(
  'The secret of your webhook',
  `<p>Deliveries are signed with it. <strong>Copy it now: it is shown this once.</strong></p>
<p class="key">
  <label for="secret">Secret</label>
  <input id="secret" readonly value="<%= it.secret %>" autocomplete="off" spellcheck="false" data-copy>
</p>
<p><a href="/profile/webhooks/<%= it.id %>">I have copied it</a></p>`,
  SIGNED_IN,
);
