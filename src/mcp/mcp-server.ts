import { type CacheHint, McpServer, ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { sandboxWords } from '../domains/first-offers.js';
import { FindANamePrompt } from './find-a-name.prompt.js';
import {
  KEYED_TOOLS_RULE,
  MCP_IDENTITY,
  MCP_INSTRUCTIONS,
  type McpCall,
  type McpFeature,
  NOTHING_IS_BOUGHT,
  ORDERS_RULE,
  QUOTA_RULE,
} from './mcp-identity.js';
import { ResourceSet } from './resource-set.js';
import { ToolSet } from './tools.js';
import { isObject } from '../validation/unknown-values.js';

/** The lists change with a release only; those of callers with a key are longer. */
const LIST_TTL_MS = 3_600_000;
const CACHED_LISTS = [
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
] as const;

function instructionsFor({ caller }: McpCall, { auth, orders, registry }: Config): string {
  const takesOrders = caller.key !== undefined && orders.enabled;
  const rules = takesOrders ? MCP_INSTRUCTIONS.replace(NOTHING_IS_BOUGHT, '') : MCP_INSTRUCTIONS;
  const more = [caller.key && KEYED_TOOLS_RULE, takesOrders && ORDERS_RULE, auth.enabled && QUOTA_RULE];
  return [rules, ...more, sandboxWords(registry.source)].filter(Boolean).join('\n');
}

function cacheHintsFor({ caller }: McpCall): Record<string, CacheHint> {
  const hint: CacheHint = { ttlMs: LIST_TTL_MS, cacheScope: caller.key ? 'private' : 'public' };
  return Object.fromEntries(CACHED_LISTS.map((method) => [method, hint]));
}

/** What to do after a refusal that the SDK writes itself: an unknown tool, prompt or resource. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  [
    'tools/call',
    'Call suggest_domains with q to find names, or check_domain with domain to ask the registry; ' +
      'more tools are for callers with a key.',
  ],
  ['prompts/get', 'Get find_a_name with business_idea; tld may be left out.'],
  ['resources/read', 'Read bowerbird://stats, or call dataset_stats without arguments.'],
]);

/** Adds the next step to refusals of the SDK. Their codes and data stay: clients know unknown resources by them. */
function adviseAfterRefusals({ server }: McpServer): void {
  const wrap = server['_wrapHandler'].bind(server);
  server['_wrapHandler'] = (method, handler) => {
    const advice = INSTEAD.get(method);
    const answer = wrap(method, handler);
    if (advice === undefined) return answer;
    return async (request, context) => {
      try {
        return await answer(request, context);
      } catch (error) {
        if (error instanceof ProtocolError && !isAdvised(error)) error.message += `. ${advice}`;
        throw error;
      }
    };
  };
}

const isAdvised = ({ data }: ProtocolError) => isObject(data) && 'what_next' in data;

/** Builds one server a request: nothing is kept between requests. */
@Injectable()
export class McpServers {
  private readonly features: McpFeature[];

  constructor(
    private readonly config: Config,
    tools: ToolSet,
    resources: ResourceSet,
    prompt: FindANamePrompt,
  ) {
    this.features = [tools, resources, prompt];
  }

  /** For the fixtures of the conformance suite. */
  add(feature: McpFeature): void {
    this.features.push(feature);
  }

  build(call: McpCall): McpServer {
    const { name, title, version, description } = MCP_IDENTITY;
    const { links } = this.config;
    const server = new McpServer(
      { name, title, version, description, websiteUrl: links.baseUrl },
      {
        instructions: instructionsFor(call, this.config),
        requestState: { verify: (state, context) => this.readState(state, context) },
        cacheHints: cacheHintsFor(call),
      },
    );
    // Before the capabilities, for which the SDK makes its handlers.
    adviseAfterRefusals(server);
    // Nothing changes while a client listens.
    const listChanged = false;
    server.server.registerCapabilities({
      tools: { listChanged },
      resources: { listChanged },
      prompts: { listChanged },
    });
    for (const feature of this.features) feature.register(server, call);
    return server;
  }

  // A client may forge state; without a feature that issues it, all state is forged.
  private readState(state: string, context: ServerContext): Promise<unknown> {
    const reader = this.features.find((feature) => feature.readState);
    if (!reader?.readState) throw new Error('this server hands out no state');
    return reader.readState(state, context);
  }
}
