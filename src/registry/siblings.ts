import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import type { Queryable } from '../db/database.js';
import { DomainRepository } from '../domains/domain.repository.js';
import { type DomainName, judgeDomainName } from '../domains/name/domain-name.js';
import { toEligibilityDto } from '../domains/name/eligibility.js';
import { judgeRegistrability } from '../domains/name/registrability.js';
import { linksOf } from '../domains/schema/domain-view.js';
import { type Domain, type Suffix, SUFFIXES } from '../domains/schema/domain.js';
import { FREE_TO_TAKE } from '../domains/schema/states.js';
import { DatabaseUnavailable, isSqlState, LOCK_NOT_AVAILABLE } from '../errors/database-failure.js';
import { answeredRegistrability, type RegistryAnswer } from './answer.js';
import { Registry } from './registry.js';
import type { Sibling } from './sibling.dto.js';

/** Known states of a label under the six suffixes, for every feature that shows them. Never asks the registry. */
@Injectable()
export class SiblingReader {
  constructor(
    private readonly domains: DomainRepository,
    private readonly registry: Registry,
    private readonly config: Config,
  ) {}

  /**
   * @param source where the dataset is read
   * @param told answers of the registry that are at hand, by name
   */
  async read(
    label: string,
    source: Queryable,
    told: ReadonlyMap<string, RegistryAnswer> = new Map(),
  ): Promise<Sibling[]> {
    const names = siblingNames(label);
    const [rows, known] = await Promise.all([
      this.domains.listShownDomains(
        names.map(({ domain }) => domain),
        source,
      ),
      this.findKnown(names.flatMap(({ name }) => (name && !told.has(name.domain) ? name : []))),
    ]);
    const shown = new Map(rows.map((row) => [row.domain, row]));
    const toView = (name: SiblingName) =>
      toSibling(name, shown.get(name.domain), told.get(name.domain) ?? known.get(name.domain), this.config);
    return names.map(toView);
  }

  /**
   * While no server takes writes, which alone knows the recent answers, or they are locked, the word of the dataset
   * has to do.
   */
  private async findKnown(names: readonly DomainName[]): Promise<Map<string, RegistryAnswer>> {
    try {
      return await this.registry.findAllKnown(names);
    } catch (error) {
      if (error instanceof DatabaseUnavailable || isSqlState(error, LOCK_NOT_AVAILABLE)) return new Map();
      throw error;
    }
  }
}

/** The label under a suffix; no name where the rules have none there. */
export interface SiblingName {
  readonly domain: string;
  readonly tld: Suffix;
  readonly name: DomainName | null;
}

export function siblingNames(label: string): SiblingName[] {
  return SUFFIXES.map((tld) => {
    const domain = `${label}.${tld}`;
    const judged = judgeDomainName(domain);
    return { domain, tld, name: judged.ok ? judged.domain : null };
  });
}

type Word = Pick<Sibling, 'state' | 'available' | 'learned_at' | 'learned_from' | 'registrable' | 'reason'>;

/** @param answer the registry's, where there is one: it is newer than what the dataset has, or the same */
export function toSibling(
  { domain, tld, name }: SiblingName,
  row: Domain | undefined,
  answer: RegistryAnswer | undefined,
  { links }: Pick<Config, 'links'>,
): Sibling {
  const word = name ? wordOf(name, row, answer) : NO_NAME;
  return {
    ...{ domain, tld, known: row !== undefined, wayback: row?.wayback ?? null, ...word },
    register_url: linksOf(domain, word.available ?? false, links).register_url,
    eligibility: toEligibilityDto(tld),
  };
}

function wordOf(name: DomainName, row: Domain | undefined, answer: RegistryAnswer | undefined): Word {
  if (answer) {
    const { registrable, reason } = answeredRegistrability(name, answer);
    return {
      ...{ state: answer.state, available: answer.state === 'available', registrable, reason },
      ...{ learned_at: answer.checkedAt.toISOString(), learned_from: answer.source },
    };
  }
  if (!row) return { ...NOTHING, ...judgeRegistrability(name, null) };
  const learnedAt = row.confirmedBy === null ? row.listedAt : row.checkedAt;
  return {
    ...{ state: row.state, available: row.available, ...judgeRegistrability(name, FREE_TO_TAKE[row.state]) },
    learned_at: learnedAt?.toISOString() ?? null,
    learned_from: row.confirmedBy ?? (row.listedAt ? 'list' : null),
  };
}

const NOTHING = { state: null, available: null, learned_at: null, learned_from: null } as const;
/** What breaks the rules under a suffix cannot be had there. */
const NO_NAME: Word = { ...NOTHING, available: false, registrable: false, reason: null };
