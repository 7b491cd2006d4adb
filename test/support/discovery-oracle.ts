import type { DiscoveryQuery } from '../../src/domains/discovery/discovery-plan.js';
import type { SampledName } from '../../src/domains/discovery/name-sample.js';
import { SUFFIXES } from '../../src/domains/domain.js';
import type { DomainSeed } from './domains.js';

/** What discovery must answer, found by looking at every row. */
export function discover(
  rows: readonly DomainSeed[],
  { q = '', mode, suffixes, minWayback, limit }: DiscoveryQuery,
): string[] {
  const matches = { contains: 'includes', prefix: 'startsWith', suffix: 'endsWith' } as const;
  return rows
    .filter(({ available, hidden, wayback }) => available && !hidden && wayback >= minWayback)
    .filter((row) => {
      const { name, tld } = seedOf(row);
      return (suffixes.length === 0 || suffixes.includes(tld)) && name[matches[mode]](q);
    })
    .sort((one, other) => other.wayback - one.wayback || (one.domain < other.domain ? -1 : 1))
    .slice(0, limit)
    .map(({ domain }) => domain);
}

/** A row's name and suffix, taken apart. */
export function seedOf({ domain, wayback }: DomainSeed): SampledName {
  const tld = SUFFIXES.find((suffix) => domain.slice(domain.indexOf('.') + 1) === suffix);
  if (!tld) throw new Error(`${domain} is no name of the dataset`);
  return { name: domain.slice(0, -tld.length - 1), tld, wayback };
}
