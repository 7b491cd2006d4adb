import { Module } from '@nestjs/common';
import { RateLimitModule } from '../access/rate-limit.module.js';
import { CheckModule } from '../api/check/check.module.js';
import { DroppedModule } from '../api/dropped/dropped.module.js';
import { DropsModule } from '../api/drops/drops.module.js';
import { FacetsModule } from '../api/facets/facets.module.js';
import { ReportModule } from '../api/report/report.module.js';
import { SearchModule } from '../api/search/search.module.js';
import { StatsModule } from '../api/stats/stats.module.js';
import { SuggestModule } from '../api/suggest/suggest.module.js';
import { UsageService } from '../api/usage/usage.service.js';
import { AgentsController } from './agents.controller.js';
import { FindANamePrompt } from './find-a-name.prompt.js';
import { AccountToolsController, McpController, McpEndpoint } from './mcp.controller.js';
import { McpServers } from './mcp-server.js';
import { ResourceSet } from './resource-set.js';
import { ToolServices } from './tools.js';
import { ToolSet } from './tool-set.js';

/** The services of the REST API as tools for agents, within the same budget. Needs McpContractModule. */
@Module({
  imports: [
    ...[StatsModule, CheckModule, SuggestModule, SearchModule, FacetsModule, DroppedModule, DropsModule],
    ...[ReportModule, RateLimitModule],
  ],
  controllers: [McpController, AgentsController],
  // The module of UsageService has an address that exists with keys only.
  providers: [McpEndpoint, McpServers, ToolSet, ToolServices, UsageService, ResourceSet, FindANamePrompt],
  exports: [McpEndpoint, McpServers],
})
export class McpModule {}

/** The tool server for accounts, while apps can be connected. */
@Module({ imports: [McpModule], controllers: [AccountToolsController] })
export class AccountToolsModule {}
