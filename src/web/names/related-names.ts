import { Injectable } from '@nestjs/common';
import { ArchiveScoreRepository } from '../../archive/archive-score.repository.js';
import { Config } from '../../config/config.js';
import { ReadDatabase } from '../../db/replicas/read-database.js';
import { DomainRepository } from '../../domains/domain.repository.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import { NameFilterQuery, nameFilterOf } from '../../domains/schema/filters/parameters.js';
import { BY_RANK } from '../../domains/search/discovery-query.js';
import { once } from '../../validation/caches.js';
import { readAsset } from '../layout/layout.js';
import { toNameRow } from './name-row.js';
import type { Related } from './name-view.js';

const MAX_ROWS = 3;
/** Shorter words are in too many names. */
const MIN_WORD = 4;

const longWords = once(() =>
  ['business-words.txt', 'place-names.txt']
    .flatMap((file) => readAsset(file).split(/\s+/))
    .filter((word) => word.length >= MIN_WORD && /^[a-z]+$/.test(word))
    .sort((one, other) => other.length - one.length),
);

/** The longest known word in the label, or else its first part; null where nothing is long enough. */
export function wordIn(label: string): string | null {
  const known = longWords().find((word) => label.includes(word));
  const [first = ''] = label.split(/[\d-]+/);
  if (known) return known;
  return first.length >= MIN_WORD && first.length < label.length ? first : null;
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

  /** Null where there are none, or not in time. */
  async find({ name, domain }: DomainName, now: Date): Promise<Related | null> {
    const word = wordIn(name);
    if (word === null) return null;
    const wanted = {
      ...nameFilterOf({ ...new NameFilterQuery(), q: word }),
      sort: BY_RANK,
      limit: MAX_ROWS + 1,
    };
    const found = await this.domains.search.discoverPage(wanted);
    const names = found.domains.filter((one) => one.domain !== domain).slice(0, MAX_ROWS);
    if (names.length === 0) return null;
    const years = await this.years.listYears(
      names.map((one) => one.domain),
      this.reads,
    );
    const { registerUrlTemplate } = this.config.links;
    return { word, rows: names.map((row) => toNameRow(row, { years, registerUrlTemplate, now })) };
  }
}
