import { Injectable } from '@nestjs/common';
import { Clock, Database } from '../db/database.js';
import { ApiError } from '../errors/api-error.js';
import { ListFetchRepository } from '../ingest/lists/list-fetch.repository.js';
import { AuditRepository } from '../observe/audit.repository.js';
import { JobStateRepository } from '../work/job-state.repository.js';
import { done, type Done, type OperatorCommand } from './answers.js';

const FETCH_JOB = 'list-fetch';

/** Decisions about the official drop lists. */
@Injectable()
export class OperatorLists {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly fetches: ListFetchRepository,
    private readonly states: JobStateRepository,
    private readonly audit: AuditRepository,
  ) {}

  /**
   * Has a list fetched again and imported in spite of its alarm, if it is still the same list.
   *
   * @param id of the newest fetch of its address
   * @throws {ApiError} not_found
   */
  async accept(id: number, command: OperatorCommand): Promise<Done> {
    const at = await this.clock.now();
    await this.database.transaction(async (transaction) => {
      if (!(await this.fetches.accept(id, transaction)))
        throw new ApiError(
          'not_found',
          `Fetch ${id} is not the newest of its list, or raised no alarm; look at the newest fetches.`,
        );
      await this.audit.record({ ...command, subject: `fetch:${id}` }, transaction);
      await this.states.want(FETCH_JOB, at, transaction);
    });
    return done(true);
  }
}
