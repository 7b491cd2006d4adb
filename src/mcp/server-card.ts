import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { isIP } from 'node:net';
import { MCP_IDENTITY, MCP_PATH } from './mcp-identity.js';

/** What both documents say of the server; the card adds the revisions. */
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
/** The revision without sessions, then those that begin with a handshake. */
const REVISIONS = ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS];

/** The entry of the MCP registry (server.json, format of 2025-12-11): what an operator publishes there. */
export function serverJson(baseUrl: string): ServerDescription {
  return describe(`${SCHEMAS}/2025-12-11/server.schema.json`, baseUrl);
}

/** The server card (SEP-2127): who the server is and where, before anybody connects. It lists no tools, as the SEP wants. */
export function serverCard(baseUrl: string): ServerDescription {
  const description = describe(`${SCHEMAS}/v2/server-card.schema.json`, baseUrl);
  const remotes = description.remotes.map((remote) => ({ ...remote, supportedProtocolVersions: REVISIONS }));
  return { ...description, remotes };
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
  const host = new URL(baseUrl).hostname;
  if (isIP(host) !== 0) return host;
  // The address of an IPv6 host has signs that a namespace may not have.
  if (host.startsWith('[')) return 'localhost';
  return host.split('.').reverse().join('.');
}
