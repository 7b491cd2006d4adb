import { PASSWORD_MAX, PASSWORD_MIN } from '../../accounts/account-problem.js';
import { definePage, type PageView } from './page.js';

export interface ProfileView extends PageView {
  readonly email: string;
  readonly tier: string;
  /** Whether apps can be connected. */
  readonly takesApps: boolean;
}

export const profilePage = definePage<ProfileView>(
  'Account',
  `<dl>
  <dt>E-mail address</dt><dd><%= it.email %></dd>
  <dt>Tier</dt><dd><%= it.tier %></dd>
</dl>
<% if (it.takesApps) { %><p><a href="/profile/apps">Connected apps</a></p><% } %>

<p><a href="/profile/security">Passkeys and the second factor</a></p>
<p><a href="/profile/activity">What was done with your account</a></p>

<h2>Change the password</h2>
<form class="stack" method="post" action="/profile/password">
  <input type="text" name="username" value="<%= it.email %>" autocomplete="username" hidden>
  <label for="current">Current password</label>
  <input id="current" name="current_password" type="password" autocomplete="current-password" required maxlength="${PASSWORD_MAX}">
  <label for="new">New password</label>
  <input id="new" name="new_password" type="password" autocomplete="new-password" required
         minlength="${PASSWORD_MIN}" maxlength="${PASSWORD_MAX}" aria-describedby="new-rule" data-strength>
  <p id="new-rule" class="hint">At least ${PASSWORD_MIN} characters. You stay signed in here and are signed out elsewhere.</p>
  <button>Change the password</button>
</form>

<h2>Your data</h2>
<p><a href="/profile/data.json">All that is kept of your account</a>, as a file (JSON).</p>

<h2>Delete the account</h2>
<p>Its API keys stop working at once, and what you watch, your webhooks and your usage are gone. This cannot be undone.</p>
<form class="stack" method="post" action="/profile/delete">
  <label for="delete-password">Password</label>
  <input id="delete-password" name="password" type="password" autocomplete="current-password" required maxlength="${PASSWORD_MAX}">
  <button class="danger">Delete my account</button>
</form>`,
  { signedIn: true, section: '/profile' },
);
