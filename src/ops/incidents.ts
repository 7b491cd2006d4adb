import { Injectable } from '@nestjs/common';
import { toIncidentDto } from '../api/status/status.service.js';
import { IdempotentRequests, senderOfOperator } from '../access/idempotent-requests.js';
import { Clock, Database } from '../db/database.js';
import { ApiError } from '../errors/api-error.js';
import { AuditRepository } from '../observe/audit.repository.js';
import { type Incident, type IncidentChange, IncidentRepository } from '../observe/incident.repository.js';
import { type AnswerOf, done, type Done, type OperatorCommand } from './answers.js';

type DetailsDto = AnswerOf<'Incidents'>['incidents'][number];

/** Incidents on the status page. The public page and its feed show a change within a minute. */
@Injectable()
export class OperatorIncidents {
  constructor(
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly incidents: IncidentRepository,
    private readonly audit: AuditRepository,
    private readonly requests: IdempotentRequests,
  ) {}

  async list(): Promise<AnswerOf<'Incidents'>> {
    return { ok: true, incidents: (await this.incidents.list()).map(detailsOf) };
  }

  /** @throws {ApiError} not_found */
  async show(id: string): Promise<AnswerOf<'IncidentDetails'>> {
    const incident = await this.incidents.find(id);
    if (!incident) throw missing();
    return { ok: true, ...detailsOf(incident) };
  }

  /** @throws {ApiError} invalid_parameter for a beginning in the future; idempotency_conflict */
  async open(
    asked: { readonly title: string; readonly words: string; readonly began_at: Date | undefined },
    command: OperatorCommand,
  ): Promise<AnswerOf<'IncidentDetails'>> {
    const { title, words, began_at: beganAt } = asked;
    const { actor, reason, requestKey: key } = command;
    return this.requests.once(
      { by: senderOfOperator(actor), key, content: ['incident', asked, reason] },
      (remember) =>
        this.database.transaction(async (transaction) => {
          const incident = await this.incidents.add({ title, words, beganAt }, transaction);
          if (!incident) throw new ApiError('invalid_parameter', 'began_at must not lie in the future');
          await this.audit.record({ ...command, subject: `incident:${incident.id}` }, transaction);
          await remember(incident.id, transaction);
          return { ok: true as const, ...detailsOf(incident) };
        }),
      async (id) => {
        const incident = await this.incidents.find(id);
        return incident && { ok: true, ...detailsOf(incident) };
      },
    );
  }

  /** @throws {ApiError} not_found; invalid_parameter for an end in the future or before its beginning */
  async change(
    id: string,
    change: IncidentChange,
    command: OperatorCommand,
  ): Promise<AnswerOf<'IncidentDetails'>> {
    await this.show(id);
    return this.database.transaction(async (transaction) => {
      const incident = await this.incidents.change(id, change, transaction);
      if (!incident)
        throw new ApiError(
          'invalid_parameter',
          'ended_at must lie between the beginning of the incident and now',
        );
      await this.audit.record({ ...command, subject: `incident:${id}` }, transaction);
      return { ok: true, ...detailsOf(incident) };
    });
  }

  /** @param ended_at now without it. @throws as `change` does */
  async end(
    id: string,
    { words, ended_at: endedAt }: { readonly words: string | undefined; readonly ended_at: Date | undefined },
    command: OperatorCommand,
  ): Promise<AnswerOf<'IncidentDetails'>> {
    return this.change(id, { words, endedAt: endedAt ?? (await this.clock.now()) }, command);
  }

  /** @throws {ApiError} not_found */
  async remove(id: string, command: OperatorCommand): Promise<Done> {
    await this.database.transaction(async (transaction) => {
      if (!(await this.incidents.remove(id, transaction))) throw missing();
      await this.audit.record({ ...command, subject: `incident:${id}` }, transaction);
    });
    return done(true);
  }
}

function missing(): ApiError {
  return new ApiError('not_found', 'There is no such incident.');
}

function detailsOf(incident: Incident): DetailsDto {
  return { id: incident.id, ...toIncidentDto(incident) };
}
