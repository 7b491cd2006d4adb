import { Injectable } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { Config } from '../../config/config.js';
import { isMadeWithAny } from '../../validation/proofs.js';

const PURPOSE = 'bowerbird watch link';
/** Account, for the feed its generation, and what proves that they are ours. */
const TOKEN = /^([0-9a-f-]{36})\.(\d{1,9})\.([\w-]{43})$/;

type Use = 'feed' | 'unsubscribe';

/** Addresses that work without a session, for programs that have none. They are signed: nothing of them is stored. */
@Injectable()
export class WatchLinks {
  constructor(private readonly config: Config) {}

  /** @param generation another one is another address, and the one before works no more */
  feed(accountId: string, generation: number): string {
    return this.link('/watch/feed.atom', this.tokenOf('feed', accountId, generation));
  }

  unsubscribe(accountId: string): string {
    return this.link('/watch/unsubscribe', this.tokenOf('unsubscribe', accountId, 0));
  }

  page(): string {
    return `${this.config.links.baseUrl}/watch`;
  }

  name(domain: string): string {
    return `${this.config.links.baseUrl}/domains/${domain}`;
  }

  /** Whom the token of a link is for; null when it is not one of ours. */
  read(use: Use, token: string): { accountId: string; generation: number } | null {
    const [, accountId, digits, proof] = TOKEN.exec(token) ?? [];
    if (accountId === undefined || proof === undefined) return null;
    const generation = Number(digits);
    const shown = Buffer.from(proof, 'base64url');
    // Links signed with the previous secret stay valid as long as that secret is configured.
    const isOurs = isMadeWithAny(shown, this.config.auth.linkSecrets, (secret) =>
      proofOf(secret, use, accountId, generation),
    );
    return isOurs ? { accountId, generation } : null;
  }

  private link(path: string, token: string): string {
    return `${this.config.links.baseUrl}${path}?token=${token}`;
  }

  private tokenOf(use: Use, accountId: string, generation: number): string {
    const [secret = ''] = this.config.auth.linkSecrets;
    const proof = proofOf(secret, use, accountId, generation);
    return `${accountId}.${generation}.${proof.toString('base64url')}`;
  }
}

function proofOf(secret: string, use: Use, accountId: string, generation: number): Buffer {
  const key = createHmac('sha256', secret).update(PURPOSE).digest();
  return createHmac('sha256', key).update(`${use}\n${accountId}\n${generation}`).digest();
}
