import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../auth/caller.js';
import { NoParameters } from '../errors/no-parameters.dto.js';
import { rateHeaders } from '../rate-limit/rate-headers.js';
import { PagesService } from './pages.service.js';

/** Pages for people; not part of the published API. */
@ApiExcludeController()
@Controller()
export class PagesController {
  constructor(private readonly pages: PagesService) {}

  @Get('domains/:domain')
  async showDomain(
    @Param('domain') domain: string,
    @Query() _query: NoParameters,
    @CurrentCaller() caller: Caller,
    @Res() response: Response,
  ): Promise<void> {
    const { html, ...left } = await this.pages.showDomain(domain, caller);
    response
      .set(rateHeaders(caller.tier, left))
      .set('Cache-Control', 'private, no-cache')
      .type('html')
      .send(html);
  }
}
