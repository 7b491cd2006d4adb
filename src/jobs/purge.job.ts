import { Injectable } from '@nestjs/common';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import type { Job, BatchResult } from './job.js';

const EVERY_MS = 5_000;
/** Names in a batch: their rows are locked until it commits. */
const MAX_NAMES = 500;

/** Notes that purges have passed: those names wait for their confirmation from then on. */
@Injectable()
export class PurgeJob implements Job {
  readonly name = 'purge';
  readonly everyMs = EVERY_MS;

  constructor(private readonly lifecycle: Lifecycle) {}

  async run(now: Date): Promise<BatchResult> {
    return { more: (await this.lifecycle.observePurges(now, MAX_NAMES)) === MAX_NAMES };
  }
}
