import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { McpEndpoint } from './mcp-endpoint.js';
import { TakesAccessTokens } from '../../access/requirements.js';
import { McpHostGuard } from './mcp-host.guard.js';

/**
 * POST only. GET would open a stream and DELETE end a session; a server without either answers 405, in all revisions.
 */
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
