import { Module } from '@nestjs/common';
import { DomainsModule } from '../../domains/domains.module.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { DroppedController } from './dropped.controller.js';
import { DroppedService } from './dropped.service.js';

@Module({
  imports: [DomainsModule, RateLimitModule],
  controllers: [DroppedController],
  providers: [DroppedService],
  exports: [DroppedService],
})
export class DroppedModule {}
