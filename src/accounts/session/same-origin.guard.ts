import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import { AccountProblem } from '../account-problem.js';

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

/**
 * Whether a form can come from another site. Browsers say where a form comes from, and pages cannot make them lie: in
 * Sec-Fetch-Site (over HTTPS and on loopback), else in Origin (every POST). Programs that are no browsers send neither, and
 * have nobody's cookies to abuse. No token in the form is needed, nor would one help where cookies themselves are forged.
 */
export function isFromHere(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
