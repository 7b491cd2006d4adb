import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { MAX_BODY_BYTES } from '../../errors/request-body.js';
import { refuseBatch, refuseEncoding } from './message-rules.js';
import { McpServers } from '../mcp-server.js';

/**
 * Streamable HTTP, stateless: revision 2026-07-28 and the 2025 revisions from one factory. No session and no memory
 * between requests, so any instance can answer any request.
 */
@Injectable()
export class McpEndpoint {
  private readonly logger = new Logger('Mcp');

  constructor(private readonly servers: McpServers) {}

  async serve(request: Request, response: Response): Promise<void> {
    const { caller, requestId } = request;
    let problem: Error | undefined;
    const onerror = (error: Error) => {
      problem = error;
    };
    const options = { maxRequestBodySize: MAX_BODY_BYTES, onerror };
    // One handler a request: it holds no more than the factory, and the factory knows who asks without a detour.
    const handler = createMcpHandler(() => this.servers.build({ caller, requestId }), options);
    const answer = toNodeHandler(
      {
        fetch: async (message) =>
          refuseEncoding(message) ?? (await refuseBatch(message)) ?? handler.fetch(message),
      },
      options,
    );
    await answer(request, response);
    // What the SDK reports is mostly the caller's: a wrong header, a broken message. The answer says so already. And to
    // the SDK a client that hangs up in the middle of its message is a 500.
    if (response.statusCode >= 500 && !request.readableAborted)
      this.logger.error({ request_id: requestId, stack: problem?.stack ?? 'no error was reported' });
  }
}
