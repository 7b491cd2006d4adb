import type { NestExpressApplication } from '@nestjs/platform-express';
import compression from 'compression';
import type { Request, Response } from 'express';
import helmet from 'helmet';
import type { Config } from '../config/config.js';
import { RATE_HEADERS } from '../access/rate.dto.js';

const PREFLIGHT_SECONDS = 86_400;
const EXPOSED_HEADERS = [
  ...[
    'Retry-After',
    'ETag',
    'Content-Range',
    'Link',
    'Location',
    'X-Request-Id',
    'API-Version',
    'Deprecation',
    'Sunset',
  ],
];

/**
 * The headers that browsers need with an answer that is not a page: the type is as declared, nothing is loaded,
 * run or framed, and links send no referrer. The other headers of helmet are for pages, or for browsers without
 * frame-ancestors.
 */
const ANSWER_HEADERS = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  Vary: 'Origin, Accept-Encoding',
});

// All but the documents and pictures, as it is usually written: an address in capitals gets the headers of a page,
// which do no harm.
const ANSWERS = /^\/(?:livez$|readyz$|(?:(?:api|ops)\/)?v1\/(?!docs|openapi\.|.*\.svg$))/;
/** Operators' answers are for no page of others. */
const OPERATORS = /^\/ops\//i;

/** Security headers, CORS and compression of pages; app/answer.ts compresses everything else. */
export function setUpHeaders(app: NestExpressApplication, { http, links }: Config): void {
  const page = helmet({
    // The API is also served over plain HTTP (the demo, behind a proxy); TLS and HSTS belong to the proxy that
    // ends TLS.
    strictTransportSecurity: false,
    // Swagger UI's own requests go to the public address, which may not be the one its page was opened at.
    contentSecurityPolicy: {
      directives: {
        upgradeInsecureRequests: null,
        connectSrc: ["'self'", new URL(links.baseUrl).origin],
      },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
  const compress = compression();
  app.use((request: Request, response: Response, next: (error?: unknown) => void) => {
    if (ANSWERS.test(request.path)) {
      for (const [name, value] of ANSWER_HEADERS) response.setHeader(name, value);
      next();
    } else
      page(request, response, (error) => {
        if (error === undefined) compress(request, response, next);
        else next(error);
      });
  });
  const origin = http.corsOrigins.includes('*') ? '*' : [...http.corsOrigins];
  const cors = {
    origin,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: [...EXPOSED_HEADERS, ...RATE_HEADERS],
    maxAge: PREFLIGHT_SECONDS,
    // Answered behind the routes, which know what the address takes.
    preflightContinue: true,
  };
  app.enableCors((request: Request, callback: (error: null, options: typeof cors | NoCors) => void) => {
    const isAsked = request.headers.origin !== undefined || request.method === 'OPTIONS';
    if (OPERATORS.test(request.path)) callback(null, NO_CORS);
    else callback(null, isAsked || !ANSWERS.test(request.path) ? cors : NO_CORS);
  });
}

type NoCors = typeof NO_CORS;

/** For programs that are no browser, or a page of ours. */
const NO_CORS = { origin: false } as const;
