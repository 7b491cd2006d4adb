import { momentInWords } from '../words.js';
import { CODE_MAX } from './account.dto.js';
import { PASSWORD_MAX } from '../../accounts/account-problem.js';
import type { Passkey } from '../../accounts/account.repository.js';
import { definePage, type PageView } from './page.js';

export interface SecurityView extends PageView {
  readonly passkeys: readonly Passkey[];
  /** Whether browsers take passkeys for the address of this service. */
  readonly takesPasskeys: boolean;
  readonly hasFactor: boolean;
}

export function securityPage(view: SecurityView): string {
  const rows = view.passkeys.map(({ id, name, createdAt, isSynced }) => ({
    id,
    name,
    made: momentInWords(createdAt),
    place: isSynced ? 'your devices' : 'one device',
  }));
  return page({ ...view, rows });
}

interface View extends SecurityView {
  readonly rows: readonly { id: string; name: string; made: string; place: string }[];
}

// Shown by the script where the browser knows passkeys; without it the words above it stand.
const ADD = `
<p class="hint" data-passkey-without>Adding a passkey takes JavaScript and a browser that knows passkeys (WebAuthn). All else here works without.</p>
<form class="stack" method="post" action="/profile/security/passkeys" data-passkey="add" hidden>
  <label for="name">Name</label>
  <input id="name" name="name" required maxlength="60" autocomplete="off" aria-describedby="name-rule">
  <p id="name-rule" class="hint">What you know it by, such as the device that it is on.</p>
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="current-password" required maxlength="${PASSWORD_MAX}">
  <% if (it.hasFactor) { %>
  <label for="code">Code</label>
  <input id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required maxlength="${CODE_MAX}" aria-describedby="code-rule">
  <p id="code-rule" class="hint">Of your authenticator app, or a recovery code.</p>
  <% } %>
  <input type="hidden" name="response">
  <button>Add a passkey</button>
</form>`;

const page = definePage<View>(
  'Security',
  `<h2>Passkeys</h2>
<p>A passkey signs you in with your device's PIN, finger or face, in the place of password and code. No other site can ask for it, and nothing that could be stolen is kept here.</p>
<% if (it.rows.length > 0) { %>
<div class="table" role="region" aria-labelledby="your-passkeys" tabindex="0">
<table class="cards">
  <caption id="your-passkeys">Your passkeys</caption>
  <thead><tr><th scope="col">Name</th><th scope="col">Added</th><th scope="col">On</th><th scope="col">Change</th></tr></thead>
  <tbody>
  <% for (const row of it.rows) { %>
  <tr>
    <th scope="row"><%= row.name %></th>
    <td data-label="Added"><%= row.made %></td>
    <td data-label="On"><%= row.place %></td>
    <td><details>
      <summary>Remove<span class="visually-hidden"> the passkey <%= row.name %></span></summary>
      <form class="stack" method="post" action="/profile/security/passkeys/<%= row.id %>/remove">
        <label for="password-<%= row.id %>">Password</label>
        <input id="password-<%= row.id %>" name="password" type="password" autocomplete="current-password" required maxlength="${PASSWORD_MAX}">
        <button class="danger">Remove it<span class="visually-hidden">: <%= row.name %></span></button>
      </form>
    </details></td>
  </tr>
  <% } %>
  </tbody>
</table>
</div>
<% } %>
<% if (it.takesPasskeys) { %>${ADD}<% } else { %><p class="hint">Passkeys need an https address with a name, which this service has not got.</p><% } %>

<h2>Second factor</h2>
<p><% if (it.hasFactor) { %>Signing in with the password takes a code of your authenticator app as well.<% } else { %>The password alone opens your account.<% } %>
  <a href="/profile/second-factor">Change that</a></p>

<h2>More</h2>
<p><a href="/profile">Change the password</a> · <a href="/profile/sessions">Where you are signed in</a> · <a href="/profile/activity">What was done with your account</a></p>`,
  { signedIn: true, section: '/profile/security', takesPasskeys: true },
);
