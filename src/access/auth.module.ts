import { type DynamicModule, Module, type Provider, Injectable } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { AuditModule } from '../observe/audit.repository.js';
import { Admission } from './admission.js';
import { AuthGuard, RequirementsGuard } from './requirements.js';
import { DemoIdentifier, Identifier, type Caller, callerIdOfAccount, callerIdOfAddress } from './caller.js';
import { ApiKeyRepository, type KeyHolder } from './api-key.repository.js';
import { ApiKeysService, KeyUse } from './api-keys.service.js';
import { IdempotentRequestRepository } from './idempotent-request.repository.js';
import { IdempotentRequests } from './idempotent-requests.js';
import { ApiKeyCache } from './api-key-cache.js';
import { isWithin, KeyMisuse } from './key-networks.js';
import { RefusalLimit } from './network-limits.js';
import { TierGate } from './tier-gate.js';
import { SessionResolver } from './session-resolver.js';
import type { Request } from 'express';
import { type Tier, Tiers, type TierTable } from '../config/tiers.js';
import { bearerToken, keyInvalid } from './bearer.js';
import { hashApiKey, isApiKey } from './api-key.js';

/** Without an Authorization header the demo tier by address; with a working key its account; otherwise 401. */
@Injectable()
export class KeyIdentifier extends Identifier {
  constructor(
    private readonly tiers: Tiers,
    private readonly keyCache: ApiKeyCache,
    private readonly use: KeyUse,
    private readonly refusals: RefusalLimit,
    private readonly misuse: KeyMisuse,
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
    this.use.note(holder.keyId, new Date());
    return { ...callerOf(holder, this.tiers.table), address: ip };
  }

  recall(request: Request): Pick<Caller, 'id' | 'tier'> {
    const token = bearerToken(request);
    const holder = token && isApiKey(token) ? this.keyCache.recall(hashApiKey(token)) : null;
    const { table } = this.tiers;
    return holder ? callerOf(holder, table) : { tier: table.demo, id: callerIdOfAddress(request.ip) };
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
  const { keyId, accountId, scopes, audience } = holder;
  const tier = tiers[holder.tier];
  const key = { id: keyId, accountId, scopes, audience };
  const id = callerIdOfAccount(accountId);
  if (holder.kind !== 'test') return { tier, id, key };
  return { tier: onDemoBudget(tier, tiers.demo), id: `${id}:test`, key };
}

function onDemoBudget(tier: Tier, { recordsPerMinute, requestsPerMinute }: Tier): Tier {
  return { ...tier, recordsPerMinute, requestsPerMinute, quota: null };
}

const DEMO: Provider[] = [{ provide: Identifier, useExisting: DemoIdentifier }];
const KEYS: Provider[] = [
  ApiKeyRepository,
  ApiKeysService,
  ApiKeyCache,
  KeyMisuse,
  KeyUse,
  RefusalLimit,
  { provide: Identifier, useClass: KeyIdentifier },
];

/** Who asks. In demo mode nothing here reads a table. */
@Module({})
export class AuthModule {
  static with({ auth }: Config): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      imports: auth.enabled ? [AuditModule] : [],
      providers: [
        AuthGuard,
        RequirementsGuard,
        DemoIdentifier,
        TierGate,
        SessionResolver,
        Admission,
        IdempotentRequestRepository,
        IdempotentRequests,
        ...(auth.enabled ? KEYS : DEMO),
      ],
      exports: [
        AuthGuard,
        RequirementsGuard,
        TierGate,
        SessionResolver,
        Admission,
        IdempotentRequestRepository,
        IdempotentRequests,
        ...(auth.enabled ? [ApiKeyRepository, ApiKeysService, ApiKeyCache, KeyMisuse] : []),
      ],
    };
  }
}
