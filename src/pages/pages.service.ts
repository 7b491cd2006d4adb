import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller.js';
import { Config } from '../config/config.js';
import { type DomainName, parseDomainName } from '../domains/names/domain-name.js';
import { ELIGIBILITY } from '../domains/names/eligibility.js';
import type { Domain } from '../domains/domain.js';
import { toDomainDto, toEvidenceDto } from '../domains/domain-view.js';
import { voucherOf } from '../domains/lifecycle/listings/listing.js';
import { DomainRepository } from '../domains/domain.repository.js';
import { RecordBudget } from '../rate-limit/budget/record-budget.js';
import type { Metered } from '../rate-limit/rate.dto.js';
import { siteOf } from './layout/layout.js';
import { renderDomainPage, renderMissingPage } from './domain-page.js';

/** A page shows one record and costs as much, as at every other door. */
const RECORDS_PER_PAGE = 1;
/** `confirmed_by` of what the demo made up: its registry, and its sample. */
const SANDBOX_WORDS = ['sandbox', voucherOf('sandbox')];

interface Page {
  /** Whether the dataset shows the name; without it the page says where to ask. */
  readonly isFound: boolean;
  readonly html: string;
}

@Injectable()
export class PagesService {
  constructor(
    private readonly budget: RecordBudget,
    private readonly domains: DomainRepository,
    private readonly config: Config,
  ) {}

  /**
   * What the dataset knows of one name, as a page: where every detail_url leads. Costs nothing when it knows nothing.
   *
   * @throws {ApiError} domain_* for what is no name
   */
  async showDomain(text: string, caller: Caller): Promise<Metered & Page> {
    const name = parseDomainName(text);
    const row = await this.domains.findShownDomain(name.domain);
    const { left } = await this.budget.charge(caller, row ? RECORDS_PER_PAGE : 0);
    return { ...this.pageOf(name, row), ...left };
  }

  private pageOf(name: DomainName, row: Domain | null): Page {
    const { links } = this.config;
    const { domain } = name;
    const caution = cautionOf(name);
    const checkUrl = `${links.baseUrl}/v1/domains/check?domain=${encodeURIComponent(domain)}`;
    if (!row)
      return { isFound: false, html: renderMissingPage(siteOf(this.config), { domain, checkUrl, caution }) };
    const record = toDomainDto(row, links);
    return {
      isFound: true,
      html: renderDomainPage(siteOf(this.config), {
        record,
        evidence: toEvidenceDto(row),
        isMadeUp: row.confirmedBy !== null && SANDBOX_WORDS.includes(row.confirmedBy),
        checkUrl,
        eligibility: ELIGIBILITY[name.tld].who,
        caution,
      }),
    };
  }
}

function cautionOf({ rule }: DomainName): string | null {
  if (!rule) return null;
  const verdict =
    rule.registrable === false ? 'Nobody can register this name' : 'Not everybody can have this name';
  return `${verdict} (${rule.reason}): it is ${rule.what}. Source, which we call ${rule.confidence}: ${rule.source}`;
}
