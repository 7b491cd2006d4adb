import type { NextFunction, Request, Response } from 'express';

const TRACKING =
  /^(?:utm_\w+|fbclid|gclid|gbraid|wbraid|dclid|msclkid|twclid|ttclid|yclid|igshid|mc_[ce]id|ref)$/;

/** Drops from the address what says where a visitor came from, for pages that refuse parameters that they do not know. */
export function withoutTracking(request: Request, _response: Response, next: NextFunction): void {
  const kept = Object.entries(request.query).filter(([name]) => !TRACKING.test(name));
  // Express reads the address anew each time that it is asked.
  Object.defineProperty(request, 'query', { value: Object.fromEntries(kept), writable: true });
  next();
}
