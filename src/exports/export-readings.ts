import { Injectable } from '@nestjs/common';
import { Clock } from '../db/database.js';
import { type Reading, ReadingSource, secondsBetween } from '../observe/metrics/readings.js';
import { EXPORT_KINDS } from './export.js';
import { ExportRepository } from './export.repository.js';

const GAUGES = {
  export_age_seconds: { help: 'Since the last export of the kind was made.', label: 'kind' },
} as const;

/** How old the exports are. */
@Injectable()
export class ExportReadings extends ReadingSource<keyof typeof GAUGES> {
  readonly group = 'exports';
  readonly gauges = GAUGES;

  constructor(
    private readonly clock: Clock,
    private readonly exports: ExportRepository,
  ) {
    super();
  }

  async read(): Promise<Reading<keyof typeof GAUGES>[]> {
    const now = await this.clock.now();
    const readings: Reading<'export_age_seconds'>[] = [];
    for (const label of EXPORT_KINDS) {
      const last = await this.exports.findLast(label);
      readings.push({ gauge: 'export_age_seconds', label, value: last && secondsBetween(last.madeAt, now) });
    }
    return readings;
  }
}
