import { type Suffix, SUFFIXES } from '../schema/domain.js';
import type { NameHold } from './name-hold.repository.js';
import type { NameRule, Place } from './rules/name-rule.js';
import { RESERVED_LABELS } from './rules/reserved-labels.js';
import { INELIGIBLE_ENDINGS, RESTRICTED_WORDS } from './rules/restricted-words.js';

/** The day on which the sources were last read; change it with the data. */
export const NAME_RULES_VERSION = '2026-11-20';

/**
 * Labels that are not like others, each entry with its source and how sure we are of it. Complete it is not: auDA
 * publishes no list that a program can read.
 */
export const NAME_RULES: readonly NameRule[] = [
  ...RESERVED_LABELS,
  ...RESTRICTED_WORDS,
  ...INELIGIBLE_ENDINGS,
];

const WHERE: Readonly<Record<Place, (spellings: string) => string>> = {
  label: (spellings) => `^(?:${spellings})$`,
  word: (spellings) => `(?:^|-)(?:${spellings})(?:-|$)`,
  part: (spellings) => spellings,
  end: (spellings) => `(?:${spellings})$`,
};

// Whole labels are found by their name; the others are few, and tried one after the other.
const BY_LABEL = groupByLabel(NAME_RULES.filter(({ place }) => place === 'label'));
const OTHERS = NAME_RULES.filter(({ place }) => place !== 'label').map((rule) => ({
  rule,
  pattern: new RegExp(WHERE[rule.place](spellingsOf(rule).join('|'))),
}));
// Hardly any label has one of them, which one look finds out.
const HAS_OTHER = new RegExp(OTHERS.map(({ pattern }) => pattern.source).join('|'));

/** Names of the operator's lists, one table a process: most callers that judge a name have no database. */
let held: ReadonlyMap<string, NameRule> = new Map();

/** Replaces the table of held names. */
export function holdNames(holds: readonly NameHold[]): void {
  held = new Map(
    holds.map(({ domain, what, source, asOf }) => [
      domain,
      {
        ...({ words: domain, place: 'label', suffixes: SUFFIXES, reason: 'contested' } as const),
        ...({ registrable: false, confidence: 'certain', what, source, asOf } as const),
      },
    ]),
  );
}

/** @returns the rule against the label under that suffix: a refusal first, then the earliest entry; or null */
export function findNameRule(label: string, tld: Suffix): NameRule | null {
  const published = findPublishedRule(label, tld);
  const isRefused = published?.registrable === false;
  return isRefused ? published : (held.get(`${label}.${tld}`) ?? published);
}

/** The same of our own data; lists of operators do not count. */
export function findPublishedRule(label: string, tld: string): NameRule | null {
  const found = findPublished(label, tld);
  return found.find(({ registrable }) => registrable === false) ?? found[0] ?? null;
}

/** Whether our own data reserve the name; lists of operators do not count. */
export function isReservedForGood(domain: string): boolean {
  const dot = domain.indexOf('.');
  return findPublishedRule(domain.slice(0, dot), domain.slice(dot + 1))?.registrable === false;
}

function findPublished(label: string, tld: string): NameRule[] {
  const others = HAS_OTHER.test(label) ? OTHERS.filter(({ pattern }) => pattern.test(label)) : [];
  return [...(BY_LABEL.get(label) ?? []), ...others.map(({ rule }) => rule)].filter(({ suffixes }) =>
    suffixes.some((suffix) => suffix === tld),
  );
}

/** Several words are written together or with hyphens. */
function spellingsOf({ words }: NameRule): string[] {
  return words.includes(' ') ? [words.replaceAll(' ', ''), words.replaceAll(' ', '-')] : [words];
}

function groupByLabel(rules: readonly NameRule[]): ReadonlyMap<string, readonly NameRule[]> {
  const groups = new Map<string, NameRule[]>();
  for (const rule of rules)
    for (const label of spellingsOf(rule)) groups.set(label, [...(groups.get(label) ?? []), rule]);
  return groups;
}
