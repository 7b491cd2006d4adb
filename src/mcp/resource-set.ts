import type { CacheHint, McpServer } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { ApiPrefix } from '../config/product.js';
import { Config } from '../config/config.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { StatsService } from '../api/stats/stats.module.js';
import { toPublishedTier } from '../access/tier.dto.js';
import { Tiers } from '../config/tiers.js';
import { McpContract } from './mcp-contract.js';
import { protocolFailure } from './mcp-failure.js';
import type { McpCall, McpFeature } from './mcp-identity.js';

interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly cacheHint: CacheHint;
  read(): Promise<object> | object;
}

const MINUTE_MS = 60_000;
/** Changes with an import. */
const FRESH: CacheHint = { ttlMs: MINUTE_MS, cacheScope: 'public' };
/** Changes with a release of the service. */
const LASTING: CacheHint = { ttlMs: 60 * MINUTE_MS, cacheScope: 'public' };

const JSON_TYPE = 'application/json';

/** Documents that an agent can read for free, in the order of the list. */
@Injectable()
export class ResourceSet implements McpFeature {
  private readonly resources: readonly Resource[];

  constructor({ auth }: Config, stats: StatsService, contract: McpContract, { table }: Tiers) {
    const offered = auth.enabled ? Object.values(table) : [table.demo];
    this.resources = [
      {
        uri: 'bowerbird://stats',
        name: 'stats',
        title: 'Dataset statistics',
        description: 'The same as dataset_stats: how many names there are and how old the data is.',
        cacheHint: FRESH,
        read: () => stats.readStats(),
      },
      {
        uri: 'bowerbird://tiers',
        name: 'tiers',
        title: 'Tiers',
        description: 'Budgets and limits of the tiers that this installation has.',
        cacheHint: LASTING,
        read: () => Object.fromEntries(offered.map((tier) => [tier.name, toPublishedTier(tier)])),
      },
      {
        uri: 'bowerbird://errors',
        name: 'errors',
        title: 'Error codes',
        description: 'Every value of code in a failure, with its HTTP status on REST and its meaning.',
        cacheHint: LASTING,
        read: () => ERROR_CODES,
      },
      openApi('openapi', 'v1', contract),
      ...(auth.enabled ? [openApi('openapi/api-v1', 'api/v1', contract)] : []),
    ];
  }

  register(server: McpServer, { requestId }: McpCall): void {
    for (const { uri, name, title, description, cacheHint, read } of this.resources) {
      server.registerResource(name, uri, { title, description, mimeType: JSON_TYPE, cacheHint }, async () => {
        try {
          return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(await read()) }] };
        } catch (error) {
          throw protocolFailure(error, requestId);
        }
      });
    }
  }
}

function openApi(name: string, prefix: ApiPrefix, contract: McpContract): Resource {
  return {
    uri: `bowerbird://${name}`,
    name,
    title: `OpenAPI description of /${prefix}`,
    description:
      `The OpenAPI 3.1 document of the REST API below /${prefix}. ` +
      'Long: read it to write code, not to answer a question.',
    cacheHint: LASTING,
    read: () => contract.documentOf(prefix),
  };
}
