import type { ConnectedApp } from '../../accounts/connected-apps.repository.js';
import { definePage, type PageView } from './page.js';

export interface ConnectView extends PageView {
  readonly name: string;
  readonly redirectUri: string;
  /** The app's request, signed. */
  readonly request: string;
  readonly email: string;
  readonly tier: string;
}

/** What somebody decides on. The name is the app's own word; where it sends people is not. */
export function connectPage(view: ConnectView): string {
  const { host, hostname } = new URL(view.redirectUri);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return askPage({ ...view, host, isHere });
}

const askPage = definePage<ConnectView & { host: string; isHere: boolean }>(
  'Connect an app?',
  `<p><strong><%= it.name %></strong> asks to use Bowerbird as you, <strong><%= it.email %></strong>.</p>
<p>It calls itself so; nobody has checked it. Your answer goes to
  <strong><%= it.host %></strong><% if (it.isHere) { %>, which is a program on this computer<% } %>.
  If you did not just start this in an app, refuse.</p>
<h2>It could</h2>
<ul>
  <li>use the tool server with all that your tier, <%= it.tier %>, includes;</li>
  <li>spend your records: they are the same as those of your API keys;</li>
  <li>go on with it until you disconnect it, under <a href="/profile/apps">connected apps</a>.</li>
</ul>
<p>It could not see or change your account, your keys or your webhooks, and nothing can be bought here.</p>
<form class="stack" method="post" action="/connect">
  <input type="hidden" name="request" value="<%= it.request %>">
  <button name="decision" value="allow">Connect it</button>
  <button name="decision" value="refuse" class="danger">Refuse</button>
</form>`,
  { signedIn: true, section: '/profile' },
);

export interface AppsView extends PageView {
  readonly apps: readonly ConnectedApp[];
}

export const appsPage = definePage<AppsView>(
  'Connected apps',
  `<p>Apps that use the tool server as you. They share the records of your API keys.</p>
<% if (it.apps.length > 0) { %>
<div class="table" role="region" aria-labelledby="your-apps" tabindex="0">
<table class="cards">
  <caption id="your-apps">Your apps</caption>
  <thead><tr><th scope="col">Name</th><th scope="col">Connected</th><th scope="col">Last token</th><th scope="col">Change</th></tr></thead>
  <tbody>
  <% for (const app of it.apps) { %>
  <tr>
    <th scope="row"><%= app.name %></th>
    <td data-label="Connected"><%= app.connectedAt.toISOString().slice(0, 10) %></td>
    <td data-label="Last token"><%= app.renewedAt ? app.renewedAt.toISOString().slice(0, 10) : 'none' %></td>
    <td>
      <form method="post" action="/profile/apps/<%= app.clientId %>/disconnect">
        <button class="danger">Disconnect<span class="visually-hidden"> the app <%= app.name %></span></button>
      </form>
    </td>
  </tr>
  <% } %>
  </tbody>
</table>
</div>
<% } else { %>
<p>You have connected none. An app that speaks MCP connects by itself: give it the address of the tool server for accounts,
  <code>/mcp/account</code>.</p>
<% } %>
<p><a href="/profile">Back to the account</a></p>`,
  { signedIn: true, section: '/profile' },
);
