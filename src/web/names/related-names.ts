import { Injectable } from '@nestjs/common';
import { ArchiveScoreRepository } from '../../archive/archive-score.repository.js';
import { Config } from '../../config/config.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import { NO_LIMITS } from '../../domains/schema/filters/filters.js';
import { readWords } from '../../domains/schema/filters/reading-filter.js';
import { BY_RANK } from '../../domains/search/discovery-query.js';
import { cutLabel } from '../../domains/words/label-words.js';
import { lexicon } from '../../domains/words/lexicon.js';
import { ApiError } from '../../errors/api-error.js';
import { toNameRow } from './name-row.js';
import type { Related } from './name-view.js';

const MAX_ROWS = 3;
/** Shorter words are in too many names. */
const MIN_WORD = 4;

/** The longest known word of the label, as it is cut; null where none is long enough. */
export function wordIn(label: string): string | null {
  const words = cutLabel(label, lexicon()).words.filter(
    (word) => word.length >= MIN_WORD && lexicon().has(word),
  );
  return words.reduce<string | null>(
    (longest, word) => (longest !== null && longest.length >= word.length ? longest : word),
    null,
  );
}

/** Dropped names that share a word with a name, the best first. */
@Injectable()
export class RelatedNames {
  constructor(
    private readonly domains: DomainRepository,
    private readonly years: ArchiveScoreRepository,
    private readonly reads: ReadDatabase,
    private readonly config: Config,
  ) {}

  /** Null where there are none, or not in time, or while the names are not cut into words. */
  async find({ name, domain }: DomainName, now: Date): Promise<Related | null> {
    const word = wordIn(name);
    if (word === null) return null;
    const wanted = { ...NO_LIMITS, reading: readWords(word), sort: BY_RANK, limit: MAX_ROWS + 1 };
    const found = await this.domains.search.discoverDomains(wanted).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_ready') return null;
      throw error;
    });
    if (!found) return null;
    const names = found.domains.filter((one) => one.domain !== domain).slice(0, MAX_ROWS);
    if (names.length === 0) return null;
    const years = await this.years.listYears(
      names.map((one) => one.domain),
      this.reads,
    );
    const { links, auth } = this.config;
    const { registerUrlTemplate } = links;
    const context = { years, registerUrlTemplate, hasAccounts: auth.enabled, now };
    return { word, rows: names.map((row) => toNameRow(row, context)) };
  }
}
