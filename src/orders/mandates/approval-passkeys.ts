import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Passkeys, PROOF_MS } from '../../accounts/passkeys.service.js';
import { Clock } from '../../db/database.js';
import type { WithApproval } from '../order/order-actors.js';
import { OrderDesk } from '../order/order-desk.js';
import { orderClosed } from '../order/order-words.js';
import type { Order } from '../order/order.repository.js';
import { ApprovalChallengeRepository } from './approval-link.repository.js';

const NONCE_BYTES = 16;

/** Approvals by passkey. A proof signs the hash of one order: it approves that order alone, unchanged and once. */
@Injectable()
export class ApprovalPasskeys {
  constructor(
    private readonly clock: Clock,
    private readonly desk: OrderDesk,
    private readonly challenges: ApprovalChallengeRepository,
    private readonly passkeys: Passkeys,
  ) {}

  /** What the browser is asked. @throws {ApiError} order_closed where the order waits for no approval */
  async ask(order: Order, address: string): Promise<object> {
    const { id: orderId, accountId } = order;
    if (order.state !== 'awaiting_approval') throw orderClosed('needsNoApproval', {}, order);
    const terms = Buffer.from(await this.desk.termsOf(order), 'hex');
    const challenge = Buffer.concat([randomBytes(NONCE_BYTES), hashOf(orderId, terms)]);
    const now = await this.clock.now();
    await this.challenges.ask({ orderId, challenge, terms }, now, new Date(now.getTime() + PROOF_MS));
    return this.passkeys.beginProof(accountId, challenge, address);
  }

  /**
   * Verifies a proof; the use is for the transaction of the approval.
   *
   * @throws {AccountProblem} for a proof of anything but the challenge of this order
   */
  async verify(answer: string, { id: orderId, accountId }: Order): Promise<WithApproval> {
    const challenge = await this.challenges.find(orderId, await this.clock.now());
    if (!challenge) throw orderClosed('proof');
    const proof = await this.passkeys.verifyProof(accountId, answer, challenge);
    return async (transaction, { terms, now }) => {
      if (!(await this.challenges.use({ orderId, challenge, terms }, proof, now, transaction)))
        throw orderClosed('proof');
    };
  }
}

function hashOf(orderId: string, terms: Buffer): Buffer {
  return createHash('sha256').update(orderId).update(terms).digest();
}
