import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isFromHere } from '../../access/session-resolver.js';
import { AccountProblem } from '../../accounts/account-problem.js';

/** Takes forms from our own pages only, so that no other site can act, sign in or sign up in a visitor's name. */
@Injectable()
export class SameOriginGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { method, headers } = context.switchToHttp().getRequest<Request>();
    if (method === 'GET' || method === 'HEAD' || isFromHere(headers)) return true;
    throw new AccountProblem(
      403,
      'This form was sent from another site. Open the page here and send it again.',
    );
  }
}
