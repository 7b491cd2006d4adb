import { Module } from '@nestjs/common';
import { DroppedModule } from '../api/dropped/dropped.module.js';
import { DropsModule } from '../api/drops/drops.module.js';
import { FacetsModule } from '../api/facets/facets.module.js';
import { ReportModule } from '../api/report/report.module.js';
import { SearchModule } from '../api/search/search.module.js';
import { UsageService } from '../api/usage/usage.service.js';
import { CheckDomainsTool } from './tools/keyed/check-domains.tool.js';
import { DomainReportTool } from './tools/keyed/domain-report.tool.js';
import { DroppedSinceTool } from './tools/keyed/dropped-since.tool.js';
import { KeyedTools } from './tools/keyed/keyed-tools.js';
import { ListFiltersTool } from './tools/keyed/list-filters.tool.js';
import { SearchDomainsTool } from './tools/keyed/search-domains.tool.js';
import { UsageTool } from './tools/keyed/usage.tool.js';
import { UpcomingDropsTool } from './tools/upcoming-drops.tool.js';
import { CheckModule } from '../api/check/check.module.js';
import { RateLimitModule } from '../access/rate-limit.module.js';
import { StatsModule } from '../api/stats/stats.module.js';
import { SuggestModule } from '../api/suggest/suggest.module.js';
import { AgentsController } from './agents.controller.js';
import { AccountToolsController } from './account-tools.controller.js';
import { McpController } from './endpoint/mcp.controller.js';
import { McpEndpoint } from './endpoint/mcp-endpoint.js';
import { McpServers } from './mcp-server.js';
import { FindANamePrompt } from './prompts/find-a-name.prompt.js';
import { ResourceSet } from './resources/resource-set.js';
import { CheckDomainTool } from './tools/check-domain.tool.js';
import { DatasetStatsTool } from './tools/dataset-stats.tool.js';
import { RegisterDomainTool } from './tools/register-domain.tool.js';
import { SuggestDomainsTool } from './tools/suggest-domains.tool.js';
import { ToolSet } from './tools/tool-set.js';

/** The second door to what the REST API answers: the same services, the same budget, for agents. Needs McpContractModule. */
@Module({
  imports: [
    ...[StatsModule, CheckModule, SuggestModule, SearchModule, FacetsModule, DroppedModule, DropsModule],
    ...[ReportModule, RateLimitModule],
  ],
  controllers: [McpController, AgentsController],
  providers: [
    McpEndpoint,
    McpServers,
    ToolSet,
    CheckDomainTool,
    SuggestDomainsTool,
    DatasetStatsTool,
    RegisterDomainTool,
    UpcomingDropsTool,
    ...[
      KeyedTools,
      SearchDomainsTool,
      DroppedSinceTool,
      DomainReportTool,
      ListFiltersTool,
      UsageTool,
      CheckDomainsTool,
    ],
    // Its module has an address that is there with keys only.
    UsageService,
    ResourceSet,
    FindANamePrompt,
  ],
  exports: [McpEndpoint, McpServers, ToolSet],
})
export class McpModule {}

/** The tool server for accounts alone, where apps can be connected. */
@Module({ imports: [McpModule], controllers: [AccountToolsController] })
export class AccountToolsModule {}
