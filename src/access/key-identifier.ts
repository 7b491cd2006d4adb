import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { type Tier, Tiers, type TierTable } from '../config/tiers.js';
import { timeOfDatabase } from '../db/database-time.js';
import { bearerToken, keyInvalid } from './bearer.js';
import { type Caller, callerIdOfAccount, callerIdOfAddress, Identifier } from './caller.js';
import { hashApiKey, isApiKey, scopesOf } from './api-key.js';
import type { KeyHolder } from './api-key.repository.js';
import { ApiKeyCache } from './api-key-cache.js';
import { KeyUse } from './api-keys.service.js';
import { isWithin, KeyMisuse } from './key-networks.js';
import { PaidCallers } from './paid-callers.js';
import { RefusalLimit } from './network-limits.js';

/** Without an Authorization header the demo tier by address; with a working key its account; otherwise 401. */
@Injectable()
export class KeyIdentifier extends Identifier {
  constructor(
    private readonly tiers: Tiers,
    private readonly keyCache: ApiKeyCache,
    private readonly use: KeyUse,
    private readonly refusals: RefusalLimit,
    private readonly misuse: KeyMisuse,
    private readonly paid: PaidCallers,
  ) {
    super();
  }

  async identify(request: Request): Promise<Caller> {
    const { ip } = request;
    const address = callerIdOfAddress(ip);
    const token = bearerToken(request);
    if (token === undefined) return { tier: this.tiers.table.demo, id: address };
    // A malformed key costs no query and is no guess: typing errors must not block a good key from the same address.
    if (token === null || !isApiKey(token)) throw keyInvalid();
    const hash = hashApiKey(token);
    const holder = this.keyCache.get(hash) ?? (await this.find(hash, address));
    // The same answer as for an unknown key, so that a thief learns nothing. The owner gets a mail.
    if (!isWithin(ip, holder.networks)) {
      this.misuse.note(holder, ip);
      throw keyInvalid();
    }
    this.use.note(holder.keyId, timeOfDatabase());
    return { ...callerOf(holder, this.tiers.table), address: ip };
  }

  recall(request: IncomingMessage, address: string | undefined): Pick<Caller, 'id' | 'key' | 'tier'> {
    const token = bearerToken(request);
    const hash = token && isApiKey(token) ? hashApiKey(token) : null;
    const holder = hash && this.keyCache.recall(hash);
    const { table } = this.tiers;
    if (holder) return callerOf(holder, table);
    return this.paid.find(hash, request.headers) ?? { tier: table.demo, id: callerIdOfAddress(address) };
  }

  private async find(hash: Buffer, address: string): Promise<KeyHolder> {
    // A look-up costs a query, so an address that sends wrong keys repeatedly has to wait.
    await this.refusals.assertNotBlocked(address);
    const holder = await this.keyCache.load(hash);
    if (holder) return holder;
    await this.refusals.count(address);
    throw keyInvalid();
  }
}

function callerOf(holder: KeyHolder, tiers: TierTable): Caller {
  const { keyId, accountId, audience } = holder;
  const scopes = scopesOf(holder.kind, holder.scopes);
  const tier = tiers[holder.tier];
  const key = { id: keyId, accountId, scopes, audience };
  const id = callerIdOfAccount(accountId);
  if (holder.kind !== 'test') return { tier, id, key };
  return { tier: onDemoBudget(tier, tiers.demo), id: `${id}:test`, key };
}

function onDemoBudget(tier: Tier, { recordsPerMinute, requestsPerMinute }: Tier): Tier {
  return { ...tier, recordsPerMinute, requestsPerMinute, quota: null };
}
