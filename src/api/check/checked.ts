import type { Config } from '../../config/config.js';
import { linksOf, toEvidenceDto } from '../../domains/schema/domain-view.js';
import type { Domain } from '../../domains/schema/domain.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import { toEligibilityDto } from '../../domains/name/eligibility.js';
import { answeredRegistrability, type RegistryAnswer } from '../../registry/answer.js';
import { toRegistryAnswerDto } from '../../registry/registry-answer.dto.js';
import type { Tier } from '../../config/tiers.js';
import type { Checked } from './check.dto.js';

/** What a registry said of a name, with what the dataset knows of it, as the tier shows it. */
export function checkedOf(
  name: DomainName,
  answer: RegistryAnswer,
  row: Domain | null,
  tier: Tier,
  { links }: Pick<Config, 'links'>,
): Checked {
  const available = answer.state === 'available';
  // Anyone could ask name by name what the operator withholds.
  const shown = row?.hidden && tier.name === 'demo' ? null : row;
  return {
    ok: true,
    domain: name.domain,
    tld: name.tld,
    ...knowledgeOf(shown),
    registered: isRegistered(answer),
    available,
    ...answeredRegistrability(name, answer),
    length: name.name.length,
    ...linksOf(name.domain, available, links),
    registry: toRegistryAnswerDto(answer),
    ...(tier.fields === 'full' && { dataset: shown && toEvidenceDto(shown) }),
    eligibility: toEligibilityDto(name.tld),
  };
}

function knowledgeOf(row: Domain | null): Pick<Checked, 'known' | 'hidden' | 'wayback' | 'first_seen'> {
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
