import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { AuthGuard } from './auth.guard.js';
import { DemoIdentifier, Identifier } from './caller.js';
import { ApiKeyRepository } from './keys/api-key.repository.js';
import { ApiKeysService } from './keys/api-keys.service.js';
import { KeyIdentifier } from './keys/key-identifier.js';
import { KeyRing } from './keys/key-ring.js';
import { KeyUse } from './keys/key-use.js';
import { RefusalLimit } from './keys/refusal-limit.js';
import { RequirementsGuard } from './requirements.js';
import { TierGate } from './tier-gate.js';
import { Visitors } from './visitors.js';

const DEMO: Provider[] = [{ provide: Identifier, useExisting: DemoIdentifier }];
const KEYS: Provider[] = [
  ApiKeyRepository,
  ApiKeysService,
  KeyRing,
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
      providers: [
        AuthGuard,
        RequirementsGuard,
        DemoIdentifier,
        TierGate,
        Visitors,
        ...(auth.enabled ? KEYS : DEMO),
      ],
      exports: [
        AuthGuard,
        RequirementsGuard,
        TierGate,
        Visitors,
        ...(auth.enabled ? [ApiKeyRepository, ApiKeysService, KeyRing] : []),
      ],
    };
  }
}
