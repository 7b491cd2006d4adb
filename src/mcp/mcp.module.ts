import { Module } from '@nestjs/common';
import { CheckModule } from '../check/check.module.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { StatsModule } from '../stats/stats.module.js';
import { SuggestModule } from '../suggest/suggest.module.js';
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

/** The second door to stats, check and suggest: the same services, the same budget, for agents. Needs McpContractModule. */
@Module({
  imports: [StatsModule, CheckModule, SuggestModule, RateLimitModule],
  controllers: [McpController],
  providers: [
    McpEndpoint,
    McpServers,
    ToolSet,
    CheckDomainTool,
    SuggestDomainsTool,
    DatasetStatsTool,
    RegisterDomainTool,
    ResourceSet,
    FindANamePrompt,
  ],
  exports: [McpServers, ToolSet],
})
export class McpModule {}
