import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller.js';
import { Config } from '../config/config.js';
import { parseDomainName } from '../domains/domain-name.js';
import { toDomainDto } from '../domains/domain.dto.js';
import { DomainRepository } from '../domains/domain.repository.js';
import { RecordBudget } from '../rate-limit/record-budget.js';
import type { Metered } from '../rate-limit/rate.dto.js';
import { renderDomainPage } from './domain-page.js';

/** A page shows one record and costs as much, as at every other door. */
const RECORDS_PER_PAGE = 1;

@Injectable()
export class PagesService {
  constructor(
    private readonly budget: RecordBudget,
    private readonly domains: DomainRepository,
    private readonly config: Config,
  ) {}

  /**
   * What the dataset knows of one name, as a page: where every detail_url leads.
   *
   * @throws {ApiError} domain_* for what is no name, not_found for a name that is not in the dataset or is withheld
   */
  async showDomain(text: string, caller: Caller): Promise<Metered & { html: string }> {
    const name = parseDomainName(text);
    const { result, ...left } = await this.budget.spend(caller, RECORDS_PER_PAGE, async () => {
      const row = await this.domains.readShownDomain(name.domain);
      const { links } = this.config;
      const html = renderDomainPage({
        record: toDomainDto(row, links),
        checkedAt: row.checkedAt?.toISOString() ?? null,
        checkUrl: `${links.baseUrl}/v1/domains/check?domain=${encodeURIComponent(row.domain)}`,
      });
      return { used: RECORDS_PER_PAGE, result: html };
    });
    return { html: result, ...left };
  }
}
