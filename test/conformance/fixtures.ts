import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { McpFeature } from '../../src/mcp/mcp-identity.js';
import { registerContent } from './content.fixtures.js';
import { readState, registerInputRequired } from './input-required.fixtures.js';
import { registerLegacyInput } from './legacy-input.fixtures.js';
import { registerNotifications } from './notification.fixtures.js';

/**
 * What the official conformance suite expects of the server it tests: tools, resources and prompts of fixed names. They
 * stand beside our own on the same endpoint, guards and transport, which is what the suite is here to judge.
 */
export class ConformanceFixtures implements McpFeature {
  register(server: McpServer): void {
    registerContent(server);
    registerNotifications(server);
    registerLegacyInput(server);
    registerInputRequired(server);
  }

  readState(state: string, context: ServerContext): Promise<unknown> {
    return readState(state, context);
  }
}
