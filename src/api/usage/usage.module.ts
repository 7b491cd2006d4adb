import { Module } from '@nestjs/common';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { UsageController } from './usage.controller.js';
import { UsageHistoryController } from './usage-history.controller.js';
import { UsageHistoryRepository } from './usage-history.repository.js';
import { UsageHistoryService } from './usage-history.service.js';
import { UsageService } from './usage.service.js';

@Module({
  imports: [RateLimitModule],
  controllers: [UsageController, UsageHistoryController],
  providers: [UsageService, UsageHistoryRepository, UsageHistoryService],
  exports: [UsageHistoryService],
})
export class UsageModule {}
