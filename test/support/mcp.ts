import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What an agent does, whichever client library it is built on. */
export interface Agent {
  /** The IP address that the service sees it under, which is its budget. */
  readonly address: string;
  readonly client: Pick<
    Client,
    'listTools' | 'listResources' | 'listPrompts' | 'readResource' | 'getPrompt'
  > &
    Pick<Client, 'complete' | 'getInstructions' | 'getServerVersion' | 'getServerCapabilities'>;
  readonly revision: string | undefined;
  call(tool: string, given?: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

export interface ToolAnswer {
  readonly isError: boolean;
  /** The text content, parsed. */
  readonly text: Answer;
  readonly structured: unknown;
}

/** Fields of any answer or failure; a test reads those that it speaks of. */
export type Answer = Record<string, unknown> & {
  rate?: { limit_per_min: number; remaining: number; reset_in: number };
};

export type Library = (typeof LIBRARIES)[number];
/** The successor of the SDK in both eras, and the SDK that today's agents are built on. */
export const LIBRARIES = ['client 2.x, 2026-07-28', 'client 2.x, 2025-11-25', 'sdk 1.x'] as const;

const IDENTITY = { name: 'test-agent', version: '1.0.0' };
let agents = 0;

/**
 * An agent that the service has not met before, connected.
 *
 * @param url of the service
 * @param headers of every request, such as a key
 */
export async function connectAgent(
  url: string,
  library: Library,
  headers: Record<string, string> = {},
): Promise<Agent> {
  agents += 1;
  const address = `198.19.${agents & 255}.${(agents >> 8) + 1}`;
  const endpoint = new URL(`${url}/mcp`);
  const options = {
    requestInit: { headers: { 'X-Forwarded-For': address, 'Accept-Encoding': 'identity', ...headers } },
  };
  if (library === 'sdk 1.x') {
    const client = new FirstClient(IDENTITY);
    const transport = new FirstTransport(endpoint, options);
    await client.connect(transport);
    // The two libraries declare the same methods with types of their own.
    return agentOf(client as unknown as Client, address, transport.protocolVersion);
  }
  const mode = library === 'client 2.x, 2026-07-28' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client(IDENTITY, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(endpoint, options));
  return agentOf(client, address, client.getNegotiatedProtocolVersion());
}

function agentOf(client: Client, address: string, revision: string | undefined): Agent {
  return {
    address,
    client,
    revision,
    async call(name, given = {}) {
      const { isError, content, structuredContent } = await client.callTool({ name, arguments: given });
      const [first, ...rest] = content;
      if (first?.type !== 'text' || rest.length > 0) throw new Error('a tool answers with one text');
      return { isError: isError === true, text: JSON.parse(first.text), structured: structuredContent };
    },
    close: () => client.close(),
  };
}
