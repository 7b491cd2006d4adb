import { Get, Header, Req } from '@nestjs/common';
import type { Request } from 'express';
import { RecordBudget } from '../access/record-budget.js';
import type { Visitor } from '../access/session-resolver.js';
import { Config } from '../config/config.js';
import { toTierDto } from '../domains/schema/domain-view.js';
import type { Domain } from '../domains/schema/domain.js';
import { ApiError } from '../errors/api-error.js';
import { csvLine } from '../validation/formats.js';
import { readAddress } from './drops/drops-view.js';
import { DropsPageService } from './drops/drops-page.service.js';
import { assertFromHere } from './layout/page-requests.js';
import { CurrentVisitor, PublicPages } from './layout/public-pages.js';
import { SearchPageService } from './search/search-page.service.js';

/** Most rows of a file: the API has pages. */
const MAX_ROWS = 1_000;

type Cell = string | number | boolean | null;

@PublicPages()
export class DropsPageController {
  constructor(private readonly drops: DropsPageService) {}

  @Get('drops')
  showDay(@CurrentVisitor() visitor: Visitor, @Req() { query }: Request): Promise<string> {
    return this.drops.show(readAddress(query), visitor);
  }

  @Get('drops.atom')
  @Header('Content-Type', 'application/atom+xml; charset=utf-8')
  writeFeed(@CurrentVisitor() visitor: Visitor): Promise<string> {
    return this.drops.writeFeed(visitor);
  }
}

/** Lists as CSV. A file costs records, so links on other sites are refused. */
@PublicPages()
export class CsvController {
  constructor(
    private readonly budget: RecordBudget,
    private readonly config: Config,
    private readonly search: SearchPageService,
    private readonly drops: DropsPageService,
  ) {}

  @Get('search.csv')
  writeSearch(@CurrentVisitor() visitor: Visitor, @Req() request: Request): Promise<string> {
    return this.write('names', (limit) => this.search.list(request.query, limit), visitor, request);
  }

  @Get('drops.csv')
  writeDay(@CurrentVisitor() visitor: Visitor, @Req() request: Request): Promise<string> {
    const address = readAddress(request.query);
    return this.write('drops', (limit) => this.drops.list(address, limit), visitor, request);
  }

  /**
   * Charges one record a row, and cuts the file to the remaining budget.
   *
   * @param list finds at most this many names
   * @throws {ApiError} key_required without an account, budget_exhausted
   */
  private async write(
    name: string,
    list: (limit: number) => Promise<readonly Domain[]>,
    visitor: Visitor,
    request: Request,
  ): Promise<string> {
    assertFromHere(request);
    if (visitor.accountId === null)
      throw new ApiError('key_required', 'CSV lists need an account and cost one record a name.');
    const { rate } = await this.budget.read(visitor);
    const limit = Math.min(MAX_ROWS, visitor.tier.listRows, Math.max(1, rate.remaining));
    const rows = await list(limit);
    const { granted } = await this.budget.charge(visitor, rows.length);
    // Not by decorator: a failure is a page, not a file.
    request.res?.type('text/csv; charset=utf-8').attachment(`${name}.csv`);
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
