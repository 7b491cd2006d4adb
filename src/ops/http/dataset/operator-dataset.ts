import { Injectable } from '@nestjs/common';
import { AuditRepository } from '../../../observe/audit/audit.repository.js';
import { Clock } from '../../../db/clock.js';
import type { Queryable } from '../../../db/database.js';
import { Lifecycle } from '../../../domains/lifecycle/lifecycle.js';
import { parseDomainName } from '../../../domains/name/domain-name.js';
import { ApiError } from '../../../errors/api-error.js';
import { done, type Done, type Order } from '../order.js';
import type { NameEvidence } from './dataset.dto.js';
import { EvidenceRepository } from './evidence.repository.js';

/** What operators see of single names, and do to them. */
@Injectable()
export class OperatorDataset {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly clock: Clock,
    private readonly evidence: EvidenceRepository,
    private readonly audit: AuditRepository,
  ) {}

  /**
   * All evidence there is of a name, also of one that was removed.
   *
   * @throws {ApiError} not_found when there is none
   */
  async show(text: string): Promise<NameEvidence> {
    const { domain } = parseDomainName(text);
    const evidence = await this.evidence.read(domain);
    const { row, registry_answer: answer, events, audit } = evidence;
    if (!row && !answer && events.length === 0 && audit.length === 0) throw unknown(domain);
    return { ok: true, domain, ...evidence };
  }

  /** Withholds a name from discovery, or shows it again. @throws {ApiError} not_found */
  async setHidden(text: string, hidden: boolean, order: Order): Promise<Done> {
    const { domain } = parseDomainName(text);
    const at = await this.clock.now();
    const also = this.recording(hidden ? 'domain.hide' : 'domain.unhide', domain, order);
    const changed = await this.lifecycle.observeHidden(domain, hidden, at, also);
    if (changed === null) throw unknown(domain);
    return done(changed);
  }

  /** Has a name forgotten. @throws {ApiError} not_found */
  async remove(text: string, order: Order): Promise<Done> {
    const { domain } = parseDomainName(text);
    const also = this.recording('domain.remove', domain, order);
    if (!(await this.lifecycle.forget(domain, await this.clock.now(), also))) throw unknown(domain);
    return done(true);
  }

  private recording(action: string, domain: string, order: Order): (transaction: Queryable) => Promise<void> {
    return (transaction) => this.audit.record({ ...order, action, subject: `domain:${domain}` }, transaction);
  }
}

function unknown(domain: string): ApiError {
  return new ApiError('not_found', `The dataset does not have ${domain}.`);
}
