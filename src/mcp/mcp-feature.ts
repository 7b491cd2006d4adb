import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.js';

/** The HTTP request behind a message: who asks, and the id that its log lines have. */
export interface McpCall {
  readonly caller: Caller;
  readonly requestId: string;
}

/** Something the server offers: the tools, the resources, the prompts. */
export interface McpFeature {
  /** Puts the offer on a server that lives for one request. Runs on every request: no I/O. */
  register(server: McpServer, call: McpCall): void;

  /**
   * Reads state that the feature gave a client to carry to its next request. @throws when it is not the feature's own;
   * a feature without this method hands out none
   */
  readState?(state: string, context: ServerContext): Promise<unknown>;
}
