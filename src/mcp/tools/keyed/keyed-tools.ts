import { Injectable } from '@nestjs/common';
import type { Tool } from '../tool.js';
import { CheckDomainsTool } from './check-domains.tool.js';
import { DomainReportTool } from './domain-report.tool.js';
import { DroppedSinceTool } from './dropped-since.tool.js';
import { ListFiltersTool } from './list-filters.tool.js';
import { SearchDomainsTool } from './search-domains.tool.js';
import { UsageTool } from './usage.tool.js';

/** What callers with a key are offered beside the tools for everybody: a list is paid for in tokens by whoever reads it. */
@Injectable()
export class KeyedTools {
  readonly tools: readonly Tool[];

  constructor(
    search: SearchDomainsTool,
    dropped: DroppedSinceTool,
    report: DomainReportTool,
    filters: ListFiltersTool,
    usage: UsageTool,
    checks: CheckDomainsTool,
  ) {
    this.tools = [search, checks, dropped, report, filters, usage];
  }
}
