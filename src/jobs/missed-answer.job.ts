import { Injectable } from '@nestjs/common';
import { Database } from '../db/database.js';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import { observeContradictions } from '../domains/lifecycle/listings/missed-answers.repository.js';
import type { Job, BatchResult } from './job.js';

/** So long may a name be offered of which somebody was told that it is registered. */
const EVERY_MS = 5_000;
const MAX_NAMES = 200;

/**
 * Takes names from offer of which a registry has said that they cannot be had, where the answer could not be written down when it came: an
 * import held the row, or the server was too busy. The answers that are kept are the queue, so that none is lost with a process.
 */
@Injectable()
export class MissedAnswerJob implements Job {
  readonly name = 'missed-answers';
  readonly everyMs = EVERY_MS;

  constructor(
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
  ) {}

  async run(): Promise<BatchResult> {
    // What the guard against a mistaken registry has stopped stays on offer until the operator has looked into it.
    const { writesStoppedAt } = await this.lifecycle.readGuard();
    if (writesStoppedAt) return { more: false };
    return { more: (await observeContradictions(this.database, this.lifecycle, MAX_NAMES)) === MAX_NAMES };
  }
}
