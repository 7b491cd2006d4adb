import { IsIn, IsOptional } from 'class-validator';
import { PASSWORD_MAX, PASSWORD_MIN } from '../../accounts/account-problem.js';
import { STRENGTH_WORDS, STRENGTHS, type Strength } from '../../accounts/password-rules.js';
import { renderLayout, type SiteView } from '../layout/layout.js';
import { template } from '../layout/templates.js';
import { t } from '../../texts/texts.js';

// No page of an account has an address to share, and none shows an answer of a registry.
const SITE: SiteView = { baseUrl: '', hasAccounts: true, isSandbox: false };

const ORDERS = '/profile/orders';

const PLACES = [
  { path: '/profile', name: 'Account' },
  { path: '/profile/usage', name: 'Usage' },
  { path: '/profile/api-keys', name: 'API keys' },
  { path: '/profile/webhooks', name: 'Webhooks' },
  { path: '/profile/security', name: 'Security' },
  { path: '/profile/sessions', name: 'Sessions' },
];

/** What any page can show above its own content. */
export interface PageView {
  /** Why the form was refused. */
  readonly problem?: string | undefined;
  /** The result of the previous page. */
  readonly notice?: string | undefined;
  /** Replaces the title. */
  readonly heading?: string;
}

interface PageOptions {
  readonly title: string;
  readonly signedIn?: boolean;
  /** Path of its entry in the header. */
  readonly section?: string;
  /** Whether the page loads passkeys.js. */
  readonly takesPasskeys?: boolean;
}

const frame = template('account');
const LIMITS = { passwordLength: { min: PASSWORD_MIN, max: PASSWORD_MAX } };

// The parameter is what ties a page to its view at each definition.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function definePage<View extends object = Readonly<Record<string, unknown>>>(
  name: string,
  { title, signedIn = true, section = '/profile', takesPasskeys = false }: PageOptions,
): (view: View & PageView) => string {
  const content = template(name);
  const own = section === ORDERS ? [{ path: ORDERS, name: t.orders.tab }] : [];
  const places = section.startsWith('/profile') && signedIn ? [...PLACES, ...own] : [];
  return (view) => {
    const { problem, notice, heading = title } = view;
    const parts = {
      title: heading,
      problem,
      notice,
      section,
      places,
      content: content({ ...LIMITS, ...view }),
    };
    const page = { title: heading, signedIn, section, scripted: true, takesPasskeys };
    return renderLayout(SITE, { ...page, body: frame(parts) });
  };
}

export const SIGNED_OUT = { signedIn: false, section: '/sign-in' };

interface ProblemView {
  readonly back: string;
  readonly requestId: string;
}

/** For what no page of its own can answer. */
export const problemPage = definePage<ProblemView>('problem', { title: 'That did not work' });
export const strangersProblemPage = definePage<ProblemView>('problem', {
  title: 'That did not work',
  ...SIGNED_OUT,
});

/** Values that the visitor entered, shown again; never a password. */
export interface FormView extends PageView {
  readonly email?: string | undefined;
  readonly token?: string | undefined;
}

function formPage(name: string, title: string, options: object = {}): (view: FormView) => string {
  const page = definePage<FormView>(name, { title, ...SIGNED_OUT, ...options });
  return (view) => page({ email: undefined, token: undefined, ...view });
}

export const signUpPage = formPage('sign-up', 'Sign up');
export const signInPage = formPage('sign-in', 'Sign in', { takesPasskeys: true });
export const confirmIdentityPage = formPage('confirm-identity', 'Confirm that it is you', {
  takesPasskeys: true,
});
export const codePage = formPage('sign-in-code', 'Enter the code');
// The same text whether the address has an account or not.
export const mailSentPage = formPage('mail-sent', 'Check your email');
// Mailed links lead to a button: programs that scan mail follow links.
export const confirmEmailPage = formPage('confirm-email', 'Choose a password');
export const forgottenPasswordPage = formPage('forgotten-password', 'A new password');
export const newPasswordPage = formPage('new-password', 'Choose a new password');

const CONFIRMED = 'Your address is confirmed, and your account is made.';
const SET = 'Your new password is saved. Passkeys work on: remove those that are not yours, under Security.';
const CHANGED = 'Your password is changed, and your other sessions are ended.';

/** Results of the previous page. Fixed texts, because an attacker can send an address to a visitor. */
const NOTICES = {
  ...withStrength('confirmed', CONFIRMED),
  ...withStrength('password-set', SET),
  ...withStrength('password-changed', CHANGED),
  'signed-out': 'You are signed out.',
  'factor-on': 'The second factor is on.',
  'factor-off': 'The second factor is off.',
  'passkey-added': 'The passkey is added. You can sign in with it now.',
  'passkey-removed':
    'The passkey is removed and no longer works. Your device may still offer it: delete it there too.',
  deleted: 'Your account is deleted, and its keys work no longer.',
  renamed: 'The key has its new name.',
  revoked: 'The key is revoked.',
  watching: 'We’re now watching it.',
  unwatched: 'Stopped watching.',
  'mails-saved': 'Saved.',
  'session-ended': 'The session has ended.',
  'sessions-ended': 'All other sessions have ended.',
  paused: 'The webhook is paused. You can have missed events delivered again later.',
  resumed: 'The webhook is on again.',
  'under-way': 'Sending. The result appears below.',
  'host-proven': 'The host is proven. Deliveries to it go at full pace.',
  'webhook-removed': 'The webhook is removed.',
  'order-approved': 'Approved. The money is set aside, and the order is on its way.',
  'order-cancelled': 'The order is cancelled.',
  'registrant-saved': 'The registrant is saved.',
  'registrant-removed': 'The registrant is removed. Orders that were placed keep it.',
  'mandate-made': 'The mandate is made. The programs that you named can use it from now on.',
  'mandate-accepted': 'Accepted. The mandate is on again.',
  'mandate-ended': 'The mandate has ended. Each order of these programs waits for you again.',
  'feed-renewed': 'The feed has a new address, and the old one works no longer.',
} as const;

function withStrength<Done extends string>(done: Done, text: string): Record<`${Done}-${Strength}`, string> {
  const notices = STRENGTHS.map(
    (strength) => [`${done}-${strength}`, `${text} ${STRENGTH_WORDS[strength]}`] as const,
  );
  return Object.fromEntries(notices) as Record<`${Done}-${Strength}`, string>;
}

type Notice = keyof typeof NOTICES;

export class DoneQuery {
  @IsOptional()
  @IsIn(Object.keys(NOTICES), { message: 'This address is not complete.' })
  done?: Notice;
}

export function noticeOf({ done }: DoneQuery): string | undefined {
  return done && NOTICES[done];
}
