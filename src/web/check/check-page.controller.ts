import {
  Body,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Query,
  Req,
  Res,
  UploadedFile,
  UseInterceptors,
  Injectable,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import type { Visitor } from '../../access/session-resolver.js';
import { MAX_BODY_BYTES } from '../../errors/validation.pipe.js';
import { assertFromHere } from '../layout/page-requests.js';
import { CurrentVisitor, PublicPages } from '../layout/public-pages.js';
import { type BulkCheckResult, MAX_NAMES } from '../../api/check/check.dto.js';
import { CheckService } from '../../api/check/check.module.js';
import { BulkCheckService } from '../../api/check/bulk-check.service.js';
import { toCsv } from '../../api/check/bulk-check.controller.js';
import { BULK_TOKEN, namesOfCsv } from '../../api/check/name-list.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { ApiError } from '../../errors/api-error.js';
import { RecordBudget } from '../../access/record-budget.js';
import { siteOf } from '../layout/layout.js';
import {
  type CheckProblem,
  renderAnswers,
  renderCheckedRow,
  renderCheckForm,
  type Shown,
  SHOWN,
} from './check-view.js';
import { ArchiveScoreRepository } from '../../archive/archive-score.repository.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { namesMeantBy } from '../../domains/name/domain-name.js';

/** Longest wait for the registry: the visitor sees no answers while the page loads. */
const WAIT_SECONDS = 3;
/** Shown on the form, which keeps the pasted text. */
const PROBLEMS = ['bad_request', 'invalid_parameter', 'domain_invalid', 'budget_exhausted'];

/** The bulk check of the API as pages, within the same budget. */
@Injectable()
export class CheckPageService {
  constructor(
    private readonly bulk: BulkCheckService,
    private readonly one: CheckService,
    private readonly budget: RecordBudget,
    private readonly years: ArchiveScoreRepository,
    private readonly reads: ReadDatabase,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  async showForm(visitor: Visitor, text = '', problem: CheckProblem | null = null): Promise<string> {
    const { rate } = await this.budget.read(visitor);
    return renderCheckForm(siteOf(this.config), { text, problem, rate, signedIn: isSignedIn(visitor) });
  }

  /** @param texts the pasted text and the file's @returns the address of the answers, or the form with the problem */
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

  /** Checks a name in sight, for one record. @throws {ApiError} key_required without a session */
  async checkRow(domain: string, visitor: Visitor): Promise<string> {
    if (!isSignedIn(visitor)) throw new ApiError('key_required', 'Sign in to check the names in sight.');
    const result = await this.one.checkDomain(domain, visitor);
    return renderCheckedRow(result, await this.clock.now());
  }

  /** @param isWaiting whether to wait for further answers @throws {ApiError} not_found */
  async showAnswers(token: string, isWaiting: boolean, show: Shown, visitor: Visitor): Promise<string> {
    const result = await this.fetch(token, isWaiting ? WAIT_SECONDS : 0, visitor);
    const known = result.results.flatMap(({ domain, result: one }) => (one?.known ? [domain] : []));
    const [years, now] = await Promise.all([this.years.listYears(known, this.reads), this.clock.now()]);
    const view = { token, show, result, years, now, signedIn: isSignedIn(visitor) };
    return renderAnswers(siteOf(this.config), view);
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
      'These answers have expired, or belong to another visitor. They are kept for an hour.',
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

/**
 * The names in pasted text and in a file: one a line, all on one line, or the column `domain` of a CSV, else its first.
 *
 * @throws {ApiError} bad_request for broken CSV, invalid_parameter for no name or too many
 */
export function namesIn(...texts: readonly string[]): string[] {
  const names = texts
    .flatMap((text) => namesOfCsv(isOneLine(text) ? text.trim().replace(/[\s,;]+/g, '\n') : text))
    .map((name) => nameInLink(name.trim()))
    .filter((name) => name !== '');
  if (names.length === 0) throw new ApiError('invalid_parameter', 'Enter at least one name, one a line.');
  if (names.length > MAX_NAMES)
    throw new ApiError(
      'invalid_parameter',
      `These are ${names.length} names, and ${MAX_NAMES} go at once. Remove some and check them later.`,
    );
  return names;
}

function nameInLink(text: string): string {
  return text.includes('/') ? (namesMeantBy(text)[0] ?? text) : text;
}

function isOneLine(text: string): boolean {
  return !text.trim().includes('\n');
}

const LIMITS = { files: 1, fields: 5, parts: 6, fileSize: MAX_BODY_BYTES, fieldSize: MAX_BODY_BYTES };

@PublicPages('check')
export class CheckPageController {
  constructor(private readonly checks: CheckPageService) {}

  @Get()
  showForm(@CurrentVisitor() visitor: Visitor): Promise<string> {
    return this.checks.showForm(visitor);
  }

  /** The answers have an address of their own, which can be loaded again at no cost. */
  @Post()
  @UseInterceptors(FileInterceptor('file', { limits: LIMITS }))
  async begin(
    @Body() body: unknown,
    @UploadedFile() file: { readonly buffer: Buffer } | undefined,
    @CurrentVisitor() visitor: Visitor,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    assertFromHere(request);
    const begun = await this.checks.begin([textOf(body), file?.buffer.toString() ?? ''], visitor);
    if ('address' in begun) response.redirect(HttpStatus.SEE_OTHER, begun.address);
    else response.status(begun.status).type('html').send(begun.html);
  }

  /** Part of a page: the row of a list, in which its script shows the answer. */
  @Post('row/:domain')
  @HttpCode(HttpStatus.OK)
  checkRow(
    @Param('domain') domain: string,
    @CurrentVisitor() visitor: Visitor,
    @Req() request: Request,
  ): Promise<string> {
    assertFromHere(request);
    return this.checks.checkRow(domain, visitor);
  }

  @Get(':token.csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Header('Content-Disposition', 'attachment; filename="checked-names.csv"')
  writeCsv(@Param('token') token: string, @CurrentVisitor() visitor: Visitor): Promise<string> {
    return this.checks.writeCsv(token, visitor);
  }

  @Get(':token')
  showAnswers(
    @Param('token') token: string,
    @Query('more') more: unknown,
    @Query('show') show: unknown,
    @CurrentVisitor() visitor: Visitor,
  ): Promise<string> {
    const tab = SHOWN.find((one) => one === show) ?? 'all';
    return this.checks.showAnswers(token, more !== undefined, tab, visitor);
  }
}

function textOf(body: unknown): string {
  const names = typeof body === 'object' && body !== null && 'names' in body ? body.names : '';
  return typeof names === 'string' ? names : '';
}
