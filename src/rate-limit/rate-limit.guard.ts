import { ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';

/**
 * The flood limit: so many requests a minute, as the caller's tier says, whatever they cost and to whichever endpoints. A
 * batch to the tool server is one request, bounded in size there; what no controller answers (404, the documents) never
 * comes here. It only admits; records are spent by the services (RecordBudget).
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override async getTracker(request: Request): Promise<string> {
    return request.caller.id;
  }

  // The throttler's own key holds the route, which would give every route a limit of its own.
  protected override generateKey(_context: ExecutionContext, tracker: string): string {
    return tracker;
  }

  protected override async throwThrottlingException(
    _context: ExecutionContext,
    { limit, timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    throw new ApiError(
      'too_many_requests',
      `More than ${limit} requests in this minute; the next one is answered in ${timeToBlockExpire} s.`,
      { retryAfterSeconds: timeToBlockExpire },
    );
  }
}

/** The tier's flood limit, for the throttler's configuration. */
export function requestsPerMinute(context: ExecutionContext): number {
  return context.switchToHttp().getRequest<Request>().caller.tier.requestsPerMinute;
}
