import { Controller, Get, Module, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/caller.js';
import { RateLimitModule } from '../../access/rate-limit.module.js';
import { RATE_RESPONSE_HEADERS } from '../../access/rate.dto.js';
import { CostsRecords, RequiresTier } from '../../access/requirements.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ApiCommaList } from '../../domains/name/name-parameters.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { DroppedQuery, DroppedResult } from './dropped.dto.js';
import { DroppedService } from './dropped.service.js';

@ApiTags('Discovery')
@Controller()
export class DroppedController {
  constructor(private readonly dropped: DroppedService) {}

  @Get('api/v1/dropped')
  @CostsRecords()
  @RequiresTier((tier) => tier.feed)
  @ApiCommaList('types')
  @ApiOperation({
    operationId: 'listDropped',
    summary: 'The feed of names that dropped',
    description:
      'Every name that became available since a time, and every one that was taken again, oldest ' +
      'first, each event once; with types= also names that are about to be purged, and that were ' +
      'saved from it. Begin with since and go on with the cursor of each answer. Costs as many ' +
      'records as it returns. Needs a tier with the feed.',
  })
  @ApiOkResponse({
    type: DroppedResult,
    description: 'A page of the feed.',
    headers: RATE_RESPONSE_HEADERS,
  })
  @ApiFailures('key_required', 'tier_required', 'budget_exhausted')
  listDropped(@Query() query: DroppedQuery, @CurrentCaller() caller: Caller): Promise<DroppedResult> {
    return this.dropped.listEvents(query, caller);
  }
}

@Module({
  imports: [DomainsModule, RateLimitModule],
  controllers: [DroppedController],
  providers: [DroppedService],
  exports: [DroppedService],
})
export class DroppedModule {}
