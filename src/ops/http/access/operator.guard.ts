import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { networkOf } from '../../../observe/audit/network.js';
import { callerIdOfAddress } from '../../../access/caller.js';
import { bearerToken } from '../../../access/bearer.js';
import { IgnoresKeys } from '../../../access/requirements.js';
import { Config } from '../../../config/config.js';
import { ApiError } from '../../../errors/api-error.js';
import type { Order } from '../order.js';
import { OperatorAttempts } from './attempt-limit.js';
import { holderOf } from './operator-key.js';

/** Who operates, for the audit log. */
export type Operator = Omit<Order, 'reason'>;

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** Set by the OperatorGuard. */
      operator?: Operator;
    }
  }
}

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="bowerbird operators"' };

/** Lets in who shows a key that OPERATOR_KEY_HASH has the hash of. */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(
    private readonly config: Config,
    private readonly attempts: OperatorAttempts,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    // What operators see is for nobody's cache.
    context.switchToHttp().getResponse<Response>().setHeader('Cache-Control', 'no-store');
    const token = bearerToken(request);
    if (token === undefined)
      throw new ApiError(
        'key_required',
        'This needs an operator\'s key, sent as "Authorization: Bearer KEY".',
        { headers: CHALLENGE },
      );
    const place = callerIdOfAddress(request.ip);
    await this.attempts.assertNotBlocked(place);
    const name = token === null ? null : holderOf(token, this.config.operators.keys);
    if (name === null) {
      await this.attempts.count(place);
      throw new ApiError('key_invalid', "The Authorization header holds no operator's key that works.", {
        headers: CHALLENGE,
      });
    }
    request.operator = { actor: `operator:${name}`, from: networkOf(request.ip) };
    return true;
  }
}

/** Name of the security scheme in the operators' document. */
export const OPERATOR_SCHEME = 'operatorKey';

/** For operators: keys of accounts are not looked at, and the demo tier's flood limit is not theirs. */
export function ForOperators(): ClassDecorator {
  return applyDecorators(
    IgnoresKeys(),
    SkipThrottle(),
    UseGuards(OperatorGuard),
    ApiBearerAuth(OPERATOR_SCHEME),
  );
}

/** Injects who operates into a controller's method. */
export const CurrentOperator = createParamDecorator((_: unknown, context: ExecutionContext): Operator => {
  const { operator } = context.switchToHttp().getRequest<Request>();
  if (!operator) throw new Error('the OperatorGuard has not run');
  return operator;
});
