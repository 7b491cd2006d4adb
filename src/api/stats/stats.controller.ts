import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { Stats } from './stats.dto.js';
import { StatsService } from './stats.service.js';

@ApiTags('Dataset')
@Controller()
export class StatsController {
  constructor(private readonly stats: StatsService) {}

  @Get(['v1/stats', 'api/v1/stats'])
  @ApiOperation({
    operationId: 'getStats',
    summary: 'Dataset counters',
    description:
      'How many names the dataset holds, which suffixes it covers and when it was refreshed. Costs nothing.',
  })
  @ApiOkResponse({ type: Stats, description: 'The counters.' })
  @ApiFailures('invalid_parameter', 'too_many_requests', 'internal_error', 'database_unavailable')
  getStats(@Query() _query: NoParameters): Promise<Stats> {
    return this.stats.readStats();
  }
}
