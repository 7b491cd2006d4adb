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
import { Config } from '../config/config.js';
import { CHANGELOG_PATH, DEPRECATIONS, deprecationHeaders } from './deprecations.js';

const OPERATION = Reflector.createDecorator<string>();

/** Adds the headers of deprecated operations and parameters that were used. */
@Injectable()
export class DeprecationHeaders implements NestInterceptor {
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
