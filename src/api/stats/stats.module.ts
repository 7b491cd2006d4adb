import { Controller, Get, Injectable, Module, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSchema, ApiTags } from '@nestjs/swagger';
import { Config } from '../../config/config.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { DomainsModule } from '../../domains/domains.module.js';
import { FirstOffers, withSandboxWords } from '../../domains/first-offers.js';
import { SUFFIXES } from '../../domains/schema/domain.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { count, OK, orNull, shape, someOf, text, time } from '../../validation/shape.js';

const NOTE =
  'Dropped .au names that a registry, or a source that the operator vouches for, called ' +
  'available. Check a name before you rely on it.';
const NOTE_BEFORE_FIRST_IMPORT = 'The dataset is empty: no drop list has been imported yet.';

@ApiSchema({ name: 'Stats', description: 'Counters of the dataset.' })
export class Stats extends shape({
  ...OK,
  available_records: count('Names that discovery can find now: available and not withheld.', 102_226),
  tlds: someOf(SUFFIXES, 'Suffixes covered.', [...SUFFIXES]),
  refreshed: orNull(
    time(
      'When the last import was committed (ISO 8601 UTC); null before the first.',
      '2026-11-20T03:41:07.123Z',
    ),
  ),
  note: text('Free text.', 'Dropped .au names, counted by the dataset.'),
}) {}

@Injectable()
export class StatsService {
  constructor(
    private readonly domains: DomainRepository,
    private readonly first: FirstOffers,
    private readonly config: Config,
  ) {}

  /** The dataset's counters. Costs nothing. */
  async readStats(): Promise<Stats> {
    const { availableRecords, refreshed } = await this.domains.readStats();
    return {
      ok: true,
      available_records: availableRecords,
      tlds: [...SUFFIXES],
      refreshed: refreshed?.toISOString() ?? null,
      note: refreshed
        ? ((await this.first.describeWait({ availableRecords })) ??
          withSandboxWords(NOTE, this.config.registry.source))
        : NOTE_BEFORE_FIRST_IMPORT,
    };
  }
}

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
  @ApiFailures()
  getStats(@Query() _query: NoParameters): Promise<Stats> {
    return this.stats.readStats();
  }
}

@Module({
  imports: [DomainsModule],
  controllers: [StatsController],
  providers: [StatsService],
  exports: [StatsService],
})
export class StatsModule {}
