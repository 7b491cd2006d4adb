import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequiresTier } from '../../access/requirements.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { ServiceReport, ServiceReportQuery } from './service-report.dto.js';
import { ServiceReportService } from './service-report.service.js';

const CSV_TYPE = 'text/csv';
const FAILURES = ['key_required', 'key_invalid', 'tier_required'] as const;

@ApiTags('Dataset')
@Controller()
@RequiresTier((tier) => tier.export)
export class ServiceReportController {
  constructor(private readonly reports: ServiceReportService) {}

  @Get('api/v1/status/report')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    operationId: 'getServiceReport',
    summary: 'The service levels of a month',
    description:
      'What is promised, and what was measured in a month: availability, latency, and how long ' +
      'events took to feed, webhooks and diffs. For tiers with exports. Costs nothing.',
  })
  @ApiOkResponse({ type: ServiceReport, description: 'The report.' })
  @ApiFailures(...FAILURES)
  getReport(@Query() query: ServiceReportQuery): Promise<ServiceReport> {
    return this.reports.readReport(query);
  }

  @Get('api/v1/status/report.csv')
  @Header('Cache-Control', 'private, no-cache')
  @Header('Content-Type', `${CSV_TYPE}; charset=utf-8`)
  @ApiOperation({
    operationId: 'getServiceReportCsv',
    summary: 'The service levels of a month, as CSV',
    description: 'The same as CSV: a line of names, and one for each indicator. Costs nothing.',
  })
  @ApiOkResponse({ description: 'The report.', content: { [CSV_TYPE]: { schema: { type: 'string' } } } })
  @ApiFailures(...FAILURES)
  getReportCsv(@Query() query: ServiceReportQuery): Promise<string> {
    return this.reports.writeReport(query);
  }
}
