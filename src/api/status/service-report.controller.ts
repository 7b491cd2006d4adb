import { Controller, Get, Header, Injectable, Query } from '@nestjs/common';
import { Clock } from '../../db/database.js';
import { ServiceLevels } from '../../observe/service-levels/service-levels.module.js';
import { type Span, writtenMinutes } from '../../observe/service-levels/objectives.js';
import { csvLine } from '../../validation/formats.js';
import { PURGE_ENDS } from './status.repository.js';
import { ServiceReport, ServiceReportQuery } from './service-report.dto.js';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequiresTier } from '../../access/requirements.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';

/** The report of a month, for those to whom it is promised. */
@Injectable()
export class ServiceReportService {
  constructor(
    private readonly clock: Clock,
    private readonly levels: ServiceLevels,
  ) {}

  async readReport({ month: asked }: ServiceReportQuery): Promise<ServiceReport> {
    const now = await this.clock.now();
    const month = asked ?? now.toISOString().slice(0, 7);
    const span = spanOf(month, now);
    return {
      ok: true,
      month,
      from: span.from.toISOString(),
      to: span.to.toISOString(),
      objectives: await this.levels.measure(span, PURGE_ENDS),
    };
  }

  async writeReport(query: ServiceReportQuery): Promise<string> {
    const { month, objectives } = await this.readReport(query);
    const [first] = objectives;
    const names = first ? (Object.keys(first) as (keyof typeof first)[]) : [];
    const lines = objectives.map((one) => csvLine([month, ...names.map((name) => one[name])]));
    return csvLine(['month', ...names]) + lines.join('');
  }
}

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

/** A month as far as it has come. One that is still ahead is empty. */
function spanOf(month: string, now: Date): Span {
  const from = new Date(`${month}-01T00:00:00Z`);
  const end = new Date(from);
  end.setUTCMonth(end.getUTCMonth() + 1);
  const { to } = writtenMinutes(from, now);
  return { from, to: new Date(Math.max(from.getTime(), Math.min(end.getTime(), to.getTime()))) };
}
