import { Module } from '@nestjs/common';
import { DomainsModule } from '../../domains/domains.module.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { SearchController } from './search.controller.js';
import { SearchService } from './search.service.js';

@Module({
  imports: [DomainsModule, RateLimitModule],
  controllers: [SearchController],
  providers: [SearchService],
  exports: [SearchService],
})
export class SearchModule {}
