import { Injectable } from '@nestjs/common';
import { Clock } from '../../db/database.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import type { Domain } from '../../domains/schema/domain.js';
import { AnswerLogRepository } from '../../registry/answer-log.repository.js';
import { Registry } from '../../registry/registry.js';
import { type NameStatus, statusOfKnown } from './status-badge.js';

export interface KnownName {
  readonly name: DomainName;
  /** Null for an unknown or hidden name. */
  readonly row: Domain | null;
  readonly status: NameStatus;
}

/** The known states of some names, in the dataset or not. Asks no registry. */
@Injectable()
export class NameStatuses {
  constructor(
    private readonly registry: Registry,
    private readonly answers: AnswerLogRepository,
    private readonly domains: DomainRepository,
    private readonly reads: ReadDatabase,
    private readonly clock: Clock,
  ) {}

  async read(names: readonly DomainName[]): Promise<{ known: KnownName[]; now: Date }> {
    const domains = names.map(({ domain }) => domain);
    const [found, answered, last, now] = await Promise.all([
      this.domains.listShownDomains(domains, this.reads),
      this.registry.findAllKnown(names),
      this.answers.findLast(domains, this.registry.sources, this.reads),
      this.clock.now(),
    ]);
    const rows = new Map(found.map((row) => [row.domain, row]));
    const known = names.map((name) => {
      const { domain } = name;
      const row = rows.get(domain) ?? null;
      const status = statusOfKnown(name, answered.get(domain) ?? null, row, last.get(domain), now);
      return { name, row, status };
    });
    return { known, now };
  }
}
