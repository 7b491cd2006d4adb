import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { messageOf } from '../../validation/unknown-values.js';
import { holdNames } from './name-rules.js';
import { NameHoldRepository } from './name-hold.repository.js';

/** How often each process reads the lists that operators have loaded. */
export const HOLDS_EVERY_MS = 30_000;

/** Brings the names that operators know to be held back among the rules that every name is judged by. */
@Injectable()
export class NameHolds implements OnApplicationBootstrap {
  private readonly logger = new Logger(NameHolds.name);

  constructor(private readonly repository: NameHoldRepository) {}

  onApplicationBootstrap(): Promise<void> {
    return this.refresh();
  }

  /** Never throws: while the database is away, the lists of the last read hold. */
  async refresh(): Promise<void> {
    try {
      holdNames(await this.repository.list());
    } catch (error) {
      this.logger.warn(`Names that are held back were not read: ${messageOf(error)}`);
    }
  }
}
