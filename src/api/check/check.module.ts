import { Controller, Get, Module, Query, Injectable } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS } from '../../access/rate.dto.js';
import { CostsRecords } from '../../access/requirements.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { NAME_FAILURES } from '../../errors/error-codes.js';
import { RegistryModule } from '../../registry/registry.module.js';
import { BulkCheckController } from './bulk-check.controller.js';
import { BulkCheckRepository } from './bulk-check.repository.js';
import { BulkCheckService } from './bulk-check.service.js';
import { BulkCheckWorker } from './bulk-check.worker.js';
import { CheckQuery, CheckResult } from './check.dto.js';
import { Config } from '../../config/config.js';
import { checkedOf } from './checked.js';
import { parseDomainName } from '../../domains/name/domain-name.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { RecordBudget } from '../../access/record-budget.js';
import { type LookUpOptions, Registry } from '../../registry/registry.js';

/** A check costs one record, for every result. */
const RECORDS_PER_CHECK = 1;

@Injectable()
export class CheckService {
  constructor(
    private readonly budget: RecordBudget,
    private readonly registry: Registry,
    private readonly domains: DomainRepository,
    private readonly config: Config,
  ) {}

  /**
   * The registry's current answer for the name, with the dataset's fields.
   *
   * @param options.afresh as Registry.lookUp takes it
   * @throws {ApiError} domain_* for a text that is not a registrable .au name, budget_exhausted,
   * registry_unavailable; the last is never turned into a guess, and nothing is charged for it
   */
  async checkDomain(
    text: string | undefined,
    caller: Caller,
    { afresh }: Pick<LookUpOptions, 'afresh'> = {},
  ): Promise<CheckResult> {
    const name = parseDomainName(text);
    const [known, row] = await Promise.all([
      afresh ? null : this.registry.findKnown(name),
      this.domains.findDomain(name.domain),
    ]);
    if (known) {
      const result = checkedOf(name, known, row, caller.tier, this.config);
      const { left } = await this.budget.charge(caller, RECORDS_PER_CHECK);
      return { ...result, ...left };
    }
    const { result, left } = await this.budget.reserve(caller, RECORDS_PER_CHECK, async () => {
      const answer = await this.registry.lookUp(name, { by: caller, ...(afresh && { afresh }) });
      // Read after the answer, which may have changed it.
      return checkedOf(name, answer, await this.domains.findDomain(name.domain), caller.tier, this.config);
    });
    return { ...result, ...left };
  }
}

@ApiTags('Availability')
@Controller()
class CheckController {
  constructor(private readonly check: CheckService) {}

  @Get(['v1/domains/check', 'api/v1/domains/check'])
  @CostsRecords()
  @ApiOperation({
    operationId: 'checkDomain',
    summary: 'Live availability of one .au name',
    description:
      'Asks the registry, adds what the dataset knows, and hands off with register_url when the ' +
      'name is available. Costs one record; a refused or failed check costs nothing. When no ' +
      'registry answers, the state is unknown and the answer is 503, never a guess.',
  })
  @ApiOkResponse({
    type: CheckResult,
    description: 'What the registry says now.',
    headers: RATE_RESPONSE_HEADERS,
  })
  @ApiFailures(...NAME_FAILURES, 'budget_exhausted', 'registry_unavailable')
  checkDomain(@Query() query: CheckQuery, @CurrentCaller() caller: Caller): Promise<CheckResult> {
    return this.check.checkDomain(query.domain, caller);
  }
}

@Module({
  imports: [DomainsModule, RegistryModule, RateLimitModule],
  controllers: [CheckController, BulkCheckController],
  providers: [CheckService, BulkCheckRepository, BulkCheckWorker, BulkCheckService],
  exports: [CheckService, BulkCheckService],
})
export class CheckModule {}
