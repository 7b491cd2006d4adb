import { Module } from '@nestjs/common';
import { DomainsModule } from '../../domains/domains.module.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { FacetsController } from './facets.controller.js';
import { FacetsService } from './facets.service.js';

@Module({
  imports: [DomainsModule, RateLimitModule],
  controllers: [FacetsController],
  providers: [FacetsService],
  exports: [FacetsService],
})
export class FacetsModule {}
