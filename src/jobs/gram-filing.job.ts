import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';
import { withoutStatementTimeout } from '../db/without-statement-timeout.js';
import { filePendingGrams } from '../domains/search/pending-grams.repository.js';
import type { Job, BatchResult } from './job.js';

/** At the pace of the registry thirty names come on offer meanwhile, which searches read in some microseconds a band. */
const EVERY_MS = 60_000;

/** Files the grams of names that have come on offer; beside it, autovacuum does so when it comes by. */
@Injectable()
export class GramFilingJob implements Job {
  readonly name = 'gram-filing';
  readonly everyMs = EVERY_MS;

  constructor(private readonly database: Database) {}

  async run(): Promise<BatchResult> {
    await withoutStatementTimeout(this.database, filePendingGrams);
    return { more: false };
  }
}
