import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { type NextFunction, type Request, type Response, urlencoded } from 'express';
import { MAX_BODY_BYTES } from '../../errors/request-body.js';
import { AccountProblem } from '../../accounts/account-problem.js';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** Why the form could not be read; set by readForm. */
      formProblem?: Error | undefined;
    }
  }
}

const MAX_FIELDS = 20;
const parse = urlencoded({ extended: false, limit: MAX_BODY_BYTES, parameterLimit: MAX_FIELDS });

/** Reads a form. What is wrong with it is left to the FormBodyGuard: a failure out here would not be told on a page. */
export function readForm(request: Request, response: Response, next: NextFunction): void {
  parse(request, response, (error?: Error) => {
    request.formProblem = error && problemOf(error);
    next();
  });
}

/** Refuses forms that could not be read. */
@Injectable()
export class FormBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { formProblem } = context.switchToHttp().getRequest<Request>();
    if (formProblem) throw formProblem;
    return true;
  }
}

// What the filter would say of these is for programs that send JSON.
function problemOf(error: Error & { type?: string; status?: number }): Error {
  if (error.type === 'parameters.too.many')
    return new AccountProblem(400, `This form has more than ${MAX_FIELDS} fields.`);
  if (error.status === 415)
    return new AccountProblem(415, 'Send the form in UTF-8, and not compressed in an unknown way.');
  return error;
}
