import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Queryable } from '../db/database.js';
import { ApiError } from '../errors/api-error.js';
import { keyInvalid } from './bearer.js';
import { accountOf, type Caller } from './caller.js';
import {
  type EarlierRequest,
  IdempotentRequestRepository,
  type RepeatableRequest,
} from './idempotent-request.repository.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
const RETRY_SECONDS = 1;

interface SentRequest {
  /** Null: a caller without an account, whose keys are ignored. */
  readonly by: Sender | null;
  /** The header; undefined without one. */
  readonly key: string | undefined;
  /** Operation and input: the same key with another content is a conflict. */
  readonly content: readonly unknown[];
}

interface Sender extends Pick<RepeatableRequest, 'owner' | 'accountId'> {
  /** A request with the same key and content, but of another sender, is another request. */
  readonly sender: string;
}

/**
 * Writes down what the request made, in the transaction that makes it: both are there, or neither.
 *
 * @param reference what the same request finds the result by; no secret
 * @param transaction left out where nothing is stored
 */
export type Remember = (reference: string, transaction?: Queryable) => Promise<void>;

/** Answers a request that is sent again with the same Idempotency-Key with what the first one made. */
@Injectable()
export class IdempotentRequests {
  constructor(private readonly requests: IdempotentRequestRepository) {}

  /**
   * Within a day. A request that fails, or whose process is killed, leaves its key free.
   *
   * @param again the result of the earlier request; null when what it made is gone, so that it is made again
   * @throws {ApiError} invalid_parameter, idempotency_conflict, and what `make` and `again` throw
   */
  async once<Result>(
    { by, key, content }: SentRequest,
    make: (remember: Remember) => Promise<Result>,
    again: (reference: string) => Promise<Result | null>,
  ): Promise<Result> {
    if (key !== undefined) assertIdempotencyKey(key);
    if (key === undefined || by === null) return make(() => Promise.resolve());
    const requestHash = createHash('sha256')
      .update(JSON.stringify([by.sender, ...content]))
      .digest();
    const request = { ...by, key, requestHash };
    const answer = ({ requestHash: hash, reference }: EarlierRequest) => {
      if (!hash.equals(requestHash)) throw usedForAnother();
      return again(reference);
    };
    const earlier = await this.requests.find(request);
    const result = earlier && (await answer(earlier));
    if (result !== null) return result;
    const replaced = earlier?.reference ?? null;
    const second = underWay();
    try {
      return await make(async (reference, transaction) => {
        if (!(await this.requests.insert(request, reference, replaced, transaction))) throw second;
      });
    } catch (error) {
      // The same request, sent at the same moment, was first: this one may have failed by that alone.
      const first = await this.requests.find(request).catch(() => undefined);
      const made = first && first.reference !== replaced ? await answer(first) : null;
      if (made !== null) return made;
      // Its key was looked at a moment ago, and has ended with its account.
      throw error === second && first === null ? keyInvalid() : error;
    }
  }
}

/** Keys are the account's: callers without one have none. */
export function senderOf(caller: Caller): Sender | null {
  const accountId = accountOf(caller);
  return accountId === null ? null : { owner: `account:${accountId}`, accountId, sender: caller.id };
}

/** @param actor as the audit log names the operator */
export function senderOfOperator(actor: string): Sender {
  return { owner: actor, accountId: null, sender: actor };
}

/** @throws {ApiError} invalid_parameter */
export function assertIdempotencyKey(key: string | undefined): asserts key is string {
  if (key === undefined)
    throw new ApiError('invalid_parameter', 'Idempotency-Key is needed: new for each request');
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

/** Documents the header where money moves. @param made what a request makes, once */
export function ApiRequiredKey(made: string): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: true,
    description: `New for each ${made}, kept for ever: sent again, the request is answered with what it made.`,
    schema: { type: 'string', maxLength: 255 },
  });
}

/** The header of an answer that made something, for the documents. */
export const LOCATION_HEADER = {
  Location: { description: 'Where it can be read.', schema: { type: 'string', format: 'uri-reference' } },
} as const;
