import type { IncomingHttpHeaders } from 'node:http';

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
