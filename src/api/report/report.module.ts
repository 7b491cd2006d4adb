import { Controller, Get, Module, Param, Query, Injectable } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS, type Metered, MeteredError } from '../../access/rate.dto.js';
import { CostsRecords } from '../../access/requirements.js';
import { ArchiveModule } from '../../archive/archive.module.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { RegistryModule } from '../../registry/registry.module.js';
import {
  DomainReport,
  historyOf,
  ReportAddress,
  ReportQuery,
  toArchiveReport,
  MAX_CHECKS,
  MAX_HISTORY,
} from './report.dto.js';
import { ArchiveScoreRepository } from '../../archive/archive-score.repository.js';
import { Config } from '../../config/config.js';
import { Database, type Queryable } from '../../db/database.js';
import { type DomainName, parseDomainName } from '../../domains/name/domain-name.js';
import { toEligibilityDto } from '../../domains/name/eligibility.js';
import { toRegistrabilityDto } from '../../domains/name/registrability.js';
import { linksOf, toArchiveDto, toDomainDto, toFullDomainDto } from '../../domains/schema/domain-view.js';
import { FREE_TO_TAKE } from '../../domains/schema/states.js';
import { isVouched } from '../../domains/lifecycle/listings/listing.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import type { Domain } from '../../domains/schema/domain.js';
import { ApiError } from '../../errors/api-error.js';
import { RecordBudget } from '../../access/record-budget.js';
import { answeredRegistrability, type RegistryAnswer } from '../../registry/answer.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { AnswerLogRepository } from '../../registry/answer-log.repository.js';
import { toRegistryAnswerDto } from '../../registry/registry-answer.dto.js';
import { Registry } from '../../registry/registry.js';
import { SiblingReader } from '../../registry/siblings.js';

type Unmetered = Omit<DomainReport, keyof Metered>;

const RECORDS_PER_REPORT = 1;
const RECORDS_PER_LIVE_REPORT = 2;

@Injectable()
export class ReportService {
  constructor(
    private readonly budget: RecordBudget,
    private readonly domains: DomainRepository,
    private readonly registry: Registry,
    private readonly answers: AnswerLogRepository,
    private readonly siblings: SiblingReader,
    private readonly scores: ArchiveScoreRepository,
    private readonly database: Database,
    private readonly reads: ReadDatabase,
    private readonly config: Config,
  ) {}

  /**
   * The full report on a name. Costs one record, and one more when the registry is asked.
   *
   * @throws {ApiError} domain_* for a text that is not a name, not_found, budget_exhausted,
   * registry_unavailable; an error costs nothing
   */
  async reportOn(text: string, { live }: ReportQuery, caller: Caller): Promise<DomainReport> {
    const name = parseDomainName(text);
    if (live === 'true') {
      const { result, left } = await this.budget.reserve(caller, RECORDS_PER_LIVE_REPORT, (records) =>
        this.liveReport(name, caller, records),
      );
      return { ...result, ...left };
    }
    const result = await this.storedReport(name, caller, this.reads).catch(async (error: unknown) => {
      throw error instanceof ApiError ? new MeteredError(error, await this.budget.read(caller)) : error;
    });
    const { left } = await this.budget.charge(caller, RECORDS_PER_REPORT);
    return { ...result, ...left };
  }

  private async liveReport(name: DomainName, caller: Caller, records: number): Promise<Unmetered> {
    if (records < RECORDS_PER_LIVE_REPORT)
      return { ...(await this.storedReport(name, caller, this.reads)), registry: null };
    // A name that has no report is no question to the registry: it would be asked for nothing.
    await this.readRow(name, this.database);
    const answer: RegistryAnswer = await this.registry.lookUp(name, { by: caller });
    const available = answer.state === 'available';
    // Read after the answer, which may itself add an event. The report uses the answer even if it could not
    // be written.
    const answered = new Map([[name.domain, answer]]);
    const report = await this.storedReport(name, caller, this.database, answered);
    return {
      ...report,
      available,
      ...(report.siblings && answeredRegistrability(name, answer)),
      ...linksOf(name.domain, available, this.config.links),
      registry: toRegistryAnswerDto(answer),
    };
  }

  /** @param told what the registry has just said */
  private async storedReport(
    name: DomainName,
    { tier }: Caller,
    source: Queryable,
    told?: ReadonlyMap<string, RegistryAnswer>,
  ): Promise<Unmetered> {
    const row = await this.readRow(name, source);
    if (tier.fields !== 'full') return { ok: true, ...toDomainDto(row, this.config.links) };
    const [events, answers, siblings, score] = await Promise.all([
      this.domains.feed.listEventsOf(name.domain, MAX_HISTORY, source),
      this.answers.list(name.domain, MAX_CHECKS, source),
      this.siblings.read(name.name, source, told),
      this.scores.find(name.domain, source),
    ]);
    return {
      ok: true,
      ...toFullDomainDto(row, this.config.links),
      ...toRegistrabilityDto(name, FREE_TO_TAKE[row.state]),
      archive: toArchiveReport(toArchiveDto(row), score),
      eligibility: toEligibilityDto(name.tld),
      history: historyOf(events, answers, isVouched(row.confirmedBy) ? null : row.checkedAt),
      siblings,
    };
  }

  private async readRow({ domain }: DomainName, source: Queryable): Promise<Domain> {
    const row = await this.domains.findShownDomain(domain, source);
    if (row) return row;
    throw new ApiError('not_found', `${domain} is not in the dataset; /v1/domains/check asks the registry.`);
  }
}

@ApiTags('Dataset')
@Controller()
class ReportController {
  constructor(private readonly report: ReportService) {}

  @Get('api/v1/domains/:domain')
  @CostsRecords()
  @ApiOperation({
    operationId: 'getDomain',
    summary: 'The full report on one name',
    description:
      'What the dataset knows of a name: shape, age, archive, score, history and the same label ' +
      'under the other suffixes; with live=true what the registry says now. Costs one record, two ' +
      'with live=true. Tiers with restricted fields get the nine fields of Domain.',
  })
  @ApiOkResponse({ type: DomainReport, description: 'The report.', headers: RATE_RESPONSE_HEADERS })
  @ApiFailures(
    'domain_invalid',
    'domain_suffix_unsupported',
    'domain_not_registrable',
    'not_found',
    'budget_exhausted',
    'registry_unavailable',
  )
  getDomain(
    @Param() { domain }: ReportAddress,
    @Query() query: ReportQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<DomainReport> {
    return this.report.reportOn(domain, query, caller);
  }
}

@Module({
  imports: [ArchiveModule, DomainsModule, RegistryModule, RateLimitModule],
  controllers: [ReportController],
  providers: [ReportService],
  exports: [ReportService],
})
export class ReportModule {}
