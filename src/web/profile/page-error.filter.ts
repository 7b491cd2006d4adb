import { ArgumentsHost, Catch } from '@nestjs/common';
import type { Request, Response } from 'express';
import { KeyRefused } from '../../access/api-keys.service.js';
import type { ApiError } from '../../errors/api-error.js';
import { ApiErrorFilter } from '../../errors/api-error.filter.js';
import { isObject } from '../../validation/unknown-values.js';
import { AccountProblem, problemOfKeys, SignInRequired } from '../../accounts/account-problem.js';
import { rememberDestination } from './destination.js';
import { problemPage } from './problem-page.js';
import { codePage } from './second-factor-pages.js';
import {
  confirmEmailPage,
  forgottenPasswordPage,
  type FormView,
  newPasswordPage,
  signInPage,
  signUpPage,
} from './sign-in-pages.js';

/** Pages that hold one form: a problem with it is shown in the form, with what was entered. */
const FORMS: Readonly<Record<string, (view: FormView) => string>> = {
  '/sign-up': signUpPage,
  '/sign-in': signInPage,
  '/sign-in/code': codePage,
  '/sign-in/passkey': signInPage,
  '/confirm-email': confirmEmailPage,
  '/forgotten-password': forgottenPasswordPage,
  '/new-password': newPasswordPage,
};

/** Where a form is to be found again that is not alone on its page. */
const PAGES = [
  '/watch',
  '/profile/api-keys',
  '/profile/apps',
  '/profile/webhooks',
  '/profile/security',
  '/profile/sessions',
];

/** Failures as pages for people; logged and named as everywhere else. */
@Catch()
export class PageErrorFilter extends ApiErrorFilter {
  override catch(failure: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const thrown = failure instanceof KeyRefused ? problemOfKeys(failure) : failure;
    if (thrown instanceof SignInRequired) {
      rememberDestination(http.getRequest(), http.getResponse());
      http.getResponse<Response>().redirect(303, '/sign-in');
    } else if (thrown instanceof AccountProblem) show(thrown, http.getRequest(), http.getResponse());
    else super.catch(thrown, host);
  }

  protected override write(error: ApiError, request: Request, response: Response): void {
    show(error, request, response);
  }
}

function show(
  { status, message, headers }: ApiError | AccountProblem,
  request: Request,
  response: Response,
): void {
  const form = FORMS[request.path];
  const page = form
    ? form({ problem: message, ...enteredIn(request) })
    : problemPage({ problem: message, back: backFrom(request.path), requestId: request.requestId });
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
