import { AsyncLocalStorage } from 'node:async_hooks';
import { IsIn, IsOptional } from 'class-validator';
import type { RequestHandler } from 'express';
import { PASSWORD_MAX, PASSWORD_MIN } from '../../accounts/account-problem.js';
import { STRENGTHS, type Strength } from '../../accounts/password-rules.js';
import type { Config } from '../../config/config.js';
import type { Account } from '../../accounts/accounts.service.js';
import { fillIn, t } from '../../texts/texts.js';
import { renderLayout, type SiteView } from '../layout/layout.js';
import { template } from '../layout/templates.js';

// No page of an account has an address to share, and none shows an answer of a registry.
const SITE: SiteView = { baseUrl: '', hasAccounts: true, isSandbox: false };

const PLACES = Object.entries(t.profile.places).map(([path, name]) => ({ path, name }));
const PLACES_WITHOUT_ORDERS = PLACES.filter(({ path }) => path !== '/profile/orders');
/** What the pages that a request is answered with say above their content. */
const above = new AsyncLocalStorage<{ readonly places: typeof PLACES; lead: string }>();

/** As middleware, behind the parser of forms: pages have the tabs of these settings. */
export function withTabsOf({ orders }: Config): RequestHandler {
  return (_request, _response, next) => {
    above.run({ places: orders.enabled ? PLACES : PLACES_WITHOUT_ORDERS, lead: '' }, next);
  };
}

/** Pages of this request say whose they are. */
export function noteAccount({ email, tier }: Pick<Account, 'email' | 'tier'>): void {
  const store = above.getStore();
  const plan = t.plans.names[tier].title;
  if (store) store.lead = fillIn(t.account.lead, { email, plan });
}

/** What any page can show above its own content. */
export interface PageView {
  /** Why the form was refused. */
  readonly problem?: string | undefined;
  /** The result of the previous page. */
  readonly notice?: string | undefined;
  /** Below the title, in place of whose account it is. */
  readonly lead?: string | undefined;
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
  const hasTabs = section.startsWith('/profile') && signedIn;
  return (view) => {
    const { problem, notice, heading = title } = view;
    const { places = [], lead = '' } = hasTabs ? (above.getStore() ?? {}) : {};
    const parts = {
      title: heading,
      problem,
      notice,
      section,
      places,
      lead: view.lead ?? lead,
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
export const problemPage = definePage<ProblemView>('problem', { title: t.profile.titles.problem });
export const strangersProblemPage = definePage<ProblemView>('problem', {
  title: t.profile.titles.problem,
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

export const signUpPage = formPage('sign-up', t.profile.titles.signUp);
export const signInPage = formPage('sign-in', t.profile.titles.signIn, { takesPasskeys: true });
export const confirmIdentityPage = formPage('confirm-identity', t.profile.titles.confirmIdentity, {
  takesPasskeys: true,
});
export const codePage = formPage('sign-in-code', t.profile.titles.code);
// The same text whether the address has an account or not.
export const mailSentPage = formPage('mail-sent', t.profile.titles.mailSent);
// Mailed links lead to a button: programs that scan mail follow links.
export const confirmEmailPage = formPage('confirm-email', t.profile.titles.choosePassword);
export const forgottenPasswordPage = formPage('forgotten-password', t.profile.titles.forgotten);
export const newPasswordPage = formPage('new-password', t.profile.titles.newPassword);

const { confirmed, 'password-set': set, 'password-changed': changed, ...others } = t.profile.notices;

/** Results of the previous page. Fixed texts, because an attacker can send an address to a visitor. */
const NOTICES = {
  ...withStrength('confirmed', confirmed),
  ...withStrength('password-set', set),
  ...withStrength('password-changed', changed),
  ...others,
};

function withStrength<Done extends string>(done: Done, text: string): Record<`${Done}-${Strength}`, string> {
  const notices = STRENGTHS.map(
    (strength) => [`${done}-${strength}`, `${text} ${t.profile.strengths[strength]}`] as const,
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
