import { Injectable } from '@nestjs/common';
import type { Visitor } from '../../access/session-resolver.js';
import type { BulkCheckResult } from '../../api/check/bulk/bulk-check.dto.js';
import { BulkCheckService } from '../../api/check/bulk/bulk-check.service.js';
import { toCsv } from '../../api/check/bulk/bulk-table.js';
import { BULK_TOKEN } from '../../api/check/bulk/bulk-token.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/clock.js';
import { ApiError } from '../../errors/api-error.js';
import { RecordBudget } from '../../access/record-budget.js';
import { siteOf } from '../layout/layout.js';
import { type CheckProblem, renderAnswers, renderCheckForm } from './check-view.js';
import { namesIn } from './pasted-names.js';

/** Longest time that a page waits for the registry: while it is loaded, nobody sees what is there already. */
const WAIT_SECONDS = 3;
/** Told on the form, with what was pasted still in it. */
const PROBLEMS = ['bad_request', 'invalid_parameter', 'domain_invalid', 'budget_exhausted'];

/** Many names at once, for people: within the same budget as the bulk check of the API. */
@Injectable()
export class CheckPageService {
  constructor(
    private readonly bulk: BulkCheckService,
    private readonly budget: RecordBudget,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async showForm(visitor: Visitor, text = '', problem: CheckProblem | null = null): Promise<string> {
    const { rate } = await this.budget.read(visitor);
    return renderCheckForm(siteOf(this.config), { text, problem, rate, signedIn: isSignedIn(visitor) });
  }

  /** @param texts what was pasted, and the text of a file @returns the address of the answers, or the form with what is wrong */
  async begin(
    texts: readonly string[],
    visitor: Visitor,
  ): Promise<{ address: string } | { status: number; html: string }> {
    try {
      const token = await this.bulk.checkAndKeep(namesIn(...texts), WAIT_SECONDS, visitor);
      return { address: `/check/${token}` };
    } catch (error) {
      if (!(error instanceof ApiError) || !PROBLEMS.includes(error.code)) throw error;
      const { status, message, retryAfterSeconds } = error;
      return {
        status,
        html: await this.showForm(visitor, texts.join('\n').trim(), { message, retryAfterSeconds }),
      };
    }
  }

  /** @param isWaiting whether somebody wants to see more than there was @throws {ApiError} not_found */
  async showAnswers(token: string, isWaiting: boolean, visitor: Visitor): Promise<string> {
    const [result, now] = await Promise.all([
      this.fetch(token, isWaiting ? WAIT_SECONDS : 0, visitor),
      this.clock.now(),
    ]);
    return renderAnswers(siteOf(this.config), { token, result, now, signedIn: isSignedIn(visitor) });
  }

  /** @throws {ApiError} not_found */
  async writeCsv(token: string, visitor: Visitor): Promise<string> {
    return toCsv((await this.fetch(token, 0, visitor)).results);
  }

  private async fetch(token: string, waitSeconds: number, visitor: Visitor): Promise<BulkCheckResult> {
    const found = BULK_TOKEN.test(token) && (await this.tryFetch(token, waitSeconds, visitor));
    if (found) return found;
    throw new ApiError(
      'not_found',
      'These answers are not here any more, or were given to somebody else. They are kept for an hour.',
    );
  }

  private async tryFetch(
    token: string,
    waitSeconds: number,
    visitor: Visitor,
  ): Promise<BulkCheckResult | null> {
    try {
      return await this.bulk.fetchRest(token, waitSeconds, visitor);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return null;
      throw error;
    }
  }
}

const isSignedIn = ({ accountId }: Visitor): boolean => accountId !== null;
