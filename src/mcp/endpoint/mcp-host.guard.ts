import { validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../config/config.js';
import { ApiError } from '../../errors/api-error.js';

/**
 * Refuses what a web page could be tricked into sending: a page whose name was rebound to this address shows it in Host,
 * any other page in Origin. Programs send no Origin and pass.
 */
@Injectable()
export class McpHostGuard implements CanActivate {
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
    `The tool server does not answer to the ${header} of this request; the operator can allow it in ${variable}.`,
  );
}
