import { Module } from '@nestjs/common';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { UsageController, UsageHistoryController } from './usage.controller.js';
import { UsageHistoryRepository } from './usage-history.repository.js';
import { UsageHistoryService, UsageService } from './usage.service.js';

@Module({
  imports: [RateLimitModule],
  controllers: [UsageController, UsageHistoryController],
  providers: [UsageService, UsageHistoryRepository, UsageHistoryService],
  exports: [UsageHistoryService],
})
export class UsageModule {}
