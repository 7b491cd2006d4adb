import { WebhookLanes } from './webhook-lanes.js';
import { Injectable } from '@nestjs/common';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';
import { AccountAuditLog } from '../../observe/audit.repository.js';
import { type Caller, actorOf, ownerOf } from '../../access/caller.js';
import { Config } from '../../config/config.js';
import { VERSION } from '../../config/product.js';
import { Clock } from '../../db/database.js';
import { ApiError } from '../../errors/api-error.js';
import type { ChallengeDelivery } from './delivery.dto.js';
import { getFrom, postTo, type ReceiverAnswer } from './receiver-request.js';
import { openSecrets, signatureHeaders } from './webhook-message.js';
import { notFound } from './webhooks.service.js';
import type { ProofOrder, ProofResult } from './webhook.dto.js';
import { type HostProof, WebhookProofRepository } from './webhook-proof.repository.js';

const FILE_PATH = '/.well-known/bowerbird-webhooks.txt';
/** The caller waits for the result. */
const TIMEOUT_MS = 5_000;
const CHALLENGE_BYTES = 24;
const OK = 200;

const USER_AGENT = `Bowerbird-Webhooks/${VERSION}`;

/** Lets account holders prove that a host, or an address, is theirs, which lifts the pace of deliveries to it. */
@Injectable()
export class WebhookProofsService {
  constructor(
    private readonly proofs: WebhookProofRepository,
    private readonly auditLog: AccountAuditLog,
    private readonly lanes: WebhookLanes,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async readProof(id: string, caller: Caller): Promise<ProofResult> {
    const accountId = ownerOf(caller);
    return this.resultOf(await this.find(accountId, id), accountId);
  }

  /**
   * Asks the host, once per turn of the account; a proven one is not asked. A path may be one of many on a
   * host, so a signed answer proves only its address; a file at the root proves the host.
   *
   * @throws {ApiError} not_found, host_not_proven, too_many_requests
   */
  async prove(id: string, { by }: ProofOrder, caller: Caller): Promise<ProofResult> {
    const accountId = ownerOf(caller);
    const proof = await this.find(accountId, id);
    if (proof.provenBy === 'file' || (proof.provenBy !== null && by === 'challenge'))
      return this.resultOf(proof, accountId);
    await this.takeTurn(accountId);
    const problem = await (by === 'file' ? this.readFile(proof, accountId) : this.challenge(proof, id));
    const place = by === 'file' ? proof.host : proof.url;
    if (problem !== null) throw new ApiError('host_not_proven', `${place} is not proven: ${problem}`);
    await this.proofs.insert(accountId, place, by);
    await this.auditLog.recordBestEffort(actorOf(caller, accountId), 'webhook.prove', `${place} by ${by}`);
    // What waited for a turn does not any more.
    await this.lanes.wakeNow(id);
    return this.readProof(id, caller);
  }

  private async find(accountId: string, id: string): Promise<HostProof> {
    const proof = await this.proofs.find(accountId, id);
    if (!proof) throw notFound();
    return proof;
  }

  private async takeTurn(accountId: string): Promise<void> {
    const pace = this.config.webhooks.unprovenPaceSeconds;
    // Without a pace there is nothing to win, and nothing to be held to.
    const retryAfterSeconds = pace === 0 ? 0 : await this.proofs.takeTurn(accountId, pace, 'next_proof_at');
    if (retryAfterSeconds === 0) return;
    throw new ApiError(
      'too_many_requests',
      `An account asks for a proof once in ${pace} s; ask again in ${retryAfterSeconds} s`,
      { retryAfterSeconds },
    );
  }

  private async readFile({ url }: HostProof, accountId: string): Promise<string | null> {
    const headers = { 'User-Agent': USER_AGENT, Accept: 'text/plain' };
    const answer = await getFrom(fileOf(url), headers, this.options);
    if (answer.status !== OK) return `${fileOf(url)} ${wordsOf(answer)}, and 200 is needed`;
    const lines = (answer.text ?? '').split('\n').map((line) => line.trim());
    return lines.includes(lineOf(accountId))
      ? null
      : `${fileOf(url)} does not hold the line ${lineOf(accountId)} in its first kilobyte`;
  }

  /**
   * The answer is a signature over the challenge alone: it needs the secret, so an echo of the request fails.
   */
  private async challenge({ url, secrets }: HostProof, webhookId: string): Promise<string | null> {
    const opened = openSecrets(secrets, webhookId, this.config.webhooks.openingKeys);
    if (!opened) return 'the secret cannot be read any more: rotate it';
    const [id, sentAt] = [`msg_${randomUUID()}`, await this.clock.now()];
    const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
    const content: ChallengeDelivery = {
      type: 'webhook.challenge',
      timestamp: sentAt.toISOString(),
      data: { webhook_id: webhookId, challenge },
    };
    const body = JSON.stringify(content);
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': USER_AGENT,
      ...signatureHeaders(id, sentAt, body, opened),
    };
    const answer = await postTo(url, headers, body, this.options);
    if (answer.status === null || answer.status < OK || answer.status >= 300)
      return `the address ${wordsOf(answer)}, and 2xx is needed`;
    const signed = (answer.text ?? '').trim();
    return opened.some((secret) => new Signer(secret).sign(id, sentAt, challenge) === signed)
      ? null
      : 'the answer to the challenge is not the signature of it (see /docs/webhooks)';
  }

  private get options(): { timeoutMs: number; allowsLoopback: boolean } {
    const { timeoutMs, allowsLoopback } = this.config.webhooks;
    return { timeoutMs: Math.min(timeoutMs, TIMEOUT_MS), allowsLoopback };
  }

  private resultOf({ host, url, provenAt, provenBy }: HostProof, accountId: string): ProofResult {
    return {
      ok: true,
      proof: {
        host,
        proven_at: provenAt?.toISOString() ?? null,
        proven_by: provenBy,
        unproven_pace_seconds: this.config.webhooks.unprovenPaceSeconds,
        file: { url: fileOf(url), line: lineOf(accountId) },
      },
    };
  }
}

const fileOf = (url: string) => new URL(FILE_PATH, url).href;

/**
 * Identifies the host's owner without exposing the account: only a person who controls the host can publish
 * the line.
 */
function lineOf(accountId: string): string {
  return `bowerbird-webhooks=${createHash('sha256').update(`webhooks of ${accountId}`).digest('base64url')}`;
}

const wordsOf = ({ status, problem }: ReceiverAnswer) =>
  status === null ? `gave no answer (${problem ?? 'none'})` : `answered ${status}`;
