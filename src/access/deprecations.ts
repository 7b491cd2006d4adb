import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { toMarkdown } from '../validation/formats.js';
import { Config } from '../config/config.js';

const OPERATION = Reflector.createDecorator<string>();

/** Adds the headers of deprecated operations and parameters that were used. */
@Injectable()
class DeprecationHeaders implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly config: Config,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const operation = this.reflector.get(OPERATION, context.getHandler());
    const { query } = context.switchToHttp().getRequest<Request>();
    const used = DEPRECATIONS.filter(
      (row) => row.operation === operation && (row.parameter === null || row.parameter in query),
    );
    if (used.length > 0) {
      const page = `${this.config.links.baseUrl}/${CHANGELOG_PATH}`;
      context.switchToHttp().getResponse<Response>().set(deprecationHeaders(used, page));
    }
    return next.handle();
  }
}

/** For an operation that the table of deprecations names, all of it or a parameter; no other pays for it. */
export function Deprecated(operation: string): MethodDecorator {
  if (!DEPRECATIONS.some((row) => row.operation === operation))
    throw new Error(`the table of deprecations has no ${operation}`);
  return applyDecorators(OPERATION(operation), UseInterceptors(DeprecationHeaders));
}

/** Something of the API that is to be used no more: a whole operation, or one parameter of it. */
export interface Deprecation {
  /** As in `GET /api/v1/webhooks/{id}/deliveries`. */
  readonly operation: string;
  /** Null: the operation itself. */
  readonly parameter: string | null;
  /** The first day, UTC, from which on there was something better. */
  readonly since: string;
  /**
   * The day from which on it is not answered any more, at least {@link MIN_NOTICE_DAYS} later; null while it
   * works as long as its path prefix does. Within a prefix nothing is taken away, so a sunset is that of a whole
   * version.
   */
  readonly sunset: string | null;
  /** What to use. */
  readonly instead: string;
}

/** THE table of deprecations: headers, the page /changelog and docs/API.md are made of it. */
export const DEPRECATIONS: readonly Deprecation[] = [
  {
    operation: 'GET /api/v1/webhooks/{id}/deliveries',
    parameter: 'after',
    since: '2026-11-22',
    sunset: null,
    instead: '`cursor`, with the `next_cursor` of the page before',
  },
];

/** The notice that the specification promises (Versioning). */
export const MIN_NOTICE_DAYS = 90;

export const VERSIONING_RULE =
  'A breaking change of the API comes under a new path prefix, and the previous one is answered for at least ' +
  `${MIN_NOTICE_DAYS} days more. Within a prefix there come new operations, parameters that may be left out, ` +
  'fields of answers, headers and values of enumerations: read over what you do not know. What is deprecated ' +
  `says so in \`Deprecation\` (RFC 9745), with a \`Link\` to this table, and when it ends in \`Sunset\` (RFC ` +
  `8594). \`API-Version\`, in every answer, is the version of the contract.`;

/** The headers of an answer to a request that used these, at least one. @param page the address of the table */
export function deprecationHeaders(used: readonly Deprecation[], page: string): Record<string, string> {
  const since = used.map((row) => Date.parse(row.since)).sort((one, other) => one - other);
  const ends = used.flatMap(({ sunset }) => (sunset === null ? [] : [Date.parse(sunset)]));
  return {
    Deprecation: `@${(since[0] ?? 0) / 1000}`,
    ...(ends.length > 0 && { Sunset: new Date(Math.min(...ends)).toUTCString() }),
    Link: `<${page}>; rel="deprecation"; type="text/html"`,
  };
}

export function deprecationTable(rows: readonly Deprecation[] = DEPRECATIONS): string {
  const cells = rows.map(({ operation, parameter, since, sunset, instead }) => [
    parameter === null ? `\`${operation}\`` : `\`${parameter}\` of \`${operation}\``,
    since,
    sunset ?? 'with its prefix',
    instead,
  ]);
  return toMarkdown([['Deprecated', 'Since', 'Ends', 'Instead'], ...cells]);
}

/** Where the table of deprecations is shown, below BASE_URL. */
export const CHANGELOG_PATH = 'changelog';
