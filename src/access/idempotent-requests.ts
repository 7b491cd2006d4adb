import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { ApiError } from '../errors/api-error.js';
import { messageOf } from '../validation/unknown-values.js';
import { keyInvalid } from './bearer.js';
import { accountOf, type Caller } from './caller.js';
import { IdempotentRequestRepository, type RepeatableRequest } from './idempotent-request.repository.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
const RETRY_SECONDS = 1;

interface SentRequest {
  readonly caller: Caller;
  /** The header; undefined without one. */
  readonly key: string | undefined;
  /** Operation and input: the same key with another content is a conflict. */
  readonly content: readonly unknown[];
}

interface Made<Result> {
  readonly result: Result;
  /** What the same request finds the result by; no secret. */
  readonly reference: string;
}

/** Answers a request that is sent again with the same Idempotency-Key with what the first one made. */
@Injectable()
export class IdempotentRequests {
  private readonly logger = new Logger(IdempotentRequests.name);

  constructor(private readonly requests: IdempotentRequestRepository) {}

  /**
   * Within a day, and for callers with an account: others have nothing that a key could belong to.
   *
   * @param again the result of the earlier request; null when what it made is gone, so that it is made again
   * @throws {ApiError} invalid_parameter, idempotency_conflict, key_invalid, and what `make` and `again` throw
   */
  async once<Result>(
    { caller, key, content }: SentRequest,
    make: () => Promise<Made<Result>>,
    again: (reference: string) => Promise<Result | null>,
  ): Promise<Result> {
    if (key !== undefined) assertIdempotencyKey(key);
    const accountId = accountOf(caller);
    if (key === undefined || accountId === null) return (await make()).result;
    const requestHash = createHash('sha256')
      .update(JSON.stringify([caller.id, ...content]))
      .digest();
    const request = { accountId, key, requestHash };
    const earlier = await this.requests.claim(request);
    // Its key was looked at a moment ago, and has ended with it.
    if (earlier === 'no_account') throw keyInvalid();
    if (earlier !== null) {
      if (!earlier.requestHash.equals(requestHash)) throw usedForAnother();
      if (earlier.reference === null) throw underWay();
      const result = await again(earlier.reference);
      if (result !== null) return result;
      if (!(await this.requests.reclaim(request, earlier.reference))) throw underWay();
    }
    return this.makeFirst(request, make);
  }

  private async makeFirst<Result>(
    request: RepeatableRequest,
    make: () => Promise<Made<Result>>,
  ): Promise<Result> {
    const { result, reference } = await make().catch(async (error: unknown) => {
      // It ends by itself two minutes later.
      await this.requests
        .release(request)
        .catch((problem: unknown) =>
          this.logger.warn(`An Idempotency-Key was not freed: ${messageOf(problem)}`),
        );
      throw error;
    });
    // A key whose request has made something is not freed, also if this fails: the next one would make it twice.
    await this.requests.finish(request, reference);
    return result;
  }
}

/** @throws {ApiError} invalid_parameter */
export function assertIdempotencyKey(key: string): void {
  if (!KEY.test(key))
    throw new ApiError(
      'invalid_parameter',
      'Idempotency-Key must be 1 to 255 printable characters without spaces',
    );
}

export function usedForAnother(): ApiError {
  return new ApiError(
    'idempotency_conflict',
    'This Idempotency-Key was used for another request; take a new one',
  );
}

function underWay(): ApiError {
  return new ApiError(
    'idempotency_conflict',
    'The first request with this Idempotency-Key is still under way; send it again in a moment',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

/** Documents the header. @param description what sending it again does */
export function ApiIdempotencyKey(description: string): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: `Makes it safe to send the request again: ${description}`,
    schema: { type: 'string', maxLength: 255 },
  });
}

/** The header of an answer that made something, for the documents. */
export const LOCATION_HEADER = {
  Location: { description: 'Where it can be read.', schema: { type: 'string', format: 'uri-reference' } },
} as const;
