import { Module } from '@nestjs/common';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { UsageController } from './usage.controller.js';
import { UsageService } from './usage.service.js';

@Module({ imports: [RateLimitModule], controllers: [UsageController], providers: [UsageService] })
export class UsageModule {}
