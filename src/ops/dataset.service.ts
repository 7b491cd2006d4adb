import { Injectable } from '@nestjs/common';
import { AuditRepository } from '../observe/audit.repository.js';
import { Clock, Database, type Queryable } from '../db/database.js';
import { Config } from '../config/config.js';
import type { ResumedWrites } from '../domains/lifecycle/guard.repository.js';
import { Lifecycle } from '../domains/lifecycle/lifecycle.js';
import { isVouched } from '../domains/lifecycle/listings/listing.js';
import { FormerSiteRepository } from '../archive/former-site/former-site.repository.js';
import { parseDomainName } from '../domains/name/domain-name.js';
import { AnswerLogRepository } from '../registry/answer-log.repository.js';
import { Registry } from '../registry/registry.js';
import { toRegistryAnswerDto } from '../registry/registry-answer.dto.js';
import { ApiError } from '../errors/api-error.js';
import { type AnswerOf, done, type Done, type OperatorCommand } from './answers.js';
import { OperatorsRepository } from './operators.repository.js';

const MAX_LIFTED = 10;

/** Single names, and the circuit that stops the writing of answers. */
@Injectable()
export class OperatorDataset {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
    private readonly clock: Clock,
    private readonly answers: AnswerLogRepository,
    private readonly registry: Registry,
    private readonly operators: OperatorsRepository,
    private readonly audit: AuditRepository,
    private readonly sites: FormerSiteRepository,
  ) {}

  /** All evidence about a name, also about one that was removed. @throws {ApiError} not_found when there is none */
  async show(text: string): Promise<AnswerOf<'NameEvidence'>> {
    const { domain } = parseDomainName(text);
    const evidence = await this.operators.readEvidence(domain);
    const { row, registry_answer: answer, answers, events, audit } = evidence;
    if (!row && !answer && [answers, events, audit].every(({ length }) => length === 0))
      throw unknown(domain);
    return { ok: true, domain, ...evidence, answers_note: noteOn(evidence) };
  }

  /** Asks the registry now. Failed attempts are on record too. @throws {ApiError} registry_unavailable */
  async check(text: string, command: OperatorCommand): Promise<AnswerOf<'NameChecked'>> {
    const name = parseDomainName(text);
    await this.audit.record({ ...command, subject: `domain:${name.domain}` });
    const answer = await this.registry.lookUp(name, { afresh: true });
    return { ok: true, domain: name.domain, answer: toRegistryAnswerDto(answer) };
  }

  /** Withholds a name from discovery, or shows it again. @throws {ApiError} not_found */
  async setHidden(text: string, hidden: boolean, command: OperatorCommand): Promise<Done> {
    const { domain } = parseDomainName(text);
    const record = this.recording(domain, command);
    const changed = await this.lifecycle.observeHidden(domain, hidden, await this.clock.now(), record);
    if (changed === null) throw unknown(domain);
    return done(changed);
  }

  /** Deletes the text of a former site, and keeps it from being read. */
  async removeSite(text: string, command: OperatorCommand): Promise<Done> {
    return this.changeSite(text, command, (domain, transaction) => this.sites.remove(domain, transaction));
  }

  async restoreSite(text: string, command: OperatorCommand): Promise<Done> {
    return this.changeSite(text, command, (domain, transaction) => this.sites.restore(domain, transaction));
  }

  private async changeSite(
    text: string,
    command: OperatorCommand,
    change: (domain: string, transaction: Queryable) => Promise<boolean>,
  ): Promise<Done> {
    const { domain } = parseDomainName(text);
    return this.database.transaction(async (transaction) => {
      const changed = await change(domain, transaction);
      if (changed) await this.recording(domain, command)(transaction);
      return done(changed);
    });
  }

  /** Deletes a name and its history. @throws {ApiError} not_found */
  async remove(text: string, command: OperatorCommand): Promise<Done> {
    const { domain } = parseDomainName(text);
    const record = this.recording(domain, command);
    const also = async (transaction: Queryable) => {
      await this.answers.forget(domain, transaction);
      await record(transaction);
    };
    if (!(await this.lifecycle.forget(domain, await this.clock.now(), also))) throw unknown(domain);
    return done(true);
  }

  async readCircuit(): Promise<AnswerOf<'Circuit'>> {
    const { flips, hour, writesStoppedAt, reason } = await this.lifecycle.readGuard();
    return {
      ...{ ok: true, flips, reason, max_flips: this.config.lifecycle.maxFlipsPerHour },
      stopped_at: writesStoppedAt?.toISOString() ?? null,
      hour: hour?.toISOString() ?? null,
      lifted: (await this.lifecycle.listResumedWrites(MAX_LIFTED)).map(toLifted),
    };
  }

  async resetCircuit(command: OperatorCommand): Promise<AnswerOf<'CircuitReset'>> {
    const at = await this.clock.now();
    const lifted = await this.database.transaction(async (transaction) => {
      const stop = await this.lifecycle.resumeWrites(command.actor, at, transaction);
      if (stop) await this.audit.record({ ...command, subject: 'circuit' }, transaction);
      return stop;
    });
    return { ok: true, changed: lifted !== null, lifted: lifted && toLifted(lifted) };
  }

  private recording(domain: string, command: OperatorCommand): (transaction: Queryable) => Promise<void> {
    return (transaction) => this.audit.record({ ...command, subject: `domain:${domain}` }, transaction);
  }
}

/** Names that were checked before answers were kept have the time alone. */
function noteOn({ row, answers }: Pick<AnswerOf<'NameEvidence'>, 'row' | 'answers'>): string | null {
  const { checked_at: at, confirmed_by: by }: Record<string, unknown> = row ?? {};
  if (answers.length > 0 || typeof at !== 'string' || isVouched(typeof by === 'string' ? by : null))
    return null;
  return `It was checked at ${at}; the details of that answer were not kept.`;
}

function unknown(domain: string): ApiError {
  return new ApiError('not_found', `The dataset does not have ${domain}.`);
}

function toLifted({ stoppedAt, resumedAt, resumedBy, flips, reason }: ResumedWrites) {
  const [stopped_at, resumed_at] = [stoppedAt.toISOString(), resumedAt.toISOString()];
  return { stopped_at, resumed_at, resumed_by: resumedBy, flips, reason };
}
