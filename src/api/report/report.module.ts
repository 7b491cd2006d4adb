import { Controller, Get, Module, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS } from '../../access/rate.dto.js';
import { CostsRecords } from '../../access/requirements.js';
import { ArchiveModule } from '../../archive/archive.module.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { RegistryModule } from '../../registry/registry.module.js';
import { DomainReport, ReportAddress, ReportQuery } from './report.dto.js';
import { ReportService } from './report.service.js';

@ApiTags('Dataset')
@Controller()
export class ReportController {
  constructor(private readonly report: ReportService) {}

  @Get('api/v1/domains/:domain')
  @CostsRecords()
  @ApiOperation({
    operationId: 'getDomain',
    summary: 'The full report on one name',
    description:
      'What the dataset knows of a name: shape, age, archive, score, history and the same label ' +
      'under the other suffixes; with live=true what the registry says now. Costs one record, two ' +
      'with live=true. Tiers with restricted fields get the nine fields of Domain.',
  })
  @ApiOkResponse({ type: DomainReport, description: 'The report.', headers: RATE_RESPONSE_HEADERS })
  @ApiFailures(
    'domain_invalid',
    'domain_suffix_unsupported',
    'domain_not_registrable',
    'not_found',
    'budget_exhausted',
    'registry_unavailable',
  )
  getDomain(
    @Param() { domain }: ReportAddress,
    @Query() query: ReportQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<DomainReport> {
    return this.report.reportOn(domain, query, caller);
  }
}

@Module({
  imports: [ArchiveModule, DomainsModule, RegistryModule, RateLimitModule],
  controllers: [ReportController],
  providers: [ReportService],
  exports: [ReportService],
})
export class ReportModule {}
