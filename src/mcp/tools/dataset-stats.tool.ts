import { Injectable } from '@nestjs/common';
import { NoParameters } from '../../errors/validation.pipe.js';
import { Stats } from '../../api/stats/stats.dto.js';
import { StatsService } from '../../api/stats/stats.service.js';
import { READ_ONLY, type Tool } from './tool.js';

@Injectable()
export class DatasetStatsTool implements Tool<NoParameters, Stats> {
  readonly name = 'dataset_stats';
  readonly title = 'Dataset statistics';
  readonly description =
    'How many available names the dataset holds, which suffixes it covers and when it was refreshed. Use it to learn whether there is data and how old it is. Costs nothing, also when the budget is spent. It does not say what is left of the budget.';
  readonly arguments = NoParameters;
  readonly results = [Stats];
  readonly annotations = { ...READ_ONLY, openWorldHint: false };
  readonly costsRecords = false;

  constructor(private readonly stats: StatsService) {}

  run(): Promise<Stats> {
    return this.stats.readStats();
  }
}
