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
