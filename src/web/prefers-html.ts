import type { Request } from 'express';

const HTML_TYPE = 'text/html';

/** A browser names HTML; a program that takes anything does not, and is given what it can read. */
export function prefersHtml(request: Request): boolean {
  const names = request.headers.accept?.toLowerCase().includes(HTML_TYPE) ?? false;
  return names && request.accepts(['application/json', HTML_TYPE]) === HTML_TYPE;
}
