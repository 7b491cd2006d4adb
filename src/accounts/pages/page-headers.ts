import type { NextFunction, Request, Response } from 'express';

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of pages that show somebody's account: nothing may keep, frame or extend them. */
export function pageHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.set({
    'Content-Security-Policy': POLICY,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    // Not "no-referrer", under which browsers hide the Origin of our own forms too. Mailed links hold a token.
    'Referrer-Policy': 'same-origin',
  });
  response.removeHeader('Access-Control-Allow-Origin');
  next();
}
