import { Injectable } from '@nestjs/common';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import type { Job, BatchResult } from './job.js';

const EVERY_MS = 60_000;
/** Names in a batch: they leave the indexes of discovery, and their rows are locked until it commits. */
const MAX_NAMES = 200;

/** Takes names from offer that nobody has asked about for longer than the operator allows. */
@Injectable()
export class StaleJob implements Job {
  readonly name = 'stale';
  readonly everyMs = EVERY_MS;

  constructor(private readonly lifecycle: Lifecycle) {}

  async run(now: Date): Promise<BatchResult> {
    return { more: (await this.lifecycle.observeStale(now, MAX_NAMES)) === MAX_NAMES };
  }
}
