import { Get, Injectable, Query } from '@nestjs/common';
import { ArchiveScoreRepository } from '../../archive/archive-score.repository.js';
import { ListLimit } from '../../access/network-limits.js';
import type { Visitor } from '../../access/session-resolver.js';
import { Config } from '../../config/config.js';
import { Clock } from '../../db/database.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import { type DomainName, judgeDomainName } from '../../domains/name/domain-name.js';
import { renderLayout, siteOf } from '../layout/layout.js';
import { CurrentVisitor, PublicPages } from '../layout/public-pages.js';
import { template } from '../layout/templates.js';
import { counted } from '../layout/words.js';
import { namePartsOf, type NameRow, rowHeads, toNameRow } from './name-row.js';
import { BADGES } from './status-badge.js';

/** As many as site.js keeps. */
const MAX_NAMES = 50;

const shortlistPage = template('shortlist');

/** Names side by side. They are in the address, so that a shortlist can be shared and needs no account. */
@Injectable()
export class ShortlistService {
  constructor(
    private readonly limit: ListLimit,
    private readonly domains: DomainRepository,
    private readonly years: ArchiveScoreRepository,
    private readonly reads: ReadDatabase,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Costs no records. @throws {ApiError} too_many_requests */
  async show(text: string, visitor: Visitor): Promise<string> {
    await this.limit.count(visitor);
    const names = namesIn(text);
    const [found, now] = await Promise.all([
      Promise.all(names.map(({ domain }) => this.domains.findDomain(domain, this.reads))),
      this.clock.now(),
    ]);
    const years = await this.years.listYears(
      names.map(({ domain }) => domain),
      this.reads,
    );
    const context = { years, registerUrlTemplate: this.config.links.registerUrlTemplate, now };
    const rows = names.map((name, place) => {
      const row = found[place];
      return row && !row.hidden ? toNameRow(row, context) : unknownRow(name);
    });
    const title = rows.length === 0 ? 'Your shortlist' : `Shortlist: ${counted(rows.length, 'name')}`;
    const list = names.map(({ domain }) => domain).join('\n');
    return renderLayout(siteOf(this.config), {
      title,
      signedIn: visitor.accountId !== null,
      scripted: true,
      body: shortlistPage({ title, rows, list, heads: rowHeads(now.getUTCFullYear()) }),
    });
  }
}

function namesIn(text: string): DomainName[] {
  const judged = text.split(',', MAX_NAMES).map((one) => judgeDomainName(one.trim()));
  return judged.flatMap((judgement) => (judgement.ok ? [judgement.domain] : []));
}

/** A name that the dataset does not have. */
function unknownRow({ domain, name, tld }: DomainName): NameRow {
  return {
    ...{ domain, name: namePartsOf(name, tld), meta: counted(name.length, 'character'), dropped: null },
    ...{ score: '', step: 0, steps: '', spark: '', years: '', said: null, saidBy: '', remark: '' },
    chip: BADGES.never_asked,
    registerUrl: null,
  };
}

@PublicPages()
export class ShortlistController {
  constructor(private readonly shortlist: ShortlistService) {}

  @Get('shortlist')
  show(@Query('names') names: unknown, @CurrentVisitor() visitor: Visitor): Promise<string> {
    return this.shortlist.show(typeof names === 'string' ? names : '', visitor);
  }
}
