import { linksOf } from '../../domains/schema/domain-view.js';
import type { Config } from '../../config/config.js';
import { type Domain, SUFFIXES, type Suffix } from '../../domains/schema/domain.js';
import { FREE_TO_TAKE } from '../../domains/schema/states.js';
import { type DomainName, judgeDomainName } from '../../domains/name/domain-name.js';
import { toEligibilityDto } from '../../domains/name/eligibility.dto.js';
import { judgeRegistrability } from '../../domains/name/registrability.js';
import { answeredRegistrability } from '../answered-registrability.js';
import type { RegistryAnswer } from '../registry-lookup.js';
import type { Sibling } from './sibling.dto.js';

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
