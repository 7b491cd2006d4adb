import { ArgumentsHost, Catch, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { KeyRefused } from '../../access/api-keys.service.js';
import type { ApiError } from '../../errors/api-error.js';
import { ApiErrorFilter } from '../../errors/api-error.filter.js';
import { isObject } from '../../validation/unknown-values.js';
import {
  AccountProblem,
  problemOfKeys,
  ProofRequired,
  SignInRequired,
} from '../../accounts/account-problem.js';
import { t } from '../../texts/texts.js';
import { FormsInPlace, withProblem } from './forms-in-place.js';
import {
  codePage,
  confirmEmailPage,
  confirmIdentityPage,
  forgottenPasswordPage,
  type FormView,
  newPasswordPage,
  problemPage,
  strangersProblemPage,
  signInPage,
  signUpPage,
} from './page.js';

/** Pages with a single form for strangers, which is shown again with the problem and the entered values. */
const FORMS: Readonly<Record<string, (view: FormView) => string>> = {
  '/sign-up': signUpPage,
  '/sign-in': signInPage,
  '/sign-in/code': codePage,
  '/sign-in/confirm': confirmIdentityPage,
  '/sign-in/passkey': signInPage,
  '/confirm-email': confirmEmailPage,
  '/forgotten-password': forgottenPasswordPage,
  '/new-password': newPasswordPage,
};

/** Pages with several forms. */
const PAGES = [
  '/watch',
  '/profile/api-keys',
  '/profile/apps',
  '/profile/webhooks',
  '/profile/security',
  '/profile/second-factor',
  '/profile/sessions',
  '/profile/mandates',
  '/profile/registrants',
  '/profile/order',
];

/** Failures as pages, with the log lines and codes of the API. A refused form is answered by its own page. */
@Catch()
@Injectable()
export class PageErrorFilter extends ApiErrorFilter {
  constructor(private readonly inPlace: FormsInPlace) {
    super();
  }

  override catch(failure: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const thrown = failure instanceof KeyRefused ? problemOfKeys(failure) : failure;
    if (thrown instanceof SignInRequired || thrown instanceof ProofRequired) {
      rememberDestination(http.getRequest(), http.getResponse());
      const page = thrown instanceof ProofRequired ? '/sign-in/confirm' : '/sign-in';
      http.getResponse<Response>().redirect(303, page);
    } else if (thrown instanceof AccountProblem) this.answer(thrown, http.getRequest(), http.getResponse());
    else super.catch(thrown, host);
  }

  protected override write(error: ApiError, request: Request, response: Response): void {
    this.answer(error, request, response);
  }

  private answer(problem: ApiError | AccountProblem, request: Request, response: Response): void {
    const { account, path, method } = request;
    const body: unknown = request.body;
    const page = method === 'POST' && account ? this.inPlace.find(path) : undefined;
    if (!account || !page || problem.status >= 500) {
      show(problem, request, response);
      return;
    }
    Promise.resolve(page.render(account, request)).then(
      (html) => {
        const entered = isObject(body) ? body : {};
        const { status, headers, message } = problem;
        response.status(status).set(headers).type('html');
        response.send(withProblem(html, path, entered, message));
      },
      () => show(problem, request, response),
    );
  }
}

function show(
  { status, message, headers }: ApiError | AccountProblem,
  request: Request,
  response: Response,
): void {
  const form = FORMS[request.path];
  const entered: unknown = request.body ?? request.query;
  const page = form
    ? withProblem(
        form(enteredIn(request)),
        request.path,
        isObject(entered) ? entered : {},
        message,
        t.forms.needsFix,
      )
    : (request.account ? problemPage : strangersProblemPage)({
        problem: message,
        back: backFrom(request.path),
        requestId: request.requestId,
      });
  response.status(status).set(headers).type('html').send(page);
}

function enteredIn({ body, query }: Request): Pick<FormView, 'email' | 'token'> {
  const form: unknown = body ?? query;
  return isObject(form) ? { email: textOf(form.email), token: textOf(form.token) } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function backFrom(path: string): string {
  const page = /^\/(?:watch|profile\/[a-z-]+)/.exec(path)?.[0];
  return page !== undefined && PAGES.includes(page) ? page : '/profile';
}

// A cookie, not a field of the form: it survives the mail that confirms a new account.
const COOKIE = 'bowerbird_next';
const LIFETIME_MS = 3_600_000;
// A request of an app may be long. A cookie holds 4,096 bytes, and an encoded character takes three.
const MAX_LENGTH = 3_000;
/** Pages that need a session, on this site: an address that begins with two slashes names another host. */
const DESTINATION = /^(?![^?]*\.\.)\/(?:watch|profile|connect|oauth2\/authorize)(?:[/?][\x21-\x7e]*)?$/;

function rememberDestination(request: Request, response: Response): void {
  const destination = destinationOf(request);
  if (!isDestination(destination)) return;
  response.cookie(COOKIE, destination, {
    httpOnly: true,
    sameSite: 'lax',
    secure: request.secure,
    maxAge: LIFETIME_MS,
    path: '/sign-in',
  });
}

/** The page to return to after signing in; forgotten when read. */
export function takeDestination(request: Request, response: Response): string | null {
  const value = new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(request.headers.cookie ?? '')?.[1];
  if (value === undefined) return null;
  response.clearCookie(COOKIE, { path: '/sign-in' });
  const destination = decoded(value);
  return isDestination(destination) ? destination : null;
}

/** A form is not sent again after signing in: the page shows it, ready to be sent. */
function destinationOf({ method, originalUrl, path, body }: Request): string {
  if (method === 'GET' || method === 'HEAD') return originalUrl;
  if (path === '/watch' && isObject(body)) {
    const { domain, question } = body;
    if (typeof domain === 'string') return `/watch?${new URLSearchParams({ name: domain }).toString()}`;
    if (typeof question === 'string') return `/watch?${new URLSearchParams({ question }).toString()}`;
  }
  if (path === '/connect' && isObject(body) && typeof body.request === 'string')
    return `/connect?${body.request}`;
  if (path === '/profile/order' && isObject(body) && typeof body.name === 'string') {
    const { name, holder = '', years = '' } = body;
    return `/profile/order?${new URLSearchParams({ name, holder: String(holder), years: String(years) }).toString()}`;
  }
  return /^\/profile\/orders\/[\da-f-]{36}(?=\/)/.exec(path)?.[0] ?? backFrom(path);
}

/** Whether it is the address of our own page that needs a session. */
export function isDestination(text: string): boolean {
  return text.length <= MAX_LENGTH && DESTINATION.test(text);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
