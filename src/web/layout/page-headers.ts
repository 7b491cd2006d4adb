import type { NextFunction, Request, Response } from 'express';

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  // What the script asks is this site's own pages.
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every page: nothing may frame or extend it. What it shows may depend on who is signed in. */
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

/** On a page whose form leads on to another site: browsers hold the policy against where the answer to a form sends them as well. */
export function allowFormsTo(response: Response, address: string): void {
  const { protocol, hostname, origin } = new URL(address);
  // A policy has no notation for an IPv6 address.
  const source = hostname.startsWith('[') ? protocol : origin;
  response.set(
    'Content-Security-Policy',
    POLICY.replace("form-action 'self'", `form-action 'self' ${source}`),
  );
}

/** setPageHeaders as middleware. */
export function pageHeaders(_request: Request, response: Response, next: NextFunction): void {
  setPageHeaders(response);
  next();
}

/** For pages that show somebody's account: nothing may keep them either. */
export function accountPageHeaders(_request: Request, response: Response, next: NextFunction): void {
  setPageHeaders(response);
  response.set('Cache-Control', 'no-store');
  next();
}
