import { Injectable } from '@nestjs/common';
import { DomainRepository } from '../../domains/domain.repository.js';
import { SUFFIXES } from '../../domains/schema/domain.js';
import type { Stats } from './stats.dto.js';

const NOTE =
  'Dropped .au names that a registry, or a source that the operator vouches for, called available. Check a name before you rely on it.';
const NOTE_BEFORE_FIRST_IMPORT = 'The dataset is empty: no drop list has been imported yet.';

@Injectable()
export class StatsService {
  constructor(private readonly domains: DomainRepository) {}

  /** The dataset's counters. Costs nothing. */
  async readStats(): Promise<Stats> {
    const { availableRecords, refreshed } = await this.domains.readStats();
    return {
      ok: true,
      available_records: availableRecords,
      tlds: [...SUFFIXES],
      refreshed: refreshed?.toISOString() ?? null,
      note: refreshed ? NOTE : NOTE_BEFORE_FIRST_IMPORT,
    };
  }
}
