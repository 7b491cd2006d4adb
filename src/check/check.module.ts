import { Module } from '@nestjs/common';
import { DomainsModule } from '../domains/domains.module.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { CheckController } from './check.controller.js';
import { CheckService } from './check.service.js';

@Module({
  imports: [DomainsModule, RegistryModule, RateLimitModule],
  controllers: [CheckController],
  providers: [CheckService],
  exports: [CheckService],
})
export class CheckModule {}
