import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import {
  CanActivate,
  Controller,
  ExecutionContext,
  Injectable,
  Logger,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { RequiresScope, TakesAccessTokens } from '../access/requirements.js';
import { Config } from '../config/config.js';
import { ApiError } from '../errors/api-error.js';
import { MAX_BODY_BYTES } from '../errors/request-body.js';
import { McpServers } from './mcp-server.js';
import { refuseBatch, refuseEncoding } from './message-rules.js';

/**
 * Streamable HTTP without sessions: revision 2026-07-28 and the 2025 revisions from one factory. Any instance can
 * answer any request.
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
    // One handler a request, so that the factory knows the caller.
    const handler = createMcpHandler(() => this.servers.build({ caller, requestId }), options);
    const answer = toNodeHandler(
      {
        fetch: async (message) =>
          refuseEncoding(message) ?? (await refuseBatch(message)) ?? handler.fetch(message),
      },
      options,
    );
    await answer(request, response);
    // The SDK mostly reports mistakes of the caller, which the answer names. To it, a client that hangs up is a 500.
    if (response.statusCode >= 500 && !request.readableAborted)
      this.logger.error({ request_id: requestId, stack: problem?.stack ?? 'no error was reported' });
  }
}

/**
 * Refuses requests of web pages: DNS rebinding shows in Host, any other page in Origin. Programs send no Origin.
 */
@Injectable()
class McpHostGuard implements CanActivate {
  private readonly hosts: string[];
  private readonly origins: string[];

  constructor({ mcp }: Config) {
    this.hosts = [...mcp.allowedHosts];
    this.origins = [...mcp.allowedOrigins];
  }

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<Request>();
    if (!validateHostHeader(headers.host, this.hosts).ok) throw refusal('Host', 'MCP_ALLOWED_HOSTS');
    if (!validateOriginHeader(headers.origin, this.origins).ok)
      throw refusal('Origin', 'MCP_ALLOWED_ORIGINS');
    return true;
  }
}

function refusal(header: string, variable: string): ApiError {
  return new ApiError(
    'host_not_allowed',
    `The tool server does not answer to the ${header} of this request; ` +
      `the operator can allow it in ${variable}.`,
  );
}

/** POST only: without streams and sessions GET and DELETE are a 405 in all revisions. */
@ApiExcludeController()
@TakesAccessTokens()
@UseGuards(McpHostGuard)
@Controller()
export class McpController {
  constructor(private readonly endpoint: McpEndpoint) {}

  @Post('mcp')
  serve(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.endpoint.serve(request, response);
  }
}

/**
 * The tool server for accounts alone. /mcp serves callers without a key as the demo, so that a client never learns that
 * it could connect an account; this address tells it.
 */
@ApiExcludeController()
@TakesAccessTokens()
@RequiresScope('read')
@UseGuards(McpHostGuard)
@Controller()
export class AccountToolsController {
  constructor(private readonly endpoint: McpEndpoint) {}

  @Post('mcp/account')
  serve(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.endpoint.serve(request, response);
  }
}
