import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { IgnoresKeys } from '../access/requirements.js';
import { API_PREFIXES, type ApiPrefix } from '../config/product.js';
import { Config } from '../config/config.js';
import { McpContract } from './schemas/mcp-contract.js';
import { ToolSet } from './tools/tool-set.js';
import { Tiers } from '../config/tiers.js';
import { llmsTxt } from './llms-txt.js';
import { serverCard, serverJson } from './server-card.js';

// They change with a release or the configuration only.
const KEPT_AN_HOUR = 'public, max-age=3600';

/** Where agents, and those who list servers for them, find out what there is. Made from what the service runs on. */
@ApiExcludeController()
@IgnoresKeys()
@Controller()
export class AgentsController {
  private readonly baseUrl: string;

  constructor(
    private readonly config: Config,
    private readonly contract: McpContract,
    private readonly tools: ToolSet,
    private readonly tiers: Tiers,
  ) {
    this.baseUrl = config.links.baseUrl;
  }

  @Get('llms.txt')
  @Header('Content-Type', 'text/markdown; charset=utf-8')
  @Header('Cache-Control', KEPT_AN_HOUR)
  llmsTxt(): string {
    const { baseUrl, config, contract, tools, tiers } = this;
    const hasKeys = config.auth.enabled;
    const prefixes: readonly ApiPrefix[] = hasKeys ? API_PREFIXES : ['v1'];
    const apis = prefixes.map((prefix) => ({ prefix, document: contract.documentOf(prefix) }));
    const { takesApps } = config.auth;
    return llmsTxt({ baseUrl, apis, tools: tools.toolsOf(hasKeys), tiers: tiers.table, hasKeys, takesApps });
  }

  @Get('server.json')
  @Header('Cache-Control', KEPT_AN_HOUR)
  serverJson(): object {
    return serverJson(this.baseUrl);
  }

  // The SEP reserves the first address; crawlers look at the second, which earlier drafts named.
  @Get(['mcp/server-card', '.well-known/mcp/server-card.json'])
  @Header('Content-Type', 'application/mcp-server-card+json')
  @Header('Cache-Control', KEPT_AN_HOUR)
  serverCard(): object {
    return serverCard(this.baseUrl);
  }
}
