import { Body, Controller, Get, Param, Post, Query, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { ErrorCode } from '../../../errors/error-codes.js';
import { JsonBodyGuard } from '../../../errors/request-body.js';
import { NoParameters } from '../../../errors/validation.pipe.js';
import { Operation } from '../access/operation.decorator.js';
import { CurrentOperator, ForOperators, type Operator } from '../access/operator.guard.js';
import { Done, ReasonBody } from '../order.js';
import { NameAddress, NameEvidence } from './dataset.dto.js';
import { OperatorDataset } from './operator-dataset.js';

const FAILURES: readonly ErrorCode[] = [
  'domain_missing',
  'domain_invalid',
  'domain_suffix_unsupported',
  'domain_not_registrable',
  'not_found',
];

@ApiTags('Dataset')
@ForOperators()
@Controller()
export class OperatorDatasetController {
  constructor(private readonly dataset: OperatorDataset) {}

  @Get('ops/v1/dataset/:domain')
  @Operation({
    id: 'showName',
    summary: 'All that there is of a name',
    description: 'Its row, list, answers, events and what operators did to it: who said what, and when.',
    answer: NameEvidence,
    failures: FAILURES,
  })
  show(@Param() { domain }: NameAddress, @Query() _query: NoParameters): Promise<NameEvidence> {
    return this.dataset.show(domain);
  }

  @Post('ops/v1/dataset/:domain/hide')
  @UseGuards(JsonBodyGuard)
  @Operation({
    id: 'hideName',
    summary: 'Withhold a name',
    description:
      'From discovery, the feed and exports. Who holds a copy is told to leave it out (domain.removed), and not why. A check of it still answers what the registry says.',
    answer: Done,
    failures: FAILURES,
  })
  hide(
    @Param() { domain }: NameAddress,
    @Body() { reason }: ReasonBody,
    @CurrentOperator() operator: Operator,
  ): Promise<Done> {
    return this.dataset.setHidden(domain, true, { ...operator, reason });
  }

  @Post('ops/v1/dataset/:domain/unhide')
  @UseGuards(JsonBodyGuard)
  @Operation({
    id: 'unhideName',
    summary: 'Show a name again',
    description:
      'Feed, exports and webhooks are told of it as what it is now: that it dropped, is listed, or is there again.',
    answer: Done,
    failures: FAILURES,
  })
  unhide(
    @Param() { domain }: NameAddress,
    @Body() { reason }: ReasonBody,
    @CurrentOperator() operator: Operator,
  ): Promise<Done> {
    return this.dataset.setHidden(domain, false, { ...operator, reason });
  }

  @Post('ops/v1/dataset/:domain/remove')
  @UseGuards(JsonBodyGuard)
  @Operation({
    id: 'removeName',
    summary: 'Forget a name',
    description:
      'With all that was learned of it. The next list that has it brings it back: what shall stay away is hidden.',
    answer: Done,
    failures: FAILURES,
  })
  remove(
    @Param() { domain }: NameAddress,
    @Body() { reason }: ReasonBody,
    @CurrentOperator() operator: Operator,
  ): Promise<Done> {
    return this.dataset.remove(domain, { ...operator, reason });
  }
}
