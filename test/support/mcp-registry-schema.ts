/**
 * What the MCP registry wants of a server.json, of the parts that ours has: written down from
 * docs/reference/server-json of github.com/modelcontextprotocol/registry (ServerDetail and StreamableHttpTransport,
 * format of 2025-12-11). Other members, which the registry knows and we do not send, are refused here.
 */
export const SERVER_JSON = {
  type: 'object',
  required: ['$schema', 'name', 'description', 'version'],
  additionalProperties: false,
  properties: {
    $schema: {
      const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    },
    name: {
      type: 'string',
      minLength: 3,
      maxLength: 200,
      pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$',
    },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    // No range: the registry takes one version.
    version: { type: 'string', maxLength: 255, pattern: '^\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?$' },
    websiteUrl: { type: 'string', format: 'uri' },
    remotes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'url'],
        additionalProperties: false,
        properties: {
          type: { enum: ['streamable-http', 'sse'] },
          url: { type: 'string', pattern: '^https?://[^\\s]+$' },
        },
      },
    },
  },
} as const;

/**
 * The same of a server card: written down from ServerCard and Remote in schema.json of
 * github.com/modelcontextprotocol/experimental-ext-server-card, as it was on 24 July 2026.
 */
export const SERVER_CARD = {
  type: 'object',
  required: ['$schema', 'name', 'description', 'version'],
  additionalProperties: false,
  properties: {
    ...SERVER_JSON.properties,
    $schema: {
      type: 'string',
      pattern: '^https://static\\.modelcontextprotocol\\.io/schemas/v1/server-card\\.schema\\.json$',
    },
    remotes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'url'],
        additionalProperties: false,
        properties: {
          type: { enum: ['sse', 'streamable-http'] },
          url: { type: 'string', pattern: '^https?://[^\\s]+$' },
          supportedProtocolVersions: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
} as const;

/**
 * And of an AI Catalog with entries by address: from specification/ai-catalog.md of github.com/Agent-Card/ai-catalog, whose
 * `mediaType` became `type` in May 2026.
 */
export const AI_CATALOG = {
  type: 'object',
  required: ['specVersion', 'entries'],
  additionalProperties: false,
  properties: {
    specVersion: { type: 'string', pattern: '^\\d+\\.\\d+$' },
    entries: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['identifier', 'type', 'url'],
        additionalProperties: false,
        properties: {
          identifier: { type: 'string', pattern: '^urn:air:[a-z0-9.-]+(:[a-z0-9.-]+)+$' },
          type: { const: 'application/mcp-server-card+json' },
          url: { type: 'string', format: 'uri' },
        },
      },
    },
  },
} as const;
