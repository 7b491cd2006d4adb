import { Module } from '@nestjs/common';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RegistryModule } from '../../registry/registry.module.js';
import { SiblingsController } from './siblings.controller.js';
import { SiblingsService } from './siblings.service.js';

@Module({
  imports: [RegistryModule, RateLimitModule],
  controllers: [SiblingsController],
  providers: [SiblingsService],
  exports: [SiblingsService],
})
export class SiblingsModule {}
