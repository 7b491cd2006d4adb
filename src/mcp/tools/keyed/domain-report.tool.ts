import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../access/caller.js';
import { DomainReport, ReportAddress } from '../../../api/report/report.dto.js';
import { ReportService } from '../../../api/report/report.service.js';
import { Switch } from '../compact-list.js';
import { READ_ONLY, type Tool } from '../tool.js';

export class DomainReportArguments extends ReportAddress {
  @Switch('Whether to ask the registry too, for one record more.')
  live?: boolean;
}

@Injectable()
export class DomainReportTool implements Tool<DomainReportArguments, DomainReport> {
  readonly name = 'domain_report';
  readonly title = 'Domain report';
  readonly description =
    'All that the dataset knows of one name: score and what it was made from, history, the same label under the other suffixes, who may hold it. Use it to compare candidates or to explain one. Costs 1 record, 2 with live; a name that the dataset does not have costs nothing (not_found: check_domain asks the registry).';
  readonly arguments = DomainReportArguments;
  readonly results = [DomainReport];
  readonly annotations = { ...READ_ONLY, openWorldHint: true };
  readonly costsRecords = true;

  constructor(private readonly report: ReportService) {}

  run({ domain, live = false }: DomainReportArguments, caller: Caller): Promise<DomainReport> {
    return this.report.reportOn(domain, { live: live ? 'true' : 'false' }, caller);
  }
}
