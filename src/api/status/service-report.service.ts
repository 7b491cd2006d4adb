import { Injectable } from '@nestjs/common';
import { Clock } from '../../db/database.js';
import { ServiceLevels } from '../../observe/service-levels/service-levels.module.js';
import { type Span, writtenMinutes } from '../../observe/service-levels/objectives.js';
import { csvLine } from '../../validation/formats.js';
import { PURGE_ENDS } from './status.repository.js';
import type { ServiceReport, ServiceReportQuery } from './service-report.dto.js';

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

/** A month as far as it has come. One that is still ahead is empty. */
export function spanOf(month: string, now: Date): Span {
  const from = new Date(`${month}-01T00:00:00Z`);
  const end = new Date(from);
  end.setUTCMonth(end.getUTCMonth() + 1);
  const { to } = writtenMinutes(from, now);
  return { from, to: new Date(Math.max(from.getTime(), Math.min(end.getTime(), to.getTime()))) };
}
