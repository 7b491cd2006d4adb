import { type MatchMode, SUFFIXES } from '../domain.js';
import { type Bind, IN_TABLE, type View } from './filter.js';

/** The pattern for LIKE on a label. The characters of q (a-z, 0-9, hyphen) mean themselves there. */
export function likePattern(q: string, mode: MatchMode): string {
  const before = mode === 'prefix' ? '' : '%';
  const after = mode === 'suffix' ? '' : '%';
  return `${before}${q}${after}`;
}

/** The columns of the table. */
export const ROW: View = {
  label: 'name',
  tld: 'tld',
  wayback: 'wayback',
  length: 'length',
  digits: 'digits',
  firstSeen: 'first_seen',
  ...IN_TABLE,
  asksEveryScore: true,
  hasHyphens: (wanted) => (wanted ? 'hyphens > 0' : 'hyphens = 0'),
  hasDigits: (wanted) => (wanted ? 'digits > 0' : 'digits = 0'),
  hasKeyword: (q, mode, bind) => `name LIKE ${bind(likePattern(q, mode))}`,
  isAmong: (table, passing) => `domain IN (SELECT ${table}.domain FROM ${table} WHERE ${passing})`,
};

const LABEL = `split_part(domain, '.', 1)`;

/** An index that has the domain and the score: no suffix has a hyphen or a digit. */
export const DOMAIN: View = {
  ...ROW,
  label: LABEL,
  tld: `substr(domain, strpos(domain, '.') + 1)`,
  length: `(strpos(domain, '.') - 1)`,
  digits: `(length(domain) - length(translate(domain, '0123456789', '')))`,
  hasHyphens: (wanted) => `domain ${wanted ? '' : 'NOT '}LIKE '%-%'`,
  hasDigits: (wanted) => `domain ${wanted ? '' : '!'}~ '[0-9]'`,
  hasKeyword: keywordInDomain,
  // As a value it is asked of each name by the key of the table; as a condition all names of the table might be joined.
  isAmong: (table, passing) =>
    `(SELECT true FROM ${table} AS among (other) WHERE other = domain AND ${passing}) IS NOT NULL`,
};

/** Such an index with columns of its own. */
export function indexView(columns: Partial<View>): View {
  return { ...DOMAIN, asksEveryScore: false, ...columns };
}

/** The index of ranks, one suffix of it. With its suffix behind, the keyword lies in the label. */
export function rankView(suffix: string): View {
  return {
    ...DOMAIN,
    tld: 'tld',
    hasKeyword: (q, mode, bind) => `domain LIKE ${bind(`${likePattern(q, mode)}.${suffix}`)}`,
  };
}

// LIKE on the whole domain takes half the time of cutting the label out first, which is left to do where the
// keyword may lie in the suffix. One condition and not both, as the planner takes each to let hardly any name pass.
function keywordInDomain(q: string, mode: MatchMode, bind: Bind): string {
  const pattern = { contains: `%${q}%`, prefix: `${q}%`, suffix: `%${q}.%` }[mode];
  const sought = pattern.replaceAll('%', '');
  return mode !== 'prefix' && SUFFIXES.some((tld) => `.${tld}`.includes(sought))
    ? `${LABEL} LIKE ${bind(likePattern(q, mode))}`
    : `domain LIKE ${bind(pattern)}`;
}
