import { Controller, Get, Module, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS } from '../../access/rate.dto.js';
import { CostsRecords } from '../../access/requirements.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { NAME_FAILURES } from '../../errors/error-codes.js';
import { RegistryModule } from '../../registry/registry.module.js';
import { BulkCheckController } from './bulk-check.controller.js';
import { BulkCheckRepository } from './bulk-check.repository.js';
import { BulkCheckService } from './bulk-check.service.js';
import { BulkCheckWorker } from './bulk-check.worker.js';
import { CheckQuery, CheckResult } from './check.dto.js';
import { CheckService } from './check.service.js';

@ApiTags('Availability')
@Controller()
export class CheckController {
  constructor(private readonly check: CheckService) {}

  @Get(['v1/domains/check', 'api/v1/domains/check'])
  @CostsRecords()
  @ApiOperation({
    operationId: 'checkDomain',
    summary: 'Live availability of one .au name',
    description:
      'Asks the registry, adds what the dataset knows, and hands off with register_url when the ' +
      'name is available. Costs one record; a refused or failed check costs nothing. When no ' +
      'registry answers, the state is unknown and the answer is 503, never a guess.',
  })
  @ApiOkResponse({
    type: CheckResult,
    description: 'What the registry says now.',
    headers: RATE_RESPONSE_HEADERS,
  })
  @ApiFailures(...NAME_FAILURES, 'budget_exhausted', 'registry_unavailable')
  checkDomain(@Query() query: CheckQuery, @CurrentCaller() caller: Caller): Promise<CheckResult> {
    return this.check.checkDomain(query.domain, caller);
  }
}

@Module({
  imports: [DomainsModule, RegistryModule, RateLimitModule],
  controllers: [CheckController, BulkCheckController],
  providers: [CheckService, BulkCheckRepository, BulkCheckWorker, BulkCheckService],
  exports: [CheckService, BulkCheckService],
})
export class CheckModule {}
