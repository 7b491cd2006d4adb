import type { OpenAPIObject } from '@nestjs/swagger';
import { type ApiPrefix, documentPath } from '../config/product.js';
import { tierRows, type TierTable } from '../config/tiers.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { toMarkdown } from '../validation/formats.js';
import { template } from '../web/layout/templates.js';
import { MCP_IDENTITY, MCP_PATH } from './mcp-identity.js';
import type { Tool } from './tools.js';

export interface LlmsTxtSources {
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
export function llmsTxt({ baseUrl, apis, tools, tiers, hasKeys, takesApps }: LlmsTxtSources): string {
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
