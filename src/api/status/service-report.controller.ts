import { Controller, Get, Header, Injectable, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { Clock } from '../../db/database.js';
import { ServiceLevels, ServiceLevelDto } from '../../observe/service-levels.module.js';
import { type Span, writtenMinutes } from '../../observe/objectives.js';
import { csvLine } from '../../validation/formats.js';
import { PURGE_ENDS } from './status.repository.js';
import { RequiresTier } from '../../access/requirements.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { many, OK, shape, text, time, whole } from '../../validation/shape.js';

const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;

class ServiceReportQuery {
  @ApiPropertyOptional({
    description:
      'Which month (YYYY-MM, UTC); left out: this one, as far as it has come. Requests are kept for 92 days.',
    type: String,
    pattern: MONTH.source,
    example: '2026-11',
  })
  @IsOptional()
  @Matches(MONTH, { message: 'month must be a month such as 2026-11' })
  month?: string;
}

@ApiSchema({ name: 'ServiceLevels', description: 'What was promised, and what was measured.' })
export class ServiceLevelsDto extends shape({
  days: whole('Over how many days it was measured.', 30),
  objectives: many(ServiceLevelDto, 'One for each indicator.'),
}) {}

@ApiSchema({ name: 'ServiceReport', description: 'What was promised, and what was measured in a month.' })
class ServiceReport extends shape({
  ...OK,
  month: text('The month (UTC).', '2026-11'),
  from: time('Its beginning.', '2026-11-01T00:00:00.000Z'),
  to: time(
    'Its end, or the last full minute of one that is not over; not included.',
    '2026-11-22T18:00:00.000Z',
  ),
  objectives: many(ServiceLevelDto, 'One for each indicator.'),
}) {}

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
