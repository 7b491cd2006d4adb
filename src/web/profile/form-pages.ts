import { fillIn, t } from '../../texts/texts.js';
import { CanActivate, createParamDecorator, ExecutionContext, Injectable } from '@nestjs/common';
import { type NextFunction, type Request, type Response, urlencoded } from 'express';
import { type Caller, callerIdOfAccount } from '../../access/caller.js';
import { isFromHere } from '../../access/session-resolver.js';
import type { TierTable } from '../../config/tiers.js';
import { AccountProblem, SignInRequired } from '../../accounts/account-problem.js';
import { type Account, AccountsService } from '../../accounts/accounts.service.js';
import { StepUp } from '../../accounts/step-up.js';
import { MAX_BODY_BYTES } from '../../errors/validation.pipe.js';
import { Pages } from '../layout/public-pages.js';
import { noteAccount } from './page.js';
import { PageErrorFilter } from './page-error.filter.js';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** Why the form could not be parsed; set by readForm. */
      formProblem?: Error | undefined;
      /** Set by the SessionGuard. */
      account?: Account;
    }
  }
}

/** Accepts forms from our own pages only, so that no other site can act in a visitor's name. */
@Injectable()
class SameOriginGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { method, headers } = context.switchToHttp().getRequest<Request>();
    if (method === 'GET' || method === 'HEAD' || isFromHere(headers)) return true;
    throw new AccountProblem(403, t.forms.foreign);
  }
}

const MAX_FIELDS = 20;
const parse = urlencoded({ extended: false, limit: MAX_BODY_BYTES, parameterLimit: MAX_FIELDS });

/** Parses a form. The FormBodyGuard reports problems: an error thrown here would not become a page. */
export function readForm(request: Request, response: Response, next: NextFunction): void {
  parse(request, response, (error?: Error) => {
    request.formProblem = error && problemOf(error);
    next();
  });
}

/** Refuses forms that could not be parsed. */
@Injectable()
class FormBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { formProblem } = context.switchToHttp().getRequest<Request>();
    if (formProblem) throw formProblem;
    return true;
  }
}

// The messages of the general filter are for programs that send JSON.
function problemOf(error: Error & { type?: string; status?: number }): Error {
  if (error.type === 'parameters.too.many')
    return new AccountProblem(400, fillIn(t.forms.tooMany, { max: MAX_FIELDS }));
  if (error.status === 415) return new AccountProblem(415, t.forms.encoding);
  return error;
}

@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly accounts: AccountsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const session = await this.accounts.findSession(request.headers);
    if (!session) throw new SignInRequired();
    request.account = { ...session.account, address: request.ip };
    noteAccount(session.account);
    if (session.cookies.length > 0) http.getResponse<Response>().append('Set-Cookie', [...session.cookies]);
    return true;
  }
}

/** For sensitive deeds, behind the SessionGuard: a session without a recent proof confirms itself first. */
@Injectable()
export class ProofGuard implements CanActivate {
  constructor(private readonly stepUp: StepUp) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.stepUp.assertProven(accountOf(context));
    return true;
  }
}

function accountOf(context: ExecutionContext): Account {
  const { account } = context.switchToHttp().getRequest<Request>();
  if (!account) throw new Error('the SessionGuard has not run');
  return account;
}

/** The account of the session, behind the SessionGuard. */
export const SignedIn = createParamDecorator((_: unknown, context: ExecutionContext): Account =>
  accountOf(context),
);

export function callerOf(
  { id, tier, address }: Account,
  table: TierTable,
): Caller & { readonly accountId: string } {
  return { id: callerIdOfAccount(id), tier: table[tier], accountId: id, address };
}

/** A controller of pages with forms, which come from this site. */
export function FormPages(): ClassDecorator {
  return Pages('', PageErrorFilter, SameOriginGuard, FormBodyGuard);
}
