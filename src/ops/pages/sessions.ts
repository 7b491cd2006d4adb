import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { callerIdOfAddress } from '../../access/caller.js';
import { Config } from '../../config/config.js';
import type { OperatorKey } from '../../config/parsers.js';
import { Clock } from '../../db/database.js';
import { ApiError } from '../../errors/api-error.js';
import { AuditRepository } from '../../observe/audit.repository.js';
import { isSame } from '../../validation/proofs.js';
import { assertFromHere } from '../../web/layout/page-requests.js';
import { hasEnded, OperatorAttempts, OperatorKeys, toOperator, type Operator } from '../operator-access.js';
import { OperatorSessionRepository } from '../operators.repository.js';

/** A working day, from the sign-in on; there is no renewal. */
const SESSION_MS = 8 * 3_600_000;
const TOKEN_BYTES = 32;
const COOKIE = 'bowerbird_ops';
const COOKIE_VALUE = /(?:^|; ?)bowerbird_ops=([\w-]{43})(?:;|$)/;

/** The name of the field that every form has. */
export const FORM_TOKEN = 'form_token';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** Of a session; set by the OperatorSessionGuard. */
      operatorKey?: OperatorKey;
    }
  }
}

/** The request has no valid session. */
export class OperatorSignInRequired extends Error {}

/** Sessions of operators, begun with a key: they end after eight hours, or with the key. */
@Injectable()
export class OperatorSessions {
  constructor(
    private readonly config: Config,
    private readonly keys: OperatorKeys,
    private readonly attempts: OperatorAttempts,
    private readonly sessions: OperatorSessionRepository,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Begins a session under a new token, which the cookie of the answer has.
   *
   * @throws {ApiError} key_invalid; too_many_requests after wrong keys from this network
   */
  async begin(text: string, request: Request, response: Response): Promise<void> {
    await this.beginFor(await this.keys.identify(text, request.ip), request, response);
  }

  /** The same for the holder of a key who proved it by a passkey. */
  async beginFor(key: OperatorKey, request: Request, response: Response): Promise<void> {
    const token = newToken();
    const now = await this.clock.now();
    const endsAt = new Date(Math.min(now.getTime() + SESSION_MS, key.until?.getTime() ?? Infinity));
    const session = { tokenHash: hashOf(token), operator: key.name, keyHash: key.hash };
    await this.sessions.begin(session, now, endsAt);
    await this.record(toOperator(key, request.ip), 'operator.sign-in');
    setCookie(request, response, token, endsAt.getTime() - now.getTime());
  }

  /**
   * The operator of the session; null without one, and where its key is gone or has expired.
   *
   * @throws {ApiError} too_many_requests after many requests without a session from this network
   */
  async find(request: Request): Promise<Operator | null> {
    const token = tokenOf(request);
    if (token === null) return null;
    const place = callerIdOfAddress(request.ip);
    await this.attempts.assertNotBlocked('session', place);
    const session = await this.sessions.find(hashOf(token));
    const key = this.config.operators.keys.find(
      ({ name, hash }) => name === session?.operator && hash === session.keyHash,
    );
    if (session && key && !hasEnded(key, session.now)) {
      request.operatorKey = key;
      return toOperator(key, request.ip);
    }
    await this.attempts.count('session', place);
    return null;
  }

  async end(request: Request, response: Response): Promise<void> {
    const token = tokenOf(request);
    if (token !== null) await this.sessions.end(hashOf(token));
    if (request.operator) await this.record(request.operator, 'operator.sign-out');
    response.clearCookie(COOKIE, { path: '/ops' });
  }

  private async record({ actor, from }: Operator, action: string): Promise<void> {
    await this.audit.record({ actor, action, subject: 'operators', reason: 'at the pages', from });
  }
}

/** Admits the operator of a session, and forms from these pages only. */
@Injectable()
export class OperatorSessionGuard implements CanActivate {
  constructor(private readonly sessions: OperatorSessions) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const operator = await this.sessions.find(request);
    if (!operator) throw new OperatorSignInRequired();
    if (request.method === 'POST') assertFromHere(request);
    request.operator = operator;
    return true;
  }
}

/** The token for the forms of a page; a visitor without a cookie gets one, so that the sign-in form has a token too. */
export function formTokenOf(request: Request, response: Response): string {
  let token = tokenOf(request);
  if (token === null) {
    token = newToken();
    setCookie(request, response, token, SESSION_MS);
  }
  return proofOf(token).toString('base64url');
}

/** @throws {ApiError} bad_request for a form that these pages did not make for this browser */
export function assertFormToken(request: Request, shown: unknown): void {
  assertFromHere(request);
  const token = tokenOf(request);
  const isOurs =
    token !== null && typeof shown === 'string' && isSame(Buffer.from(shown, 'base64url'), proofOf(token));
  if (!isOurs) throw new ApiError('bad_request', 'This form has expired. Open its page again, and send it.');
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function tokenOf({ headers }: Request): string | null {
  return COOKIE_VALUE.exec(headers.cookie ?? '')?.[1] ?? null;
}

/** One round is right for 256 random bits. */
function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

// Not the stored hash: a reader of the database could make forms.
function proofOf(token: string): Buffer {
  return createHmac('sha256', token).update('forms of operators').digest();
}

function setCookie(request: Request, response: Response, token: string, maxAge: number): void {
  const { secure } = request;
  response.cookie(COOKIE, token, { httpOnly: true, sameSite: 'strict', path: '/ops', secure, maxAge });
}
