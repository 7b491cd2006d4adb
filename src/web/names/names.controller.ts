import {
  Body,
  Get,
  Headers,
  Inject,
  Param,
  Post,
  Redirect,
  Req,
  Res,
  Injectable,
  Optional,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Visitor } from '../../access/session-resolver.js';
import { CheckService } from '../../api/check/check.module.js';
import { readName } from '../layout/error-pages.js';
import { assertFromHere } from '../layout/page-requests.js';
import { CurrentVisitor, PublicPages } from '../layout/public-pages.js';
import { ArchiveScoreRepository } from '../../archive/archive-score.repository.js';
import { FormerSites } from '../../archive/former-site/former-sites.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { DatabaseUnavailable, isSqlState, LOCK_NOT_AVAILABLE } from '../../errors/database-failure.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import type { Domain } from '../../domains/schema/domain.js';
import { NO_LIMITS } from '../../domains/schema/filters/filters.js';
import { ListLimit } from '../../access/network-limits.js';
import { AnswerLogRepository } from '../../registry/answer-log.repository.js';
import { Registry } from '../../registry/registry.js';
import type { RegistryAnswer } from '../../registry/answer.js';
import { SiblingReader, siblingNames } from '../../registry/siblings.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { siteOf } from '../layout/layout.js';
import { HolderForm, NameEligibility, RegistrantForm } from './name-eligibility.js';
import { isFree, type NameKnowledge, renderNamePage } from './name-view.js';
import { OrderHere } from './order-here.js';
import { RelatedNames } from './related-names.js';

const MAX_EVENTS = 20;
/** Half of all names are no top. */
const MAX_TOP_PERCENT = 50;

@Injectable()
export class NamePageService {
  constructor(
    private readonly limit: ListLimit,
    private readonly registry: Registry,
    private readonly answers: AnswerLogRepository,
    private readonly siblings: SiblingReader,
    private readonly domains: DomainRepository,
    private readonly scores: ArchiveScoreRepository,
    private readonly sites: FormerSites,
    private readonly related: RelatedNames,
    private readonly reads: ReadDatabase,
    private readonly clock: Clock,
    private readonly config: Config,
    /** These two are null where names cannot be ordered. */
    @Optional() @Inject(NameEligibility) private readonly eligibility: NameEligibility | null = null,
    @Optional() @Inject(OrderHere) private readonly orders: OrderHere | null = null,
  ) {}

  /**
   * The page of a name. Costs no record and asks no registry; 404 for a name that nothing is known of.
   *
   * @param holder to be judged; null: none
   * @param referer the page that led here, as the browser says
   * @throws {ApiError} too_many_requests
   */
  async show(
    name: DomainName,
    visitor: Visitor,
    holder: HolderForm | RegistrantForm | null = null,
    referer?: string,
  ): Promise<{ status: number; html: string; isPersonal: boolean }> {
    await this.limit.count(visitor);
    const [known, judging] = await Promise.all([
      this.learn(name),
      this.eligibility?.view(name, holder, visitor.accountId),
    ]);
    const isKnown =
      known.row !== null || known.checks.length > 0 || known.answer !== null || name.reserved !== null;
    const orderHere = isFree(known) ? await this.orders?.view(name, visitor.accountId) : null;
    const html = renderNamePage(siteOf(this.config), known, {
      registrars: this.config.site.registrars,
      orderHere: orderHere ?? null,
      signedIn: visitor.accountId !== null,
      judging: judging ?? null,
      back: resultsIn(referer, this.config.links.baseUrl),
    });
    const status = holder && judging ? judging.status : isKnown ? 200 : 404;
    return { status, html, isPersonal: judging !== undefined && judging.registrants.length > 0 };
  }

  private async learn(name: DomainName): Promise<NameKnowledge> {
    const [recent, last, checks, row, siblings, now] = await Promise.all([
      name.reserved ? null : this.findAnswer(name),
      this.answers.findLast(
        siblingNames(name.name).map(({ domain }) => domain),
        this.registry.sources,
        this.reads,
      ),
      this.answers.list(name.domain, MAX_EVENTS, this.reads),
      this.domains.findDomain(name.domain, this.reads),
      this.siblings.read(name.name, this.reads),
      this.clock.now(),
    ]);
    const isShown = row !== null && !row.hidden;
    const [score, top, site, events, related] = await Promise.all([
      isShown ? this.scores.find(name.domain, this.reads) : null,
      isShown ? this.topOf(row) : null,
      isShown && row.archive.status === 'ok' ? this.sites.find(name.domain, this.reads) : null,
      isShown ? this.domains.feed.listEventsOf(name.domain, MAX_EVENTS, this.reads) : [],
      name.reserved ? null : this.related.find(name, now),
    ]);
    return {
      name,
      row: isShown ? row : null,
      answer: recent ?? null,
      last,
      checks: row?.hidden ? [] : checks,
      score,
      top,
      site,
      events,
      siblings,
      related,
      now,
    };
  }

  /** The share of the names on offer that score no less, in whole percent, never too small; null: it says little. */
  private async topOf({ wayback }: Domain): Promise<number | null> {
    if (wayback === 0) return null;
    const [{ availableRecords }, { high }] = await Promise.all([
      this.domains.readStats(),
      this.domains.search.count({ ...NO_LIMITS, minWayback: wayback }),
    ]);
    const percent = high === null ? Infinity : Math.max(1, Math.ceil((100 * high) / availableRecords));
    return percent <= MAX_TOP_PERCENT ? percent : null;
  }

  /** Answers are cached at the primary; while it is unavailable the page shows what replicas have. */
  private findAnswer(name: DomainName): Promise<RegistryAnswer | null> {
    return this.registry.findKnown(name).catch((error: unknown) => {
      if (error instanceof DatabaseUnavailable || isSqlState(error, LOCK_NOT_AVAILABLE)) return null;
      throw error;
    });
  }

  /**
   * Asks for the text of the former site, which costs no record.
   *
   * @throws {ApiError} too_many_requests, not_found, limit_reached
   */
  async readSite({ domain }: DomainName, visitor: Visitor): Promise<void> {
    await this.limit.count(visitor);
    await this.sites.want(domain);
  }
}

/** Pages that lead to names. */
const RESULTS = ['/', '/drops', '/shortlist'];

/** The list that a visitor came from, to go back to. */
function resultsIn(referer: string | undefined, baseUrl: string): string | null {
  if (referer === undefined || !URL.canParse(referer)) return null;
  const { origin, pathname, search } = new URL(referer);
  return origin === new URL(baseUrl).origin && RESULTS.includes(pathname) ? pathname + search : null;
}

const SEE_OTHER = 303;

/** The page of a name: the target of detail_url. */
@PublicPages()
export class NamesController {
  constructor(
    private readonly names: NamePageService,
    private readonly check: CheckService,
  ) {}

  @Get('domains/:domain')
  async showName(
    @Param('domain') domain: string,
    @CurrentVisitor() visitor: Visitor,
    @Headers('referer') referer: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { status, html, isPersonal } = await this.names.show(readName(domain), visitor, null, referer);
    response.status(status);
    if (isPersonal) response.set('Cache-Control', 'no-store');
    return html;
  }

  /** Asks the registry, for one record. The page that follows shows the answer and costs nothing. */
  @Post('domains/:domain')
  async askRegistry(
    @Param('domain') domain: string,
    @CurrentVisitor() visitor: Visitor,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    assertFromHere(request);
    const name = readName(domain);
    await this.check.checkDomain(name.domain, visitor, { afresh: true });
    response.redirect(SEE_OTHER, `/domains/${name.domain}`);
  }

  /** Has the archive asked what the site was; the page shows it once it is read. */
  @Post('domains/:domain/former-site')
  async readSite(
    @Param('domain') domain: string,
    @CurrentVisitor() visitor: Visitor,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    assertFromHere(request);
    const name = readName(domain);
    await this.names.readSite(name, visitor);
    response.redirect(SEE_OTHER, `/domains/${name.domain}#former-site`);
  }
}

/** A verdict about a holder, on the page of the name. Details of holders are in bodies alone: addresses are logged. */
@PublicPages()
export class NameEligibilityController {
  constructor(private readonly names: NamePageService) {}

  @Post('domains/:domain/eligibility')
  judge(
    @Param('domain') domain: string,
    @Body() form: HolderForm,
    @CurrentVisitor() visitor: Visitor,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.answer(domain, form, visitor, request, response);
  }

  @Post('domains/:domain/eligibility/registrant')
  judgeRegistrant(
    @Param('domain') domain: string,
    @Body() form: RegistrantForm,
    @CurrentVisitor() visitor: Visitor,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return this.answer(domain, form, visitor, request, response);
  }

  /** A page that is opened again by its address has no form to judge. */
  @Get(['domains/:domain/eligibility', 'domains/:domain/eligibility/registrant'])
  @Redirect('', SEE_OTHER)
  show(@Param('domain') domain: string): { url: string } {
    return { url: `/domains/${readName(domain).domain}#eligibility` };
  }

  private async answer(
    domain: string,
    form: HolderForm | RegistrantForm,
    visitor: Visitor,
    request: Request,
    response: Response,
  ): Promise<string> {
    assertFromHere(request);
    const { status, html } = await this.names.show(readName(domain), visitor, form);
    response.status(status);
    return html;
  }
}
