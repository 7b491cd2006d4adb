import { Injectable } from '@nestjs/common';
import { AuditRepository } from '../observe/audit.repository.js';
import { Clock, Database, type Queryable } from '../db/database.js';
import { ApiError } from '../errors/api-error.js';
import { type JobState, JobStateRepository } from '../work/job-state.repository.js';
import { type AnswerOf, done, type Done, type Job, type OperatorCommand } from './answers.js';

/** Jobs. A command is written in the row of its job, which the process that does the jobs reads. */
@Injectable()
export class OperatorJobs {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly states: JobStateRepository,
    private readonly audit: AuditRepository,
  ) {}

  async list(): Promise<AnswerOf<'Jobs'>> {
    const now = await this.clock.now();
    const holder = await this.states.readHolder(now);
    const states = await this.states.list();
    return {
      ok: true,
      holder: holder && { id: holder.holder, until: holder.until.toISOString() },
      jobs: states.map((state) => describe(state, now)),
    };
  }

  /** @throws {ApiError} not_found */
  async pause(name: string, command: OperatorCommand): Promise<Done> {
    const at = await this.clock.now();
    const { actor: by, reason } = command;
    return this.steer(name, command, (transaction) =>
      this.states.pause(name, { by, reason }, at, transaction),
    );
  }

  /** @throws {ApiError} not_found */
  async resume(name: string, command: OperatorCommand): Promise<Done> {
    return this.steer(name, command, (transaction) => this.states.resume(name, transaction));
  }

  /** Asks for a run within a second, also of a paused job. @throws {ApiError} not_found */
  async runNow(name: string, command: OperatorCommand): Promise<Done> {
    const at = await this.clock.now();
    return this.steer(name, command, (transaction) => this.states.want(name, at, transaction));
  }

  private async steer(
    name: string,
    command: OperatorCommand,
    change: (transaction: Queryable) => Promise<boolean>,
  ): Promise<Done> {
    await this.database.transaction(async (transaction) => {
      if (!(await change(transaction))) throw await this.unknown(name);
      await this.audit.record({ ...command, subject: `job:${name}` }, transaction);
    });
    return done(true);
  }

  private async unknown(name: string): Promise<ApiError> {
    const names = (await this.states.list()).map((state) => state.name).join(', ');
    return new ApiError(
      'not_found',
      `There is no job ${name} that has ever run; there are: ${names || 'none'}.`,
    );
  }
}

function describe(state: JobState, now: Date): InstanceType<typeof Job> {
  const { pausedAt, pausedBy, pauseReason } = state;
  return {
    name: state.name,
    is_due: pausedAt === null && state.nextDue <= now,
    next_due: state.nextDue.toISOString(),
    last_run_at: textOf(state.lastRunAt),
    last_success_at: textOf(state.lastSuccessAt),
    failures: state.failures,
    last_error: state.lastError,
    last_error_at: textOf(state.lastErrorAt),
    wanted_at: textOf(state.runRequestedAt),
    paused: pausedAt && { since: pausedAt.toISOString(), by: pausedBy ?? '', reason: pauseReason ?? '' },
    cursor: state.cursor,
  };
}

const textOf = (time: Date | null) => time?.toISOString() ?? null;
