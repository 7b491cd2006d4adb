import { Injectable } from '@nestjs/common';
import type { Visitor } from '../../access/session-resolver.js';
import { Config } from '../../config/config.js';
import type { Domain } from '../../domains/schema/domain.js';
import { toTierDto } from '../../domains/schema/domain-view.js';
import { ApiError } from '../../errors/api-error.js';
import { RecordBudget } from '../../access/record-budget.js';
import { csvLine } from '../../validation/formats.js';

/** Most rows of one file: who wants more pages through the API. */
const MAX_ROWS = 1_000;

type Cell = string | number | boolean | null;

/** Lists as files: for accounts, and as many rows as there are records left. */
@Injectable()
export class NamesCsv {
  constructor(
    private readonly budget: RecordBudget,
    private readonly config: Config,
  ) {}

  /**
   * Charges one record a row, and cuts the file to what was left.
   *
   * @param list finds the first names, as many as this at most
   * @throws {ApiError} key_required without an account, budget_exhausted
   */
  async write(visitor: Visitor, list: (limit: number) => Promise<readonly Domain[]>): Promise<string> {
    if (visitor.accountId === null)
      throw new ApiError('key_required', 'Lists as CSV are for accounts, and cost one record a name.');
    const { rate } = await this.budget.read(visitor);
    const limit = Math.min(MAX_ROWS, visitor.tier.listRows, Math.max(1, rate.remaining));
    const rows = await list(limit);
    const { granted } = await this.budget.charge(visitor, rows.length);
    return toCsv(rows.slice(0, granted).map((row) => flat(toTierDto(row, visitor.tier, this.config.links))));
  }
}

function toCsv(rows: readonly Record<string, Cell>[]): string {
  const [first] = rows;
  if (!first) return csvLine(['domain']);
  return [csvLine(Object.keys(first)), ...rows.map((row) => csvLine(Object.values(row)))].join('');
}

/** The fields of the API, those inside of others behind their name. */
function flat(fields: object, before = ''): Record<string, Cell> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(flat(value, `${before}${name}_`))
        : [[before + name, value as Cell]],
    ),
  );
}
