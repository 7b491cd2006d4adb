import type { NextFunction, Request, Response } from 'express';
import { isFromHere } from '../../access/session-resolver.js';
import { ApiError } from '../../errors/api-error.js';

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  // The script loads this site's own pages.
  "connect-src 'self'",
  "img-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every page: nothing may frame or extend it. Its content may depend on the session. */
export function setPageHeaders(response: Response): void {
  response.set({
    'Content-Security-Policy': POLICY,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'private, no-cache',
    // Not "no-referrer", under which browsers hide the Origin of our own forms too. Mailed links hold a token.
    'Referrer-Policy': 'same-origin',
  });
  response.removeHeader('Access-Control-Allow-Origin');
}

/** For a form whose answer redirects to another site: browsers apply form-action to the redirect as well. */
export function allowFormsTo(response: Response, address: string): void {
  const { protocol, hostname, origin } = new URL(address);
  // A policy has no notation for an IPv6 address.
  const source = hostname.startsWith('[') ? protocol : origin;
  const policy = POLICY.replace("form-action 'self'", `form-action 'self' ${source}`);
  response.set('Content-Security-Policy', policy);
}

/** setPageHeaders as middleware. */
export function pageHeaders(_request: Request, response: Response, next: NextFunction): void {
  setPageHeaders(response);
  next();
}

/** Pages of an account are stored nowhere. */
export function accountPageHeaders(_request: Request, response: Response, next: NextFunction): void {
  setPageHeaders(response);
  response.set('Cache-Control', 'no-store');
  next();
}

const TRACKING =
  /^(?:utm_\w+|fbclid|gclid|gbraid|wbraid|dclid|msclkid|twclid|ttclid|yclid|igshid|mc_[ce]id|ref)$/;

/** Drops tracking parameters, for pages that refuse unknown ones. */
export function withoutTracking(request: Request, _response: Response, next: NextFunction): void {
  const kept = Object.entries(request.query).filter(([name]) => !TRACKING.test(name));
  // Express parses the address again at each access.
  Object.defineProperty(request, 'query', { value: Object.fromEntries(kept), writable: true });
  next();
}

const HTML_TYPE = 'text/html';

/** A browser names HTML; a program that accepts anything does not, and gets JSON. */
export function prefersHtml(request: Request): boolean {
  const names = request.headers.accept?.toLowerCase().includes(HTML_TYPE) ?? false;
  return names && request.accepts(['application/json', HTML_TYPE]) === HTML_TYPE;
}

/** @throws {ApiError} bad_request for a form that another site sent */
export function assertFromHere({ headers }: Pick<Request, 'headers'>): void {
  if (!isFromHere(headers))
    throw new ApiError(
      'bad_request',
      'This form was sent from another site. Open the page here and send it again.',
    );
}
