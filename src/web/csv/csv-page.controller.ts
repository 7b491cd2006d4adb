import { Controller, Get, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IgnoresKeys } from '../../access/requirements.js';
import { SessionResolver } from '../../access/session-resolver.js';
import type { Domain } from '../../domains/schema/domain.js';
import { readAddress } from '../drops/drops-address.js';
import { DropsPageService } from '../drops/drops-page.service.js';
import { PageErrorFilter } from '../errors/site-error.filter.js';
import { assertFromHere } from '../form-from-here.js';
import { SearchPageService } from '../search/search-page.service.js';
import { NamesCsv } from './names-csv.js';

/** What lists show, as files. They cost records, so no link on another site starts one. */
@ApiExcludeController()
@IgnoresKeys()
@UseFilters(PageErrorFilter)
@Controller()
export class CsvPageController {
  constructor(
    private readonly csv: NamesCsv,
    private readonly search: SearchPageService,
    private readonly drops: DropsPageService,
    private readonly sessions: SessionResolver,
  ) {}

  @Get('search.csv')
  writeSearch(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    return this.write('names', (limit) => this.search.list(request.query, limit), request, response);
  }

  @Get('drops.csv')
  writeDay(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    const address = readAddress(request.query);
    return this.write('drops', (limit) => this.drops.list(address, limit), request, response);
  }

  private async write(
    name: string,
    list: (limit: number) => Promise<readonly Domain[]>,
    request: Request,
    response: Response,
  ): Promise<string> {
    assertFromHere(request);
    const visitor = await this.sessions.resolve(request, response);
    const text = await this.csv.write(visitor, list);
    response.type('text/csv; charset=utf-8').set('Content-Disposition', `attachment; filename="${name}.csv"`);
    return text;
  }
}
