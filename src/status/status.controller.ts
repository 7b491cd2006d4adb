import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiFailures } from '../errors/api-failures.decorator.js';
import { NoParameters } from '../errors/requests/no-parameters.dto.js';
import { Status } from './status.dto.js';
import { StatusService } from './status.service.js';

@ApiTags('Dataset')
@Controller()
export class StatusController {
  constructor(private readonly status: StatusService) {}

  @Get('api/v1/status')
  // As long as the figures are kept here (STATUS_KEPT_MS).
  @Header('Cache-Control', 'public, max-age=60')
  @ApiOperation({
    operationId: 'getStatus',
    summary: 'How true and how fresh the dataset is',
    description:
      'How many offers are false, measured by asking the registry about some every day that were drawn by lot; how old the last list is, how long names wait for their confirmation, what waits, how registry and archive are doing, and how fast names are taken. What is not known is null. Costs nothing.',
  })
  @ApiOkResponse({ type: Status, description: 'The figures, up to a minute old.' })
  @ApiFailures('invalid_parameter', 'too_many_requests', 'internal_error', 'database_unavailable')
  getStatus(@Query() _query: NoParameters): Promise<Status> {
    return this.status.readStatus();
  }
}
