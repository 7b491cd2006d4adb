import { Module } from '@nestjs/common';
import { DomainsModule } from '../../domains/domains.module.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { ExplainedSuggestService } from './explained/explained-suggest.service.js';
import { SuggestController } from './suggest.controller.js';
import { SuggestService } from './suggest.service.js';

@Module({
  imports: [DomainsModule, RateLimitModule],
  controllers: [SuggestController],
  providers: [SuggestService, ExplainedSuggestService],
  exports: [SuggestService, ExplainedSuggestService],
})
export class SuggestModule {}
