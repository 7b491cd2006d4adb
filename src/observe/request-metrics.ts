import type { Request, RequestHandler } from 'express';
import { Counter, Histogram, type Registry } from 'prom-client';

/** Seconds; about where a user begins to notice, and where time limits strike. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Requests by the template of their route: a path could hold a name, and there is no end of them. */
export class RequestMetrics {
  private readonly requests;
  private readonly durations;
  private readonly refusals;

  constructor(registry: Registry) {
    const registers = [registry];
    this.requests = new Counter({
      ...{ name: 'bowerbird_http_requests_total', help: 'Requests that were answered, or given up.' },
      labelNames: ['method', 'route', 'status', 'tier'] as const,
      registers,
    });
    this.durations = new Histogram({
      ...{
        name: 'bowerbird_http_request_seconds',
        help: 'From the first byte of the head to the last of the answer.',
      },
      labelNames: ['method', 'route'] as const,
      buckets: DURATIONS,
      registers,
    });
    this.refusals = new Counter({
      ...{
        name: 'bowerbird_http_errors_total',
        help: 'Answers with an error, by its code: budget_exhausted and the like.',
      },
      labelNames: ['code', 'tier'] as const,
      registers,
    });
  }

  readonly note: RequestHandler = (request, response, next) => {
    const beganMs = performance.now();
    response.once('close', () => {
      const tier = tierOf(request);
      const labels = { method: methodOf(request), route: routeTemplateOf(request) };
      this.requests.inc({
        ...labels,
        tier,
        status: response.writableFinished ? response.statusCode : 'aborted',
      });
      this.durations.observe(labels, (performance.now() - beganMs) / 1_000);
      if (request.errorCode !== undefined) this.refusals.inc({ code: request.errorCode, tier });
    });
    next();
  };
}

function methodOf({ method }: Request): string {
  return METHODS.includes(method) ? method : 'other';
}

/** `none`: the request was refused before its caller was known. */
function tierOf({ caller }: Partial<Pick<Request, 'caller'>>): string {
  return caller?.tier.name ?? 'none';
}

/** The route of a request in figures and traces, without the names that its path may hold. `none`: no such address. */
export function routeTemplateOf({ route }: Request): string {
  const { path } = (route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : 'none';
}
