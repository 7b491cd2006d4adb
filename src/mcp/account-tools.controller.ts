import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { RequiresScope, TakesAccessTokens } from '../access/requirements.js';
import { McpEndpoint } from './endpoint/mcp-endpoint.js';
import { McpHostGuard } from './endpoint/mcp-host.guard.js';

/**
 * The tool server for accounts alone. At /mcp whoever comes without a key is served as the demo, so that a client never learns that it
 * could connect an account; here it is asked to.
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
