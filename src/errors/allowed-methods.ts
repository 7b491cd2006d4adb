import type { Request, RequestHandler } from 'express';

declare global {
  // Express' own way to add to its Request; @types/express-serve-static-core declares the namespace.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** The methods that the address takes, once no route has taken the request. */
      addressMethods?: readonly string[];
    }
  }
}

/** Stands behind the routes, at the path of some of them, and notes which methods those take. */
export function methodsOfAddress(methods: ReadonlySet<string>): RequestHandler {
  return (request, _response, next) => {
    request.addressMethods = [...(request.addressMethods ?? []), ...methods];
    next();
  };
}

/**
 * The methods that are allowed at the address of a request that matched no route, so that a wrong method is
 * answered with 405 and Allow instead of 404 (RFC 9110, 15.5.6).
 *
 * @returns upper-case names; empty when the address is unknown
 */
export function allowedMethods({ addressMethods = [] }: Request): string[] {
  const names = new Set(addressMethods);
  if (names.has('GET')) names.add('HEAD');
  if (names.size > 0) names.add('OPTIONS');
  return [...names].sort();
}

/**
 * Answers OPTIONS, behind the routes: with the methods that the address takes. A browser that asks before it
 * sends is let through to an address that is not there, for its page would not see the 404 otherwise.
 */
export const answerOptions: RequestHandler = (request, response, next) => {
  const methods = allowedMethods(request);
  const isPreflight = request.headers['access-control-request-method'] !== undefined;
  if (request.method === 'OPTIONS' && (methods.length > 0 || isPreflight)) {
    if (methods.length > 0) response.setHeader('Allow', methods.join(', '));
    response.status(204).end();
  } else next();
};
