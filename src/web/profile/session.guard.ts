import { CanActivate, createParamDecorator, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SignInRequired } from '../../accounts/account-problem.js';
import { type Account, AccountsService } from '../../accounts/accounts.service.js';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** Set by the SessionGuard. */
      account?: Account;
    }
  }
}

/** For those who are signed in; others are led to the page for that. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly accounts: AccountsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const session = await this.accounts.findSession(request.headers);
    if (!session) throw new SignInRequired();
    request.account = { ...session.account, address: request.ip };
    if (session.cookies.length > 0) http.getResponse<Response>().append('Set-Cookie', [...session.cookies]);
    return true;
  }
}

/** Injects who is signed in; for controllers behind the SessionGuard. */
export const SignedIn = createParamDecorator((_: unknown, context: ExecutionContext): Account => {
  const { account } = context.switchToHttp().getRequest<Request>();
  if (!account) throw new Error('SignedIn without SessionGuard');
  return account;
});
