import { Injectable } from '@nestjs/common';
import { RecheckUpkeep } from '../domains/freshness/recheck-upkeep.js';
import { UPKEEP_EVERY_MS } from '../domains/freshness/upkeep.js';
import type { Job, JobCursor, BatchResult } from './job.js';

/** Keeps the moments of the next questions where the rates and the turns there are want them. */
@Injectable()
export class RecheckUpkeepJob implements Job {
  readonly name = 'recheck-upkeep';
  readonly everyMs = UPKEEP_EVERY_MS;

  constructor(private readonly upkeep: RecheckUpkeep) {}

  async run(now: Date, _signal: AbortSignal, cursor: JobCursor | null): Promise<BatchResult> {
    const after = await this.upkeep.keepUp(now, String(cursor?.after ?? ''));
    return { more: false, cursor: { after } };
  }
}
