import { ArgumentsHost, Catch } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ApiError } from '../../errors/api-error.js';
import { ApiErrorFilter } from '../../errors/api-error.filter.js';
import { AccountProblem } from '../account-problem.js';
import { RegistrationRefused } from './app-registration.js';

/** Failures as OAuth has them (RFC 6749, 5.2): its clients read no other. Logged as everywhere else. */
@Catch()
export class OAuthErrorFilter extends ApiErrorFilter {
  override catch(thrown: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (thrown instanceof RegistrationRefused) tell(response, 400, thrown.code, thrown.message);
    else if (thrown instanceof AccountProblem) {
      response.set(thrown.headers);
      tell(response, thrown.status, codeOf(thrown.status), thrown.message);
    } else super.catch(thrown, host);
  }

  protected override write(error: ApiError, request: Request, response: Response): void {
    response.set(this.headersOf(error, request));
    tell(response, error.status, codeOf(error.status), error.message);
  }
}

function codeOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

function tell(response: Response, status: number, error: string, description: string): void {
  response.status(status).set('Cache-Control', 'no-store').type('json');
  response.json({ error, error_description: description });
}
