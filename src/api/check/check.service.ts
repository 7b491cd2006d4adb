import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import { Config } from '../../config/config.js';
import { parseDomainName } from '../../domains/name/domain-name.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { RecordBudget } from '../../access/record-budget.js';
import { type LookUpOptions, Registry } from '../../registry/registry.js';
import type { CheckResult } from './check.dto.js';
import { checkedOf } from './checked.js';

/** A check costs one record, for every result. */
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
   * The registry's current answer for the name, with the dataset's fields.
   *
   * @param options.afresh as Registry.lookUp takes it
   * @throws {ApiError} domain_* for a text that is not a registrable .au name, budget_exhausted,
   * registry_unavailable; the last is never turned into a guess, and nothing is charged for it
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
      const result = checkedOf(name, known, row, caller.tier, this.config);
      const { left } = await this.budget.charge(caller, RECORDS_PER_CHECK);
      return { ...result, ...left };
    }
    const { result, left } = await this.budget.reserve(caller, RECORDS_PER_CHECK, async () => {
      const answer = await this.registry.lookUp(name, { by: caller, ...(afresh && { afresh }) });
      // Read after the answer, which may have changed it.
      return checkedOf(name, answer, await this.domains.findDomain(name.domain), caller.tier, this.config);
    });
    return { ...result, ...left };
  }
}
