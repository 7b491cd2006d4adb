import { Controller, Get, Param, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type Caller, CurrentCaller } from '../auth/caller.js';
import { NoParameters } from '../errors/requests/no-parameters.dto.js';
import { CostsRecords } from '../rate-limit/costs-records.decorator.js';
import { setMeteredHeaders } from '../rate-limit/rate-headers.js';
import { PageErrorFilter } from './errors/site-error.filter.js';
import { PagesService } from './pages.service.js';

/** Pages for people; not part of the published API. */
@ApiExcludeController()
@UseFilters(PageErrorFilter)
@Controller()
export class PagesController {
  constructor(private readonly pages: PagesService) {}

  @Get('domains/:domain')
  @CostsRecords()
  async showDomain(
    @Param('domain') domain: string,
    @Query() _query: NoParameters,
    @CurrentCaller() caller: Caller,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { isFound, html, ...left } = await this.pages.showDomain(domain, caller);
    setMeteredHeaders(request, response, left);
    response
      .status(isFound ? 200 : 404)
      .type('html')
      .send(html);
  }
}
