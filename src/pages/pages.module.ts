import { Module } from '@nestjs/common';
import { DomainsModule } from '../domains/domains.module.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { PagesController } from './pages.controller.js';
import { PagesService } from './pages.service.js';

@Module({
  imports: [DomainsModule, RegistryModule, RateLimitModule],
  controllers: [PagesController],
  providers: [PagesService],
})
export class PagesModule {}
