import { Controller, Get, Header, Module, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { Status } from './status.dto.js';
import { StatusService, StatusReadings } from './status.service.js';
import { ArchiveModule } from '../../archive/archive.module.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { ListsModule } from '../../ingest/lists/list-fetcher.js';
import { RegistryModule } from '../../registry/registry.module.js';
import { IncidentRepository } from '../../observe/incident.repository.js';
import { ServiceLevelsModule } from '../../observe/service-levels.module.js';
import { ServiceReportController, ServiceReportService } from './service-report.controller.js';
import { StatusRepository } from './status.repository.js';

const SVG_TYPE = 'image/svg+xml';

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
      'How many offers are false, measured by asking the registry about some every day that were ' +
      'drawn by lot; how old the last list is, how long names wait for their confirmation, what ' +
      'waits, how registry and archive are doing, and how fast names are taken. What is not known ' +
      'is null. Costs nothing.',
  })
  @ApiOkResponse({ type: Status, description: 'The figures, up to a minute old.' })
  @ApiFailures()
  getStatus(@Query() _query: NoParameters): Promise<Status> {
    return this.status.readStatus();
  }

  @Get('api/v1/status/rates.svg')
  @Header('Cache-Control', 'public, max-age=60')
  @Header('Content-Type', `${SVG_TYPE}; charset=utf-8`)
  @ApiOperation({
    operationId: 'drawRates',
    summary: 'How fast free names are taken, as a chart',
    description:
      'The table `rates` of the status as SVG: by age since the drop and archive score, what was ' +
      'believed beforehand, what is believed now with its 95 % interval, and what our answers ' +
      'alone say. Its description has the main figures as text. For light and dark. Costs nothing.',
  })
  @ApiOkResponse({
    description: 'The chart, up to a minute old.',
    content: { [SVG_TYPE]: { schema: { type: 'string' } } },
  })
  @ApiFailures()
  drawRates(@Query() _query: NoParameters): Promise<string> {
    return this.status.drawRates();
  }
}

@Module({
  imports: [ArchiveModule, DomainsModule, ListsModule, RegistryModule, ServiceLevelsModule],
  controllers: [StatusController, ServiceReportController],
  providers: [IncidentRepository, ServiceReportService, StatusReadings, StatusRepository, StatusService],
  exports: [IncidentRepository, StatusService],
})
export class StatusModule {}
