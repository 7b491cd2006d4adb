import type { OpenAPIObject } from '@nestjs/swagger';
import { type ApiPrefix, documentPath } from '../config/product.js';
import { ERROR_CODES } from '../errors/error-codes.js';
import { MCP_IDENTITY, MCP_PATH } from './mcp-identity.js';
import type { Tool } from './tools/tool.js';
import { tierRows, type TierTable } from '../config/tiers.js';
import { toMarkdown } from '../validation/formats.js';

/** What the page is made of: the same objects that the service itself runs on. */
export interface LlmsTxtSources {
  readonly baseUrl: string;
  readonly apis: readonly { readonly prefix: ApiPrefix; readonly document: OpenAPIObject }[];
  readonly tools: readonly Tool[];
  readonly tiers: TierTable;
  readonly hasKeys: boolean;
  /** Whether accounts can connect apps. */
  readonly takesApps: boolean;
}

/** The page for language models (llmstxt.org): what the service is, its two doors, its limits, its errors. */
export function llmsTxt(sources: LlmsTxtSources): string {
  const { baseUrl, apis, tools, tiers, hasKeys, takesApps } = sources;
  return `# Bowerbird

> ${MCP_IDENTITY.description} Answers are live and metered; when no registry answers, the state of a name is unknown and said to be.

- Suffixes: com.au, net.au, org.au, id.au, asn.au and au itself.
- Registering is a hand-off: register_url leads to the checkout of an accredited registrar. Nothing here buys or registers.
- ${hasKeys ? 'Without a key' : 'No key is needed'}: ${tiers.demo.recordsPerMinute} domain records and ${tiers.demo.requestsPerMinute} requests a minute for each IP address, over all doors together.
- \`registry.source\` "sandbox" means a made-up registry: such an answer says nothing about the real world.
${hasKeys ? keysSection(baseUrl, tiers) : ''}
## Tool server (MCP)

- [Streamable HTTP endpoint](${baseUrl}/${MCP_PATH}): POST only, no session, revision 2026-07-28 and the 2025 revisions
${takesApps ? `- [The same for accounts](${baseUrl}/${MCP_PATH}/account): connects an account by OAuth 2.1, without a key\n` : ''}- [Server card](${baseUrl}/.well-known/mcp/server-card.json): name, address and revisions, before connecting
- [server.json](${baseUrl}/server.json): the entry for the MCP registry

${tools.map(({ name, description }) => `- \`${name}\`: ${description}`).join('\n')}

## REST API

${apis.map(({ prefix, document }) => apiSection(baseUrl, prefix, document)).join('\n\n')}

## Failures

Over REST a failure is \`{"error":{"code","message","request_id"}}\`; from a tool it is a result marked as an error, with code, message, what_next and, where it applies, retry_after_seconds${hasKeys ? ', rate and quota' : ' and rate'}.

${Object.entries(ERROR_CODES)
  .map(([code, { status, meaning }]) => `- \`${code}\` (${status}): ${meaning}`)
  .join('\n')}
`;
}

function keysSection(baseUrl: string, tiers: TierTable): string {
  return `
## Keys

An API key raises the budget and opens more of the REST API. A person makes it; it is sent as \`Authorization: Bearer KEY\` to every door, never in an address. Its account's tier decides:

${toMarkdown(tierRows(tiers))}

- [Sign up](${baseUrl}/sign-up): free
- [Keys](${baseUrl}/profile/api-keys): made and revoked here
`;
}

function apiSection(baseUrl: string, prefix: ApiPrefix, document: OpenAPIObject): string {
  return `- [OpenAPI 3.1](${baseUrl}${documentPath(prefix)}): every parameter, field and failure
- [Interactive documentation](${baseUrl}/${prefix}/docs): try requests

${operationsOf(document).join('\n')}`;
}

const METHODS = ['get', 'post', 'patch', 'delete'] as const;

function operationsOf({ paths }: OpenAPIObject): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const { summary, description } = item[method] ?? {};
      return summary ? [`- \`${method.toUpperCase()} ${path}\`: ${summary}. ${description ?? ''}`] : [];
    }),
  );
}
