import {
  applyDecorators,
  CanActivate,
  Controller,
  createParamDecorator,
  type ExceptionFilter,
  ExecutionContext,
  Injectable,
  type Type,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresKeys } from '../../access/requirements.js';
import { SessionResolver, type Visitor } from '../../access/session-resolver.js';
import { PageErrorFilter } from './error-pages.js';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** Set by the VisitorGuard. */
      visitor?: Visitor;
    }
  }
}

@Injectable()
class VisitorGuard implements CanActivate {
  constructor(private readonly sessions: SessionResolver) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    request.visitor = await this.sessions.resolve(request, http.getResponse<Response>());
    return true;
  }
}

/** The visitor of a page, with or without an account; for PublicPages. */
export const CurrentVisitor = createParamDecorator((_: unknown, context: ExecutionContext): Visitor => {
  const { visitor } = context.switchToHttp().getRequest<Request>();
  if (!visitor) throw new Error('CurrentVisitor without PublicPages');
  return visitor;
});

/** A controller of pages for everybody. */
export function PublicPages(path = ''): ClassDecorator {
  return Pages(path, PageErrorFilter, VisitorGuard);
}

/** A controller of pages: API keys are ignored, failures are pages. */
export function Pages(
  path: string,
  failures: Type<ExceptionFilter>,
  ...guards: Type<CanActivate>[]
): ClassDecorator {
  return applyDecorators(
    Controller(path),
    ApiExcludeController(),
    IgnoresKeys(),
    UseGuards(...guards),
    UseFilters(failures),
  );
}
