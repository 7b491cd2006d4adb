import { isIP } from 'node:net';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController, type OpenAPIObject } from '@nestjs/swagger';
import { IgnoresKeys } from '../access/requirements.js';
import { Config } from '../config/config.js';
import { API_PREFIXES, type ApiPrefix, documentPath } from '../config/product.js';
import { Tiers, tierRows, type TierTable } from '../config/tiers.js';
import { McpContract } from './mcp-contract.js';
import { MCP_IDENTITY, MCP_PATH } from './mcp-identity.js';
import type { Tool } from './tool.js';
import { toolsFor } from './tools.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { toMarkdown } from '../validation/formats.js';
import { template } from '../web/layout/templates.js';

interface LlmsTxtSources {
  readonly baseUrl: string;
  readonly apis: readonly { readonly prefix: ApiPrefix; readonly document: OpenAPIObject }[];
  readonly tools: readonly Tool[];
  readonly tiers: TierTable;
  readonly hasKeys: boolean;
  /** Whether accounts can connect apps. */
  readonly takesApps: boolean;
}

const llms = template('llms');

/** The page for language models (llmstxt.org): the service, its two doors, limits and errors. */
function llmsTxt({ baseUrl, apis, tools, tiers, hasKeys, takesApps }: LlmsTxtSources): string {
  return llms({
    ...{ baseUrl, tools, hasKeys, takesApps, demo: tiers.demo },
    description: MCP_IDENTITY.description,
    mcpUrl: `${baseUrl}/${MCP_PATH}`,
    tiers: toMarkdown(tierRows(tiers)),
    apis: apis.map(({ prefix, document }) => ({
      prefix,
      openApi: documentPath(prefix),
      operations: operationsOf(document),
    })),
    errors: Object.entries(ERROR_CODES),
  });
}

const METHODS = ['get', 'post', 'patch', 'delete'] as const;

function operationsOf({ paths }: OpenAPIObject): object[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const { summary, description = '' } = item[method] ?? {};
      return summary ? [{ method: method.toUpperCase(), path, summary, description }] : [];
    }),
  );
}

const CARD_PATH = `${MCP_PATH}/server-card`;
const CARD_TYPE = 'application/mcp-server-card+json';

// They change with a release or the configuration only.
const ONE_HOUR = 'public, max-age=3600';

@ApiExcludeController()
@IgnoresKeys()
@Controller()
export class AgentsController {
  private readonly baseUrl: string;

  constructor(
    private readonly config: Config,
    private readonly contract: McpContract,
    private readonly tiers: Tiers,
  ) {
    this.baseUrl = config.links.baseUrl;
  }

  @Get('llms.txt')
  @Header('Content-Type', 'text/markdown; charset=utf-8')
  @Header('Cache-Control', ONE_HOUR)
  llmsTxt(): string {
    const { baseUrl, config, contract, tiers } = this;
    const hasKeys = config.auth.enabled;
    const prefixes: readonly ApiPrefix[] = hasKeys ? API_PREFIXES : ['v1'];
    const apis = prefixes.map((prefix) => ({ prefix, document: contract.documentOf(prefix) }));
    const { takesApps } = config.auth;
    const tools = toolsFor(hasKeys, config.orders.enabled);
    return llmsTxt({ baseUrl, apis, tools, tiers: tiers.table, hasKeys, takesApps });
  }

  @Get('server.json')
  @Header('Cache-Control', ONE_HOUR)
  serverJson(): object {
    return serverJson(this.baseUrl);
  }

  @Get('.well-known/ai-catalog.json')
  @Header('Content-Type', 'application/ai-catalog+json')
  @Header('Cache-Control', ONE_HOUR)
  aiCatalog(): object {
    return aiCatalog(this.baseUrl);
  }

  // The extension reserves the first address; crawlers look at the second, which earlier drafts named.
  @Get([CARD_PATH, '.well-known/mcp/server-card.json'])
  @Header('Content-Type', CARD_TYPE)
  @Header('Cache-Control', ONE_HOUR)
  serverCard(): object {
    return serverCard(this.baseUrl);
  }
}

interface ServerDescription {
  $schema: string;
  name: string;
  title: string;
  description: string;
  version: string;
  websiteUrl: string;
  remotes: { type: 'streamable-http'; url: string; supportedProtocolVersions?: string[] }[];
}

const SCHEMAS = 'https://static.modelcontextprotocol.io/schemas';
/** The revision without sessions, then the revisions that begin with a handshake. */
const REVISIONS = ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS];

/** The entry of the MCP registry (server.json, format of 2025-12-11): what an operator publishes there. */
function serverJson(baseUrl: string): ServerDescription {
  return describe(`${SCHEMAS}/2025-12-11/server.schema.json`, baseUrl);
}

/**
 * The server card (SEP-2127, schema v1 of experimental-ext-server-card): name and address before connecting. It has no
 * tools.
 */
function serverCard(baseUrl: string): ServerDescription {
  const description = describe(`${SCHEMAS}/v1/server-card.schema.json`, baseUrl);
  const remotes = description.remotes.map((remote) => ({ ...remote, supportedProtocolVersions: REVISIONS }));
  return { ...description, remotes };
}

/** The AI Catalog (github.com/Agent-Card/ai-catalog, specVersion 1.0): the card has names and descriptions. */
function aiCatalog(baseUrl: string): object {
  const identifier = `urn:air:${hostOf(baseUrl)}:mcp:${MCP_IDENTITY.name}`;
  return { specVersion: '1.0', entries: [{ identifier, type: CARD_TYPE, url: `${baseUrl}/${CARD_PATH}` }] };
}

function describe($schema: string, baseUrl: string): ServerDescription {
  const { name, title, description, version } = MCP_IDENTITY;
  return {
    $schema,
    name: `${namespaceOf(baseUrl)}/${name}`,
    title,
    description,
    version,
    websiteUrl: baseUrl,
    remotes: [{ type: 'streamable-http', url: `${baseUrl}/${MCP_PATH}` }],
  };
}

/** The host in reverse, as Java packages are named: names.example.au is au.example.names. */
function namespaceOf(baseUrl: string): string {
  const host = hostOf(baseUrl);
  return isIP(host) === 0 ? host.split('.').reverse().join('.') : host;
}

function hostOf(baseUrl: string): string {
  const host = new URL(baseUrl).hostname;
  // Neither a namespace nor an identifier may have the characters of an IPv6 address.
  return host.startsWith('[') ? 'localhost' : host;
}
