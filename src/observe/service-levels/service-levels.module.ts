import { Module } from '@nestjs/common';
import { RequestCounts } from './request-counts.js';
import { ServiceLevels } from './service-levels.service.js';
import { ServiceMinuteRepository } from './service-minute.repository.js';

@Module({
  providers: [ServiceMinuteRepository, RequestCounts, ServiceLevels],
  exports: [RequestCounts, ServiceLevels],
})
export class ServiceLevelsModule {}
