import { Controller, Get, Module, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS } from '../../access/rate.dto.js';
import { CostsRecords } from '../../access/requirements.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { NAME_FAILURES } from '../../errors/error-codes.js';
import { RegistryModule } from '../../registry/registry.module.js';
import { SiblingsAddress, SiblingsQuery, SiblingsResult } from './siblings.dto.js';
import { SiblingsService } from './siblings.service.js';

@ApiTags('Availability')
@Controller()
export class SiblingsController {
  constructor(private readonly siblings: SiblingsService) {}

  @Get('api/v1/domains/:label/siblings')
  @CostsRecords()
  @ApiOperation({
    operationId: 'listSiblings',
    summary: 'A label under the six suffixes',
    description:
      'What the label is under each suffix, when and from whom that was learned, and who may hold ' +
      'it. Costs one record. With live=true the registry is asked about those of which nothing is ' +
      'known, for a record more each; those that it does not answer in time, or that the budget is ' +
      'not enough for, say so and cost nothing.',
  })
  @ApiOkResponse({ type: SiblingsResult, description: 'The six names.', headers: RATE_RESPONSE_HEADERS })
  @ApiFailures(...NAME_FAILURES, 'budget_exhausted')
  listSiblings(
    @Param() { label }: SiblingsAddress,
    @Query() query: SiblingsQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<SiblingsResult> {
    return this.siblings.siblingsOf(label, query, caller);
  }
}

@Module({
  imports: [RegistryModule, RateLimitModule],
  controllers: [SiblingsController],
  providers: [SiblingsService],
  exports: [SiblingsService],
})
export class SiblingsModule {}
