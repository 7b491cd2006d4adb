import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NoParameters } from '../../../errors/validation.pipe.js';
import { Operation } from '../access/operation.decorator.js';
import { ForOperators } from '../access/operator.guard.js';
import { ListQuery } from '../accounts/accounts.dto.js';
import { OperatorStatus } from '../status/operator-status.js';
import { OperatorsStatus } from '../status/operator-status.dto.js';
import { OperatorRecords } from './operator-records.js';
import { Audit, AuditQuery, Fetches, MadeExports, TiersInForce } from './records.dto.js';

@ApiTags('Status and records')
@ForOperators()
@Controller()
export class OperatorRecordsController {
  constructor(
    private readonly status: OperatorStatus,
    private readonly records: OperatorRecords,
  ) {}

  @Get('ops/v1/status')
  @Operation({
    id: 'readStatus',
    summary: 'How the service is, at a glance',
    description: 'Jobs, webhooks, accounts; how true and how fresh the dataset is.',
    answer: OperatorsStatus,
  })
  readStatus(@Query() _query: NoParameters): Promise<OperatorsStatus> {
    return this.status.read();
  }

  @Get('ops/v1/audit')
  @Operation({
    id: 'readAudit',
    summary: 'Who did what, when and why',
    description: 'The newest first; older ones with the id of the last one as `before`.',
    answer: Audit,
  })
  readAudit(@Query() query: AuditQuery): Promise<Audit> {
    return this.records.listAudit(query);
  }

  @Get('ops/v1/fetches')
  @Operation({ id: 'listFetches', summary: 'What was fetched of the official drop lists', answer: Fetches })
  listFetches(@Query() { limit }: ListQuery): Promise<Fetches> {
    return this.records.listFetches(limit);
  }

  @Get('ops/v1/exports')
  @Operation({ id: 'listExports', summary: 'Exports that were made', answer: MadeExports })
  listExports(@Query() { limit }: ListQuery): Promise<MadeExports> {
    return this.records.listExports(limit);
  }

  @Get('ops/v1/tiers')
  @Operation({ id: 'readTiers', summary: 'The tier table in force', answer: TiersInForce })
  readTiers(@Query() _query: NoParameters): TiersInForce {
    return this.records.readTiers();
  }
}
