import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { networkOf } from '../observe/audit.repository.js';
import { callerIdOfAddress } from '../access/caller.js';
import { bearerToken } from '../access/bearer.js';
import { IgnoresKeys } from '../access/requirements.js';
import { Config } from '../config/config.js';
import { ApiError } from '../errors/api-error.js';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { MemoryCounter } from '../redis/memory-counter.js';
import { SharedCounters } from '../redis/redis.module.js';
import type { OperatorCommand } from './answers.js';
import { holderOf } from './operator-key.js';

const QUARTER_HOUR_SECONDS = 900;
const MAX_WRONG_KEYS = 10;

/** The operator of a request, for the audit log. */
type Operator = Pick<OperatorCommand, 'actor' | 'from'>;

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

/** Limits wrong keys from one network; a valid key from there is refused as well. */
@Injectable()
export class OperatorAttempts {
  private readonly wrong: RateLimiterAbstract;

  constructor(counters: SharedCounters) {
    const options = {
      keyPrefix: 'operator_wrong',
      points: Number.MAX_SAFE_INTEGER,
      duration: QUARTER_HOUR_SECONDS,
    };
    this.wrong = counters.counter(options, new MemoryCounter(options));
  }

  /** @throws {ApiError} too_many_requests, with the time to wait */
  async assertNotBlocked(place: string): Promise<void> {
    const counted = await this.wrong.get(place);
    if (!counted || counted.consumedPoints < MAX_WRONG_KEYS) return;
    const seconds = Math.max(1, Math.ceil(counted.msBeforeNext / 1_000));
    throw new ApiError(
      'too_many_requests',
      `${MAX_WRONG_KEYS} wrong keys came from here; try again in ${seconds} s.`,
      { retryAfterSeconds: seconds },
    );
  }

  async count(place: string): Promise<void> {
    await this.wrong.penalty(place, 1);
  }
}

/** Admits requests with a key whose hash is in OPERATOR_KEY_HASH. */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(
    private readonly config: Config,
    private readonly attempts: OperatorAttempts,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
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

/** For operators: keys of accounts are ignored, and the demo tier's flood limit does not apply. */
export function ForOperators(): ClassDecorator {
  return applyDecorators(
    IgnoresKeys(),
    SkipThrottle(),
    UseGuards(OperatorGuard),
    ApiBearerAuth(OPERATOR_SCHEME),
  );
}

export function operatorOf({ operator }: Request): Operator {
  if (!operator) throw new Error('the OperatorGuard has not run');
  return operator;
}
