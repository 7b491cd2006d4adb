import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { setTimeout as pause } from 'node:timers/promises';

/** The suite asks for such pauses, so that notifications arrive one by one. */
const PAUSE_MS = 50;

/** Tools that report while they work. Our own tools do not, so this is the only traffic of that kind. */
export function registerNotifications(server: McpServer): void {
  server.server.registerCapabilities({ logging: {} });
  server.registerTool('test_tool_with_progress', { description: 'Reports progress.' }, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await context.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
      await pause(PAUSE_MS);
    }
    return done();
  });
  for (const name of ['test_tool_with_logging', 'test_logging_tool'])
    server.registerTool(name, { description: 'Writes log messages.' }, logThrice);
}

async function logThrice({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const step of ['started', 'processing data', 'completed']) {
    await mcpReq.log('info', step === 'processing data' ? `Tool ${step}` : `Tool execution ${step}`);
    await pause(PAUSE_MS);
  }
  return done();
}

function done(): CallToolResult {
  return { content: [{ type: 'text', text: 'done' }] };
}
