import {
  type DynamicModule,
  Module,
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
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import { NetworksModule } from '../access/network-rules.js';
import { RateLimitModule } from '../access/rate-limit.module.js';
import { CheckModule } from '../api/check/check.module.js';
import { DroppedModule } from '../api/dropped/dropped.module.js';
import { DropsModule } from '../api/drops/drops.module.js';
import { FacetsModule } from '../api/facets/facets.module.js';
import { ReportModule } from '../api/report/report.module.js';
import { SearchModule } from '../api/search/search.module.js';
import { StatsModule } from '../api/stats/stats.module.js';
import { SuggestModule } from '../api/suggest/suggest.module.js';
import { UsageService } from '../api/usage/usage.module.js';
import { AgentsController } from './agents.controller.js';
import { FindANamePrompt } from './find-a-name.prompt.js';
import { McpServers } from './mcp-server.js';
import { ResourceSet } from './resource-set.js';
import { OrderServices, ToolServices } from './tool.js';
import { ToolSet } from './tools.js';
import { RequiresScope, TakesAccessTokens } from '../access/requirements.js';
import { Config } from '../config/config.js';
import { ApiError } from '../errors/api-error.js';
import { MAX_BODY_BYTES } from '../errors/validation.pipe.js';
import { isObject } from '../validation/unknown-values.js';

/** The last revision that knows JSON-RPC batches; 2025-06-18 took them out. */
const LAST_REVISION_WITH_BATCHES = '2025-03-26';
/** One HTTP request counts once for the flood limit. */
export const MAX_BATCH_MESSAGES = 10;

const INVALID_REQUEST = -32600;
// The SDK's own for a Content-Type that it does not read.
const UNSUPPORTED_MEDIA_TYPE = -32000;

/**
 * Refuses a batch that the revision forbids, that is too long or that cancels. Everything else is left to the SDK,
 * broken JSON included; the request stays readable for it.
 *
 * @returns the refusalOfBatch, or null
 */
async function refuseBatch(request: Request): Promise<Response | null> {
  const messages = parse(await request.clone().text());
  if (!Array.isArray(messages)) return null;
  const revision = request.headers.get('mcp-protocol-version') ?? LAST_REVISION_WITH_BATCHES;
  if (revision > LAST_REVISION_WITH_BATCHES)
    return refusalOfBatch(
      `Revision ${LAST_REVISION_WITH_BATCHES} was the last with batches; send one message a request.`,
    );
  if (messages.length > MAX_BATCH_MESSAGES)
    return refusalOfBatch(`A batch holds at most ${MAX_BATCH_MESSAGES} messages.`);
  // The SDK answers a batch when all of its requests are answered, which a cancelled one never is.
  if (messages.some(isCancellation) && messages.some(isRequest))
    return refusalOfBatch(
      'A batch with requests holds no notifications/cancelled: nothing could be cancelled yet.',
    );
  return null;
}

const isCancellation = (message: unknown) =>
  isObject(message) && message.method === 'notifications/cancelled';
const isRequest = (message: unknown) => isObject(message) && 'id' in message && 'method' in message;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the SDK answers with a parse error.
    return undefined;
  }
}

/**
 * Refuses a compressed body. The SDK ignores the header and would call such a body broken JSON.
 *
 * @returns the refusalOfBatch, or null
 */
function refuseEncoding({ headers }: Request): Response | null {
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return null;
  const message = 'Unsupported Media Type: send the body as it is, without Content-Encoding';
  return refusalOfBatch(message, UNSUPPORTED_MEDIA_TYPE, 415);
}

function refusalOfBatch(message: string, code = INVALID_REQUEST, status = 400): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

const PIECE_BYTES = 65_536;

/**
 * An answer that is complete before its reader takes the first piece. Its work is over then: a caller who reads nothing
 * keeps no place, and one who hangs up pays for the pieces taken.
 */
async function inPieces(answer: Response, response: HttpResponse): Promise<Response> {
  const { status, headers } = answer;
  // This process may be about to end the connection, and says so.
  headers.delete('connection');
  if (!answer.body) return answer;
  const text = new Uint8Array(await answer.arrayBuffer());
  response.endWork?.();
  let sent = 0;
  // One is pulled when the kernel has taken the one before.
  const pull = (pieces: ReadableStreamDefaultController<Uint8Array>) => {
    if (sent > 0) response.takenShare = sent / text.length;
    response.awaitReader?.(text.length - sent);
    pieces.enqueue(text.subarray(sent, (sent += PIECE_BYTES)));
    if (sent >= text.length) pieces.close();
  };
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { status, headers });
}

/**
 * Streamable HTTP without sessions: revision 2026-07-28 and the 2025 revisions from one factory. Any instance can
 * answer any request.
 */
@Injectable()
class McpEndpoint {
  private readonly logger = new Logger('Mcp');

  constructor(private readonly servers: McpServers) {}

  async serve(request: HttpRequest, response: HttpResponse): Promise<void> {
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
          refuseEncoding(message) ??
          (await refuseBatch(message)) ??
          inPieces(await handler.fetch(message), response),
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
    const { headers } = context.switchToHttp().getRequest<HttpRequest>();
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
class McpController {
  constructor(private readonly endpoint: McpEndpoint) {}

  @Post('mcp')
  serve(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
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
class AccountToolsController {
  constructor(private readonly endpoint: McpEndpoint) {}

  @Post('mcp/account')
  serve(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    return this.endpoint.serve(request, response);
  }
}

/** The services of the REST API as tools for agents, within the same budget. Needs McpContractModule. */
@Module({
  imports: [
    ...[StatsModule, CheckModule, SuggestModule, SearchModule, FacetsModule, DroppedModule, DropsModule],
    ...[ReportModule, RateLimitModule, NetworksModule],
  ],
  controllers: [McpController, AgentsController],
  // The module of UsageService has an address that exists with keys only.
  providers: [McpEndpoint, McpServers, ToolSet, ToolServices, UsageService, ResourceSet, FindANamePrompt],
  exports: [McpEndpoint, McpServers],
})
export class McpModule {
  /** @param orders null where names cannot be ordered: then nothing of it is in the list of tools */
  static with(orders: DynamicModule | null): DynamicModule {
    return { module: McpModule, ...(orders && { imports: [orders], providers: [OrderServices] }) };
  }
}

/** The tool server for accounts, while apps can be connected. */
@Module({})
export class AccountToolsModule {
  static with(tools: DynamicModule): DynamicModule {
    return { module: AccountToolsModule, imports: [tools], controllers: [AccountToolsController] };
  }
}
