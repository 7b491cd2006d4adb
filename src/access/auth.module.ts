import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { AuditModule } from '../observe/audit.repository.js';
import { Admission } from './admission.js';
import { AuthGuard, RequirementsGuard } from './requirements.js';
import { DemoIdentifier, Identifier } from './caller.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ApiKeysService, KeyUse } from './api-keys.service.js';
import { IdempotentRequestRepository } from './idempotent-request.repository.js';
import { IdempotentRequests } from './idempotent-requests.js';
import { ApiKeyCache } from './api-key-cache.js';
import { KeyIdentifier } from './key-identifier.js';
import { KeyMisuse } from './key-networks.js';
import { PaidCallers } from './paid-callers.js';
import { RefusalLimit } from './network-limits.js';
import { TierGate } from './tier-gate.js';
import { SessionResolver } from './session-resolver.js';

const DEMO: Provider[] = [{ provide: Identifier, useExisting: DemoIdentifier }];
const KEYS: Provider[] = [
  ApiKeyRepository,
  ApiKeysService,
  ApiKeyCache,
  KeyMisuse,
  KeyUse,
  PaidCallers,
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
        ...(auth.enabled ? [ApiKeyRepository, ApiKeysService, ApiKeyCache, KeyMisuse, PaidCallers] : []),
      ],
    };
  }
}
