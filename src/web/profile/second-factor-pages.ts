import { PASSWORD_MAX } from '../../accounts/account-problem.js';
import type { NewFactor } from '../../accounts/second-factors.service.js';
import { definePage, type PageView } from './page.js';
import { qrCode } from './qr-code.js';
import type { FormView } from './sign-in-pages.js';

const PASSWORD = `
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="current-password" required maxlength="${PASSWORD_MAX}">`;

const CODE = `
  <label for="code">Code</label>
  <input id="code" name="code" autocomplete="one-time-code" required maxlength="20" aria-describedby="code-rule">`;

export const secondFactorPage = definePage<PageView & { isOn: boolean }>(
  'Second factor',
  `<% if (it.isOn) { %>
<p>Signing in takes your password and a code of your authenticator app.</p>
<form class="stack" method="post" action="/profile/second-factor/remove">${PASSWORD}
  <button class="danger">Ask for no code any more</button>
</form>
<% } else { %>
<p>With a second factor, a password that somebody has guessed or stolen does not open your account: signing in takes a code of an app on your
  phone as well.</p>
<form class="stack" method="post" action="/profile/second-factor">${PASSWORD}
  <button>Set it up</button>
</form>
<% } %>
<p><a href="/profile/security">Back to security</a></p>`,
  { signedIn: true, section: '/profile/security' },
);

/** The only page that ever holds the key. */
export async function newFactorPage(factor: NewFactor): Promise<string> {
  return setUpPage({ ...factor, picture: await qrCode(factor.uri, 'QR code of the key below') });
}

const setUpPage = definePage<PageView & NewFactor & { picture: string }>(
  'Set up the second factor',
  `<ol>
  <li>Show this to an authenticator app, or type the key: by time, with six digits.
    <%~ it.picture %>
    <code><%= it.key.replace(/.{4}(?=.)/g, '$& ') %></code>
    <br><a href="<%= it.uri %>">Open it in an app on this device</a></li>
  <li>Keep these recovery codes where you find them without your phone. Each works once, in the place of a code:
    <ul><% for (const code of it.recoveryCodes) { %><li><code><%= code %></code></li><% } %></ul></li>
  <li>Enter the code that the app shows. Before that, nothing is asked for.
    <form class="stack" method="post" action="/profile/second-factor/confirm">${CODE}
      <p id="code-rule" class="hint">Six digits.</p>
      <button>Turn it on</button>
    </form></li>
</ol>`,
  { signedIn: true, section: '/profile/security' },
);

export const codePage = definePage<FormView>(
  'Enter the code',
  `<form class="stack" method="post" action="/sign-in/code">${CODE}
  <p id="code-rule" class="hint">Six digits of your authenticator app, or one of your recovery codes.</p>
  <button>Sign in</button>
</form>
<p><a href="/sign-in">Start again</a></p>`,
);
