import { Controller, Get, Header, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { RecordBudget } from '../access/record-budget.js';
import { IgnoresKeys } from '../access/requirements.js';
import { SessionResolver, type Visitor } from '../access/session-resolver.js';
import { Config } from '../config/config.js';
import { toTierDto } from '../domains/schema/domain-view.js';
import type { Domain } from '../domains/schema/domain.js';
import { ApiError } from '../errors/api-error.js';
import { csvLine } from '../validation/formats.js';
import { readAddress } from './drops/drops-address.js';
import { DropsPageService } from './drops/drops-page.service.js';
import { PageErrorFilter } from './layout/error-pages.js';
import { assertFromHere } from './layout/page-requests.js';
import { SearchPageService } from './search/search-page.service.js';

/** Most rows of a file: the API has pages. */
const MAX_ROWS = 1_000;

type Cell = string | number | boolean | null;

/** What happens on a day, as a page and as a feed. */
@ApiExcludeController()
@IgnoresKeys()
@UseFilters(PageErrorFilter)
@Controller()
export class DropsPageController {
  constructor(
    private readonly drops: DropsPageService,
    private readonly sessions: SessionResolver,
  ) {}

  @Get('drops')
  async showDay(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    const visitor = await this.sessions.resolve(request, response);
    return this.drops.show(readAddress(request.query), visitor);
  }

  @Get('drops.atom')
  @Header('Content-Type', 'application/atom+xml; charset=utf-8')
  async writeFeed(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    return this.drops.writeFeed(await this.sessions.resolve(request, response));
  }
}

/** Lists as CSV. A file costs records, so links on other sites are refused. */
@ApiExcludeController()
@IgnoresKeys()
@UseFilters(PageErrorFilter)
@Controller()
export class CsvController {
  constructor(
    private readonly budget: RecordBudget,
    private readonly config: Config,
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
    const text = await this.toCsv(visitor, list);
    response.type('text/csv; charset=utf-8').set('Content-Disposition', `attachment; filename="${name}.csv"`);
    return text;
  }

  /**
   * Charges one record a row, and cuts the file to what was left.
   *
   * @param list finds at most this many names
   * @throws {ApiError} key_required without an account, budget_exhausted
   */
  private async toCsv(
    visitor: Visitor,
    list: (limit: number) => Promise<readonly Domain[]>,
  ): Promise<string> {
    if (visitor.accountId === null)
      throw new ApiError('key_required', 'Lists as CSV are for accounts, and cost one record a name.');
    const { rate } = await this.budget.read(visitor);
    const limit = Math.min(MAX_ROWS, visitor.tier.listRows, Math.max(1, rate.remaining));
    const rows = await list(limit);
    const { granted } = await this.budget.charge(visitor, rows.length);
    return csvOf(rows.slice(0, granted).map((row) => flat(toTierDto(row, visitor.tier, this.config.links))));
  }
}

function csvOf(rows: readonly Record<string, Cell>[]): string {
  const [first] = rows;
  if (!first) return csvLine(['domain']);
  return [csvLine(Object.keys(first)), ...rows.map((row) => csvLine(Object.values(row)))].join('');
}

/** The fields of the API; a nested field is prefixed with the name of its parent. */
function flat(fields: object, before = ''): Record<string, Cell> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(flat(value, `${before}${name}_`))
        : [[before + name, value as Cell]],
    ),
  );
}
