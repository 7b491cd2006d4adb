import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODES } from '../errors/error-codes.js';
import { MCP_IDENTITY, MCP_PATH } from '../mcp/mcp-identity.js';
import type { Tool } from '../mcp/tools/tool.js';
import type { Tier } from '../tiers/tiers.js';

/** What the page is made of: the same objects that the service itself runs on. */
export interface LlmsTxtSources {
  readonly baseUrl: string;
  readonly document: OpenAPIObject;
  readonly tools: readonly Tool[];
  /** What a caller without a key gets. */
  readonly tier: Tier;
}

/** The page for language models (llmstxt.org): what the service is, its two doors, its limits, its errors. */
export function llmsTxt({ baseUrl, document, tools, tier }: LlmsTxtSources): string {
  return `# Bowerbird

> ${MCP_IDENTITY.description} Answers are live and metered; when no registry answers, the state of a name is unknown and said to be.

- Suffixes: com.au, net.au, org.au, id.au, asn.au and au itself.
- Registering is a hand-off: register_url leads to the checkout of an accredited registrar. Nothing here buys or registers.
- No key is needed: ${tier.recordsPerMinute} domain records and ${tier.requestsPerMinute} requests a minute for each IP address, over all doors together.
- \`registry.source\` "sandbox" means a made-up registry: such an answer says nothing about the real world.

## Tool server (MCP)

- [Streamable HTTP endpoint](${baseUrl}/${MCP_PATH}): POST only, no session, revision 2026-07-28 and the 2025 revisions
- [Server card](${baseUrl}/.well-known/mcp/server-card.json): name, address and revisions, before connecting
- [server.json](${baseUrl}/server.json): the entry for the MCP registry

${tools.map(({ name, description }) => `- \`${name}\`: ${description}`).join('\n')}

## REST API

- [OpenAPI 3.1](${baseUrl}/v1/openapi.json): every parameter, field and failure
- [Interactive documentation](${baseUrl}/v1/docs): try requests

${operationsOf(document).join('\n')}

## Failures

Over REST a failure is \`{"error":{"code","message","request_id"}}\`; from a tool it is a result marked as an error, with code, message, what_next and, where it applies, retry_after_seconds and rate.

${Object.entries(ERROR_CODES)
  .map(([code, { status, meaning }]) => `- \`${code}\` (${status}): ${meaning}`)
  .join('\n')}
`;
}

function operationsOf({ paths }: OpenAPIObject): string[] {
  return Object.entries(paths).flatMap(([path, { get }]) =>
    get ? [`- \`GET ${path}\`: ${get.summary ?? ''}. ${get.description ?? ''}`] : [],
  );
}
