import { t } from '../../texts/texts.js';
import { Injectable } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Request } from 'express';
import { callerIdOfAddress } from '../../access/caller.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { ApiError } from '../../errors/api-error.js';
import { DatabaseUnavailable } from '../../errors/database-failure.js';
import { AuditRepository } from '../../observe/audit.repository.js';
import { isSame } from '../../validation/proofs.js';
import { isObject } from '../../validation/unknown-values.js';
import { hasEnded, OperatorAttempts, type Operator } from '../operator-access.js';
import type { OperatorKey } from '../../config/parsers.js';
import { type OperatorPasskey, OperatorPasskeyRepository } from './passkeys.repository.js';

const CHALLENGE_MS = 5 * 60_000;
const RANDOM_BYTES = 16;
const TIME_BYTES = 8;
const PROOF_BYTES = 32;
const MAX_ANSWER_LENGTH = 20_000;
/** The most passkeys of one key. */
const MAX_PASSKEYS = 10;

/** What a challenge is for: a sign-in, or a new passkey of the holder of a key. */
type Purpose = 'sign-in' | `add:${string}`;

/**
 * Passkeys of operators. An operator adds a passkey in a session, and it works until the key of that session ends.
 * OPERATOR_KEY_HASH stays the only list of operators.
 */
@Injectable()
export class OperatorPasskeys {
  private readonly site: URL;
  private readonly secret: Buffer;

  constructor(
    private readonly config: Config,
    private readonly passkeys: OperatorPasskeyRepository,
    private readonly attempts: OperatorAttempts,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {
    this.site = new URL(config.links.baseUrl);
    // The same in every process, and as secret as the configuration.
    const hashes = config.operators.keys.map(({ hash }) => hash).join(',');
    this.secret = createHash('sha256').update(`challenges of operators ${hashes}`).digest();
  }

  list(key: OperatorKey): Promise<OperatorPasskey[]> {
    return this.passkeys.list(key.hash);
  }

  /** What the browser is asked for a sign-in: any passkey of this site. */
  async signInOptions(): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
    return generateAuthenticationOptions({
      rpID: this.site.hostname,
      challenge: this.challenge('sign-in', await this.clock.now()),
      userVerification: 'required',
      timeout: CHALLENGE_MS,
    });
  }

  /**
   * The key behind a passkey.
   *
   * @param text what the browser answered, as JSON
   * @throws {ApiError} key_invalid; too_many_requests after wrong ones from this network
   */
  async signIn(text: string, request: Request): Promise<OperatorKey> {
    const place = callerIdOfAddress(request.ip);
    await this.attempts.assertNotBlocked('key', place);
    const key = await this.verify(text);
    if (key) return key;
    await this.attempts.count('key', place);
    throw new ApiError('key_invalid', 'This passkey is not one of an operator. Sign in with your key.');
  }

  /** What the browser is asked for a new passkey. @throws {ApiError} limit_reached */
  async addOptions(key: OperatorKey): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { generateRegistrationOptions } = await import('@simplewebauthn/server');
    const known = await this.list(key);
    if (known.length >= MAX_PASSKEYS)
      throw new ApiError('limit_reached', `A key has ${MAX_PASSKEYS} passkeys at most; remove one first.`);
    return generateRegistrationOptions({
      rpID: this.site.hostname,
      rpName: t.ops.siteTitle,
      userName: key.name,
      userID: new Uint8Array(createHash('sha256').update(key.hash).digest()),
      challenge: this.challenge(`add:${key.hash}`, await this.clock.now()),
      attestationType: 'none',
      excludeCredentials: known.map(({ id }) => ({ id })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      timeout: CHALLENGE_MS,
    });
  }

  /** @throws {ApiError} invalid_parameter for an answer that is not one to these options */
  async add(text: string, key: OperatorKey, operator: Operator): Promise<void> {
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    const response = answerIn<RegistrationResponseJSON>(text);
    const now = await this.clock.now();
    const { registrationInfo: found } =
      (response &&
        (await verifyRegistrationResponse({
          response,
          expectedChallenge: (challenge) => this.use(challenge, `add:${key.hash}`, now),
          expectedOrigin: this.site.origin,
          expectedRPID: this.site.hostname,
          requireUserVerification: true,
        }).catch(refused))) ??
      {};
    if (!found) throw new ApiError('invalid_parameter', 'The passkey was not added. Open this page again.');
    const { id, publicKey, counter } = found.credential;
    const added = await this.passkeys.add({
      id,
      publicKey: Buffer.from(publicKey),
      counter,
      keyHash: key.hash,
    });
    if (!added) throw new ApiError('invalid_parameter', 'This device has a passkey of an operator already.');
    await this.record(operator, 'operator.passkey-add');
  }

  /** @throws {ApiError} not_found */
  async remove(id: string, key: OperatorKey, operator: Operator): Promise<void> {
    if (!(await this.passkeys.remove(id, key.hash)))
      throw new ApiError('not_found', 'There is no such passkey.');
    await this.record(operator, 'operator.passkey-remove');
  }

  private async verify(text: string): Promise<OperatorKey | null> {
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const response = answerIn<AuthenticationResponseJSON>(text);
    const passkey = response && (await this.passkeys.find(response.id));
    const key = passkey && this.config.operators.keys.find(({ hash }) => hash === passkey.keyHash);
    const now = await this.clock.now();
    if (!key || hasEnded(key, now)) return null;
    const { id, publicKey, counter } = passkey;
    const result = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => this.use(challenge, 'sign-in', now),
      expectedOrigin: this.site.origin,
      expectedRPID: this.site.hostname,
      credential: { id, publicKey: new Uint8Array(publicKey), counter },
      requireUserVerification: true,
    }).catch(refused);
    if (!result?.verified) return null;
    await this.passkeys.count(id, result.authenticationInfo.newCounter);
    return key;
  }

  /** A time and random bytes with their HMAC. Only answered challenges are stored. */
  private challenge(purpose: Purpose, now: Date): Uint8Array<ArrayBuffer> {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeBigUInt64BE(BigInt(now.getTime()));
    const head = Buffer.concat([time, randomBytes(RANDOM_BYTES)]);
    return new Uint8Array(Buffer.concat([head, this.proofOf(head, purpose)]));
  }

  /** Whether it is one of ours that is in time, at its first use. */
  private async use(text: string, purpose: Purpose, now: Date): Promise<boolean> {
    const challenge = Buffer.from(text, 'base64url');
    if (challenge.length !== TIME_BYTES + RANDOM_BYTES + PROOF_BYTES) return false;
    const head = challenge.subarray(0, TIME_BYTES + RANDOM_BYTES);
    if (!isSame(challenge.subarray(head.length), this.proofOf(head, purpose))) return false;
    const endsAt = new Date(Number(head.readBigUInt64BE()) + CHALLENGE_MS);
    return endsAt > now && this.passkeys.useChallenge(head, endsAt, now);
  }

  private proofOf(head: Buffer, purpose: Purpose): Buffer {
    return createHmac('sha256', this.secret).update(purpose).update(head).digest();
  }

  private async record({ actor, from }: Operator, action: string): Promise<void> {
    await this.audit.record({ actor, action, subject: 'operators', reason: 'at the pages', from });
  }
}

/** What a browser sent, as far as the verification relies on it. */
// What a browser answers is checked by the verification.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
function answerIn<Answer>(text: string): Answer | null {
  if (text.length > MAX_ANSWER_LENGTH) return null;
  try {
    const answer: unknown = JSON.parse(text);
    return isObject(answer) && typeof answer.id === 'string' && isObject(answer.response)
      ? (answer as Answer)
      : null;
  } catch {
    return null;
  }
}

/** A verification throws for a wrong answer. An unavailable database is rethrown. */
function refused(error: unknown): null {
  if (error instanceof DatabaseUnavailable) throw error;
  return null;
}
