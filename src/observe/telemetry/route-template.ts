import type { Request } from 'express';

/** What a request is told by to who watches: a path could hold a name, and there is no end of them. `none`: there is no such address. */
export function routeTemplateOf({ route }: Request): string {
  const { path } = (route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : 'none';
}
