import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller.js';
import { Config } from '../config/config.js';
import { type DomainName, parseDomainName } from '../domains/names/domain-name.js';
import { toEligibilityDto } from '../domains/names/eligibility.dto.js';
import { DomainRepository } from '../domains/domain.repository.js';
import { linksOf, toEvidenceDto } from '../domains/domain-view.js';
import type { Domain } from '../domains/domain.js';
import type { Metered } from '../rate-limit/rate.dto.js';
import { RecordBudget } from '../rate-limit/budget/record-budget.js';
import { answeredRegistrability } from '../registry/answered-registrability.js';
import { toRegistryAnswerDto } from '../registry/registry-answer.dto.js';
import type { RegistryAnswer } from '../registry/registry-lookup.js';
import { type LookUpOptions, Registry } from '../registry/registry.js';
import type { CheckResult } from './check.dto.js';

/** A check costs one record, whatever it finds. */
const RECORDS_PER_CHECK = 1;

@Injectable()
export class CheckService {
  constructor(
    private readonly budget: RecordBudget,
    private readonly registry: Registry,
    private readonly domains: DomainRepository,
    private readonly config: Config,
  ) {}

  /**
   * What the registry says of the name now, with what the dataset knows of it.
   *
   * @param options.afresh as Registry.lookUp takes it
   * @throws {ApiError} domain_* for what is no registrable .au name, budget_exhausted, registry_unavailable; the last
   *   is never turned into a guess, and nothing is charged for it
   */
  async checkDomain(
    text: string | undefined,
    caller: Caller,
    { afresh }: Pick<LookUpOptions, 'afresh'> = {},
  ): Promise<CheckResult> {
    const name = parseDomainName(text);
    const [known, row] = await Promise.all([
      afresh ? null : this.registry.findKnown(name),
      this.domains.findDomain(name.domain),
    ]);
    if (known) {
      const result = this.resultOf(name, known, row, caller);
      const { left } = await this.budget.charge(caller, RECORDS_PER_CHECK);
      return { ...result, ...left };
    }
    const { result, left } = await this.budget.reserve(caller, RECORDS_PER_CHECK, async () => {
      const answer = await this.registry.lookUp(name, { by: caller, ...(afresh && { afresh }) });
      // Read after the answer, which may have changed it.
      return this.resultOf(name, answer, await this.domains.findDomain(name.domain), caller);
    });
    return { ...result, ...left };
  }

  private resultOf(
    name: DomainName,
    answer: RegistryAnswer,
    row: Domain | null,
    { tier }: Caller,
  ): Omit<CheckResult, keyof Metered> {
    const available = answer.state === 'available';
    return {
      ok: true,
      domain: name.domain,
      tld: name.tld,
      ...knowledgeOf(row),
      registered: isRegistered(answer),
      available,
      ...answeredRegistrability(name, answer),
      length: name.name.length,
      ...linksOf(name.domain, available, this.config.links),
      registry: toRegistryAnswerDto(answer),
      ...(tier.fields === 'full' && { dataset: row && toEvidenceDto(row) }),
      eligibility: toEligibilityDto(name.tld),
    };
  }
}

function knowledgeOf(row: Domain | null): Pick<CheckResult, 'known' | 'hidden' | 'wayback' | 'first_seen'> {
  return {
    known: row !== null,
    hidden: row?.hidden ?? false,
    wayback: row?.wayback ?? 0,
    first_seen: row?.firstSeen ?? null,
  };
}

function isRegistered({ state }: RegistryAnswer): boolean {
  switch (state) {
    // Until the purge the name belongs to its holder, who may still restore it.
    case 'registered':
    case 'expired_hold':
    case 'pending_purge':
    case 'pending_delete':
      return true;
    case 'available':
    case 'reserved':
    case 'declined':
      return false;
    default:
      return state satisfies never;
  }
}
