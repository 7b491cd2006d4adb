import type { Request, Response } from 'express';
import { isObject } from '../../validation/unknown-values.js';

// A cookie and not a field of the form: it is there as well behind the mail that confirms a new account.
const COOKIE = 'bowerbird_next';
const LIFETIME_MS = 3_600_000;
// What an app asks may be long; a cookie may have 4,096 bytes, and some signs take three of them.
const MAX_LENGTH = 3_000;
/** Pages for who is signed in, and where apps send them, on this site: an address that begins with two slashes names another. */
const DESTINATION = /^(?![^?]*\.\.)\/(?:watch|profile|connect|oauth2\/authorize)(?:[/?][\x21-\x7e]*)?$/;

/** Remembers where somebody was going who has to sign in first. */
export function rememberDestination(request: Request, response: Response): void {
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

/** Where to go after signing in; only once. */
export function takeDestination(request: Request, response: Response): string | null {
  const value = new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(request.headers.cookie ?? '')?.[1];
  if (value === undefined) return null;
  response.clearCookie(COOKIE, { path: '/sign-in' });
  const destination = decoded(value);
  return isDestination(destination) ? destination : null;
}

/** What was sent in a form is not sent again, as nobody has asked yet in whose name: it is shown to be sent. */
function destinationOf({ method, originalUrl, path, body }: Request): string {
  if (method === 'GET' || method === 'HEAD') return originalUrl;
  if (path === '/watch' && isObject(body)) {
    const { domain, question } = body;
    if (typeof domain === 'string') return `/watch?${new URLSearchParams({ name: domain }).toString()}`;
    if (typeof question === 'string') return `/watch?${new URLSearchParams({ question }).toString()}`;
  }
  return path.startsWith('/watch') ? '/watch' : '/profile';
}

/** Whether it is the address of a page of ours for who is signed in. */
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
