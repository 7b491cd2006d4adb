import { Module } from '@nestjs/common';
import { DomainsModule } from '../domains/domains.module.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { SuggestController } from './suggest.controller.js';
import { SuggestService } from './suggest.service.js';

@Module({
  imports: [DomainsModule, RateLimitModule],
  controllers: [SuggestController],
  providers: [SuggestService],
  exports: [SuggestService],
})
export class SuggestModule {}
