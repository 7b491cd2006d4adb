import { randomUUID } from 'node:crypto';
import { type ApiKey, isReplaceable, isWorking } from '../../access/api-key.repository.js';
import { type IssuedKey, MAX_WORKING_KEYS } from '../../access/api-keys.service.js';
import type { Metered } from '../../access/rate.dto.js';
import { definePage, type PageView } from './page.js';

export interface ApiKeysView extends PageView {
  readonly keys: readonly ApiKey[];
  readonly tier: string;
  readonly left: Metered;
}

export function apiKeysPage(view: ApiKeysView): string {
  const now = new Date();
  const keys = view.keys.map((key) => toKeyRow(key, now));
  return listPage({ ...view, keys, submission: randomUUID(), maxKeys: MAX_WORKING_KEYS });
}

/** A form makes one key, also when it is sent twice. */
interface FormOnce {
  readonly submission: string;
}

interface ListView extends Omit<ApiKeysView, 'keys'>, FormOnce {
  readonly keys: readonly KeyRow[];
  readonly maxKeys: number;
}

/** A key in words. */
interface KeyRow extends Pick<ApiKey, 'id' | 'name' | 'kind'>, FormOnce {
  readonly shown: string;
  readonly scopes: string;
  readonly state: string;
  readonly works: boolean;
  readonly isReplaceable: boolean;
  readonly created: string;
  readonly lastUsed: string;
}

function toKeyRow(key: ApiKey, now: Date): KeyRow {
  const works = isWorking(key, now);
  return {
    id: key.id,
    name: key.name,
    kind: key.kind,
    shown: `${key.start}…${key.tail}`,
    scopes: key.scopes.join(', '),
    state: stateOf(key, works),
    submission: randomUUID(),
    works,
    isReplaceable: isReplaceable(key, now),
    created: inWords(key.createdAt),
    lastUsed: key.lastUsedAt ? inWords(key.lastUsedAt) : 'never',
  };
}

function stateOf(key: ApiKey, works: boolean): string {
  if (key.revokedAt) return `revoked ${inWords(key.revokedAt)}`;
  if (!key.expiresAt) return 'works until it is revoked';
  if (!works) return `expired ${inWords(key.expiresAt)}`;
  return `${key.replacedAt ? 'replaced, ' : ''}works until ${inWords(key.expiresAt)}`;
}

/** To the minute: `2026-11-20 10:05 UTC`. */
function inWords(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const listPage = definePage<ListView>(
  'API keys',
  `<p>Tier <strong><%= it.tier %></strong>. Left: <strong><%= it.left.rate.remaining %></strong> of <%= it.left.rate.limit_per_min %> records this
  minute<% if (it.left.quota) { %>, <strong><%= it.left.quota.remaining %></strong> of <%= it.left.quota.limit %> this <%= it.left.quota.period %>
  (full again at <%= it.left.quota.resets_at.slice(0, 16).replace('T', ' ') %> UTC)<% } %>. All keys share it.</p>

<% if (it.keys.length > 0) { %>
<div class="table" role="region" aria-labelledby="your-keys" tabindex="0">
<table class="cards">
  <caption id="your-keys">Your keys</caption>
  <thead><tr><th scope="col">Name</th><th scope="col">Key</th><th scope="col">Scopes</th><th scope="col">Made</th><th scope="col">Last used</th><th scope="col">State</th><th scope="col">Change</th></tr></thead>
  <tbody>
  <% for (const key of it.keys) { %>
  <tr>
    <th scope="row"><%= key.name %></th>
    <td data-label="Key"><code><%= key.shown %></code></td>
    <td data-label="Scopes"><%= key.scopes %><% if (key.kind === 'test') { %> (test)<% } %></td>
    <td data-label="Made"><%= key.created %></td>
    <td data-label="Last used"><%= key.lastUsed %></td>
    <td data-label="State"><%= key.state %></td>
    <td>
      <details>
        <summary>Change<span class="visually-hidden"> the key <%= key.name %></span></summary>
        <form class="stack" method="post" action="/profile/api-keys/<%= key.id %>/rename">
          <label for="name-<%= key.id %>">New name</label>
          <input id="name-<%= key.id %>" name="name" required maxlength="60" value="<%= key.name %>" autocomplete="off">
          <button>Rename</button>
        </form>
        <% if (key.isReplaceable) { %>
        <form class="stack" method="post" action="/profile/api-keys/<%= key.id %>/rotate">
          <input type="hidden" name="submission" value="<%= key.submission %>">
          <label for="overlap-<%= key.id %>">Replace it; the old key works for</label>
          <select id="overlap-<%= key.id %>" name="overlap_hours">
            <option value="0">no longer</option><option value="1">another hour</option>
            <option value="24" selected>another day</option><option value="168">another week</option>
          </select>
          <button>Replace</button>
        </form>
        <% } %>
        <% if (key.works) { %>
        <form class="stack" method="post" action="/profile/api-keys/<%= key.id %>/revoke">
          <p>A revoked key stops working at once, for good.</p>
          <button class="danger">Revoke<span class="visually-hidden"> the key <%= key.name %></span></button>
        </form>
        <% } %>
      </details>
    </td>
  </tr>
  <% } %>
  </tbody>
</table>
</div>
<% } else { %>
<p>You have no keys yet. A key that you make is listed here with its last use and the day on which it ends.</p>
<% } %>

<h2>Make a key</h2>
<form class="stack" method="post" action="/profile/api-keys">
  <input type="hidden" name="submission" value="<%= it.submission %>">
  <label for="name">Name</label>
  <input id="name" name="name" required maxlength="60" autocomplete="off" aria-describedby="name-rule">
  <p id="name-rule" class="hint">What it is for, such as the program that will use it. At most <%= it.maxKeys %> keys can work at a time.</p>
  <fieldset>
    <legend>Kind</legend>
    <label><input type="radio" name="kind" value="live" checked> Live</label>
    <label><input type="radio" name="kind" value="test"> Test: answers as a live key does, on the small budget of the demo</label>
  </fieldset>
  <fieldset>
    <legend>Scopes</legend>
    <label><input type="checkbox" name="scopes" value="read" checked> read: search, check, reports</label>
    <label><input type="checkbox" name="scopes" value="webhooks"> webhooks (from tier pro on)</label>
    <label><input type="checkbox" name="scopes" value="export"> export (tier firehose)</label>
  </fieldset>
  <label for="expires">Works for</label>
  <select id="expires" name="expires_days">
    <option value="30">30 days</option><option value="90">90 days</option><option value="365" selected>a year</option><option value="0">ever, until it is revoked</option>
  </select>
  <button>Make the key</button>
</form>`,
  { signedIn: true, section: '/profile/api-keys' },
);

/**
 * The only page that ever holds a key.
 *
 * @param exampleUrl what it can be tried on
 */
export function newKeyPage({ text, key }: IssuedKey, exampleUrl: string): string {
  return issuedPage({ text, name: key.name, state: stateOf(key, isWorking(key, new Date())), exampleUrl });
}

interface IssuedView extends PageView {
  readonly text: string;
  readonly name: string;
  readonly state: string;
  readonly exampleUrl: string;
}

const issuedPage = definePage<IssuedView>(
  'Your new key',
  `<p>This is the key <strong><%= it.name %></strong>; it <%= it.state %>. <strong>Copy it now: it is shown this once and stored nowhere.</strong></p>
<p class="key">
  <label for="key">Key</label>
  <input id="key" readonly value="<%= it.text %>" autocomplete="off" spellcheck="false" data-copy>
</p>
<p>Send it in a header, never in an address:</p>
<pre tabindex="0"><code>curl -H "Authorization: Bearer $BOWERBIRD_KEY" '<%= it.exampleUrl %>'</code></pre>
<p><a href="/profile/api-keys">I have copied it</a></p>`,
  { signedIn: true },
);
