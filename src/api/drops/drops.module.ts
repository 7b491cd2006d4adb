import { Module } from '@nestjs/common';
import { DomainsModule } from '../../domains/domains.module.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { DropsController } from './drops.controller.js';
import { DropsService } from './drops.service.js';

@Module({
  imports: [DomainsModule, RateLimitModule],
  controllers: [DropsController],
  providers: [DropsService],
  exports: [DropsService],
})
export class DropsModule {}
