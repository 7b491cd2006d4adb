import { Injectable, Logger } from '@nestjs/common';
import { CubeCheck } from '../domains/search/cube/cube-check.repository.js';
import type { Job, BatchResult } from './job.js';

const DAY_MS = 86_400_000;
/** Two in the morning in eastern Australia, as milliseconds of a day in UTC. */
const NIGHT_MS = 16 * 3_600_000;
/** Ten million names are read in ten seconds on a quiet machine. */
const STATEMENT_LIMIT_MS = 5 * 60_000;

/** Compares the counts of search and facets with the names every night, and counts anew where they disagree. */
@Injectable()
export class CubeCheckJob implements Job {
  readonly name = 'cube-check';
  readonly everyMs = DAY_MS;
  readonly maxBatchMs = 3 * STATEMENT_LIMIT_MS;
  private readonly logger = new Logger('Cube');

  constructor(private readonly check: CubeCheck) {}

  async run(now: Date): Promise<BatchResult> {
    const drift = await this.check.findDrift(STATEMENT_LIMIT_MS);
    if (drift) {
      this.logger.error(
        `The cube of counts is wrong in ${drift.cells} cells, by ${drift.names} names: something has written to the table domain beside the service, or the service has an error. All names are counted anew.`,
      );
      await this.check.repair(STATEMENT_LIMIT_MS);
    }
    return { more: false, againInMs: untilNight(now) };
  }
}

function untilNight(now: Date): number {
  return DAY_MS - ((((now.getTime() - NIGHT_MS) % DAY_MS) + DAY_MS) % DAY_MS);
}
