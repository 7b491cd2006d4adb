import { PASSWORD_MAX, PASSWORD_MIN } from '../../accounts/account-problem.js';
import { definePage, type PageView } from './page.js';

/** What was entered before, to be shown again; never a password. */
export interface FormView extends PageView {
  readonly email?: string | undefined;
  readonly token?: string | undefined;
}

const EMAIL = `
  <label for="email">E-mail address</label>
  <input id="email" name="email" type="email" autocomplete="username" required maxlength="254" value="<%= it.email ?? '' %>">`;

const NEW_PASSWORD = `
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="new-password" required
         minlength="${PASSWORD_MIN}" maxlength="${PASSWORD_MAX}" aria-describedby="password-rule" data-strength>
  <p id="password-rule" class="hint">At least ${PASSWORD_MIN} characters. Not your address, and none of those that everybody uses. A few words are better than odd signs.</p>`;

export const signUpPage = definePage<FormView>(
  'Sign up',
  `<p>An account is free, and so are its API keys. We need your e-mail address and nothing else; you choose a password when you have the mail.</p>
<form class="stack" method="post" action="/sign-up">${EMAIL}
  <button>Send me a link</button>
</form>
<p><a href="/sign-in">I have an account</a></p>`,
);

export const signInPage = definePage<FormView>(
  'Sign in',
  `<form class="stack" method="post" action="/sign-in">${EMAIL}
  <label for="password">Password</label>
  <input id="password" name="password" type="password" autocomplete="current-password" required maxlength="${PASSWORD_MAX}">
  <button>Sign in</button>
</form>
<form class="stack" method="post" action="/sign-in/passkey" data-passkey="sign-in" hidden>
  <input type="hidden" name="response">
  <button class="quiet">Sign in with a passkey</button>
</form>
<p class="hint" data-passkey-without>Signing in with a passkey takes JavaScript and a browser that knows passkeys.</p>
<p><a href="/forgotten-password">I forgot my password</a> · <a href="/sign-up">I have no account</a></p>`,
  { signedIn: false, section: '/sign-in', takesPasskeys: true },
);

// The same words whether the address has an account or not.
export const mailSentPage = definePage<FormView>(
  'Check your email',
  `<p>We have sent an e-mail to <strong><%= it.email %></strong>. The link in it works for an hour.</p>
<p>Nothing there? Look in the spam folder, then try again: <a href="/sign-up">sign up</a>, or <a href="/forgotten-password">choose a new password</a>.</p>`,
);

// A button and not the link alone: programs that look into mail follow links.
export const confirmEmailPage = definePage<FormView>(
  'Choose a password',
  `<form class="stack" method="post" action="/confirm-email">
  <input type="hidden" name="token" value="<%= it.token ?? '' %>">
  <p>This confirms your address and makes the account.</p>${NEW_PASSWORD}
  <button>Make my account</button>
</form>`,
);

export const forgottenPasswordPage = definePage<FormView>(
  'A new password',
  `<form class="stack" method="post" action="/forgotten-password">${EMAIL}
  <button>Send me a link</button>
</form>
<p><a href="/sign-in">Back to signing in</a></p>`,
);

export const newPasswordPage = definePage<FormView>(
  'Choose a new password',
  `<form class="stack" method="post" action="/new-password">
  <input type="hidden" name="token" value="<%= it.token ?? '' %>">${NEW_PASSWORD}
  <button>Save the password</button>
</form>
<p>Every session of the account ends. Your API keys go on working.</p>`,
);
