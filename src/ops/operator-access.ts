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
import { AuditRepository, networkOf } from '../observe/audit.repository.js';
import { callerIdOfAddress } from '../access/caller.js';
import { bearerToken } from '../access/bearer.js';
import { LIMITS } from '../access/limits.js';
import { IgnoresKeys } from '../access/requirements.js';
import { Config } from '../config/config.js';
import { ApiError } from '../errors/api-error.js';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { SharedCounters } from '../redis/redis.module.js';
import type { OperatorCommand } from './answers.js';
import { Clock } from '../db/database.js';
import type { OperatorKey } from '../config/parsers.js';
import { findOperatorKey } from './operator-key.js';

const WRONG = {
  key: { ...LIMITS.operatorKeys, words: 'wrong keys', keyPrefix: 'operator_wrong' },
  session: {
    ...LIMITS.operatorSessions,
    ...{ words: 'requests without a session', keyPrefix: 'operator_no_session' },
  },
} as const;
type Attempt = keyof typeof WRONG;

/** The operator of a request, for the audit log. */
export type Operator = Pick<OperatorCommand, 'actor' | 'from'> & Pick<OperatorKey, 'role'>;

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

/** Limits wrong keys and sessions from one network; a valid one from there is refused as well. */
@Injectable()
export class OperatorAttempts {
  private readonly counters: Readonly<Record<Attempt, RateLimiterAbstract>>;

  constructor(counters: SharedCounters) {
    const counterOf = ({ keyPrefix, seconds }: (typeof WRONG)[Attempt]) => counters.tally(keyPrefix, seconds);
    this.counters = { key: counterOf(WRONG.key), session: counterOf(WRONG.session) };
  }

  /** @throws {ApiError} too_many_requests, with the time to wait */
  async assertNotBlocked(attempt: Attempt, place: string): Promise<void> {
    const { most, words } = WRONG[attempt];
    const counted = await this.counters[attempt].get(place);
    if (!counted || counted.consumedPoints < most) return;
    const seconds = Math.max(1, Math.ceil(counted.msBeforeNext / 1_000));
    throw new ApiError('too_many_requests', `${most} ${words} came from here; try again in ${seconds} s.`, {
      retryAfterSeconds: seconds,
    });
  }

  async count(attempt: Attempt, place: string): Promise<void> {
    await this.counters[attempt].penalty(place, 1);
  }
}

/** Finds the operator whose key this is; wrong keys are counted and recorded. */
@Injectable()
export class OperatorKeys {
  private readonly wrong: RateLimiterAbstract;

  constructor(
    private readonly config: Config,
    private readonly attempts: OperatorAttempts,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
    counters: SharedCounters,
  ) {
    this.wrong = counters.tally('operator_wrong_recorded', LIMITS.recordedOperatorKeys.seconds);
  }

  /**
   * @param text null: the header holds no bearer token
   * @throws {ApiError} key_invalid; too_many_requests after wrong keys from this network
   */
  async identify(text: string | null, address: string | undefined): Promise<OperatorKey> {
    const place = callerIdOfAddress(address);
    await this.attempts.assertNotBlocked('key', place);
    const key = text === null ? null : findOperatorKey(text, this.config.operators.keys);
    if (key !== null && !hasEnded(key, await this.clock.now())) return key;
    await this.attempts.count('key', place);
    await this.recordWrong(key, networkOf(address));
    throw new ApiError('key_invalid', "The Authorization header holds no operator's key that works.", {
      headers: CHALLENGE,
    });
  }

  private async recordWrong(expired: OperatorKey | null, from: string | null): Promise<void> {
    const reason = expired ? `the key of ${expired.name} has expired` : 'a key that does not work';
    const entry = { actor: 'visitor', action: 'operator.wrong-key', subject: 'operators', reason, from };
    const { most } = LIMITS.recordedOperatorKeys;
    const { consumedPoints } = await this.wrong.penalty('all', 1);
    if (consumedPoints <= most) await this.audit.recordFew(entry, most);
    // A flood must not fill the log, but be seen in it.
    else if (Number.isInteger(Math.log2(consumedPoints / most)))
      await this.audit.record({
        ...entry,
        reason: `${reason}; number ${consumedPoints} in an hour, of which not all are on record`,
      });
  }
}

export function hasEnded({ until }: OperatorKey, now: Date): boolean {
  return until !== null && now >= until;
}

/** The holder of a key, for the audit log. */
export function toOperator({ name, role }: OperatorKey, address: string | undefined): Operator {
  return { actor: `operator:${name}`, role, from: networkOf(address) };
}

/** Admits requests with a key whose hash is in OPERATOR_KEY_HASH. */
@Injectable()
class OperatorGuard implements CanActivate {
  constructor(private readonly keys: OperatorKeys) {}

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
    request.operator = toOperator(await this.keys.identify(token, request.ip), request.ip);
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

/** The operator who changes something. @throws {ApiError} scope_required for a key that may only look */
export function operatorOf({ operator }: Request): Pick<OperatorCommand, 'actor' | 'from'> {
  if (!operator) throw new Error('the OperatorGuard has not run');
  const { actor, from, role } = operator;
  if (role === 'act') return { actor, from };
  throw new ApiError(
    'scope_required',
    'This changes something. It needs an operator\'s key of the role "act".',
  );
}
