import type { Suffix } from '../../domains/schema/domain.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import { ELIGIBILITY, ELIGIBILITY_VERSION } from '../../domains/name/eligibility.js';
import { NAME_RULES_VERSION } from '../../domains/name/name-rules.js';
import { ruleAgainst } from '../../domains/name/registrability.js';
import type { PolicyReason } from '../registrar/port.js';
import { fillIn, t } from '../../texts/texts.js';
import { hasCheckDigits, type NumberKind } from '../../validation/business-numbers.js';

/** Whether a holder may have a name, by which rule. `eligible` is never assumed. */
export interface Verdict {
  readonly is: 'eligible' | 'not_eligible' | 'unknown';
  readonly rule: string;
  readonly source: string;
  /** The day of the source, YYYY-MM-DD. */
  readonly asOf: string;
  /** As sent to the registry. */
  readonly policyReason: PolicyReason;
}

type Judgement = (is: Verdict['is'], rule: string, policyReason?: PolicyReason) => Verdict;
const MATCHES = 1;
const CONNECTED = 2;

/** What a holder says of itself. */
export interface Holder {
  readonly legalName: string;
  readonly idType: NumberKind;
  /** Digits. */
  readonly id: string;
  readonly eligibilityType: string;
}

/** What the Australian Business Register says of a number. */
export interface RegisterEntry {
  readonly isActive: boolean;
  readonly entityName: string;
  /** Such as PRV, a proprietary company. */
  readonly entityType: string;
  readonly businessNames: readonly string[];
  readonly asOf: string;
}

/** `missing`: not in the register. Null: the register gave no answer. */
export type RegisterAnswer = RegisterEntry | 'missing' | null;

const { register: REGISTER, rules } = t.eligibility;

interface Kind {
  /** The word of the registry. */
  readonly eligibilityType: string;
  readonly isPerson?: true;
  /** The legal form, with which its name ends. */
  readonly form?: RegExp;
}

/** By codes of the register: the kinds of entities that the rules name. */
const KINDS: Readonly<Record<string, Kind>> = {
  PRV: {
    eligibilityType: 'Company',
    form: /[\s.,]+(?:(?:pty|proprietary)(?:[\s.]+(?:ltd|limited))?|ltd|limited)[\s.]*$/i,
  },
  PUB: { eligibilityType: 'Company', form: /[\s.,]+(?:ltd|limited|nl|no liability)[\s.]*$/i },
  IND: { eligibilityType: 'Sole Trader', isPerson: true },
  PTR: { eligibilityType: 'Partnership' },
  FPT: { eligibilityType: 'Partnership' },
  OIE: { eligibilityType: 'Incorporated Association', form: /[\s.,]+(?:inc|incorporated)[\s.]*$/i },
};

/** What the rules of a suffix ask of the holder's kind and of the name, as far as a program can tell. */
const SUFFIX_RULES: Readonly<
  Record<Suffix, { readonly kinds: readonly string[]; readonly isAnyName: boolean }>
> = {
  'com.au': { kinds: ['PRV', 'PUB', 'IND', 'PTR', 'FPT', 'OIE'], isAnyName: false },
  'net.au': { kinds: ['PRV', 'PUB', 'IND', 'PTR', 'FPT', 'OIE'], isAnyName: false },
  'org.au': { kinds: ['OIE'], isAnyName: false },
  'asn.au': { kinds: ['OIE'], isAnyName: false },
  'id.au': { kinds: [], isAnyName: false },
  au: { kinds: ['PRV', 'PUB', 'IND', 'PTR', 'FPT', 'OIE'], isAnyName: true },
};

/**
 * Judges a holder and a name by dated data: `eligible` only when every rule is met, `unknown` when the data do not
 * decide.
 */
export function judgeEligibility(name: DomainName, holder: Holder, register: RegisterAnswer): Verdict {
  const by: Judgement = (is, rule, policyReason = CONNECTED) => ({
    ...{ is, rule, policyReason },
    ...{ source: ELIGIBILITY[name.tld].source, asOf: ELIGIBILITY_VERSION },
  });
  if (!hasCheckDigits(holder.idType, holder.id))
    return byRegister('not_eligible', fillIn(rules.checkDigit, { type: holder.idType }), ELIGIBILITY_VERSION);
  if (name.tld === 'id.au' && holder.idType === 'ACN') return by('not_eligible', rules.idCompany);
  const against = ruleAgainst(name, null);
  if (against?.registrable === false) return ofName('not_eligible', against);
  if (register === 'missing')
    return byRegister('not_eligible', fillIn(rules.missing, { type: holder.idType }), ELIGIBILITY_VERSION);
  if (register !== null) {
    const { isActive, entityName, entityType, asOf } = register;
    if (!isActive) return byRegister('not_eligible', fillIn(rules.cancelled, { type: holder.idType }), asOf);
    if (spelling(entityName) !== spelling(holder.legalName))
      return byRegister('not_eligible', fillIn(rules.otherName, { type: holder.idType }), asOf);
    if (name.tld === 'id.au' && entityType !== 'IND') return by('not_eligible', rules.idOrganisation);
    if ((name.tld === 'org.au' || name.tld === 'asn.au') && entityType === 'IND')
      return by('not_eligible', fillIn(rules.soleTrader, { tld: name.tld }));
  }
  if (against) return ofName('unknown', against);
  if (register === null) return byRegister('unknown', rules.notAsked, ELIGIBILITY_VERSION);
  return judgeKindAndName(name, holder, register, by);
}

function judgeKindAndName(
  { name: label, tld }: DomainName,
  holder: Holder,
  { entityType, entityName, businessNames }: RegisterEntry,
  by: Judgement,
): Verdict {
  const { kinds, isAnyName } = SUFFIX_RULES[tld];
  // The code is also that of bodies that are no associations, whose names do not end so.
  const kind = KINDS[entityType];
  const isKnown = entityType !== 'OIE' || kind?.form?.test(entityName);
  if (!kind || !kinds.includes(entityType) || !isKnown) return by('unknown', fillIn(rules.kindOpen, { tld }));
  if (kind.eligibilityType !== holder.eligibilityType)
    return by('unknown', fillIn(rules.otherKind, { kind: holder.eligibilityType }));
  if (isAnyName) return by('eligible', rules.anyName);
  // The register turns a person's name round, and initials of persons are not names that the rules take.
  const ownName = kind.isPerson ? [] : [kind.form ? entityName.replace(kind.form, '') : entityName];
  const names = [...ownName, ...businessNames].map(wordsOf);
  if (names.some((one) => isMatch(label, one))) return by('eligible', rules.matches, MATCHES);
  if (names.some((one) => isAcronym(label, one))) return by('eligible', rules.acronym, MATCHES);
  return by('unknown', rules.holderKnows);
}

function byRegister(is: Verdict['is'], rule: string, asOf: string): Verdict {
  return { is, rule, source: REGISTER, asOf, policyReason: CONNECTED };
}

function ofName(
  is: Verdict['is'],
  { what, source, asOf }: { what: string; source: string; asOf?: string },
): Verdict {
  return {
    is,
    rule: fillIn(rules.nameIs, { what }),
    source,
    asOf: asOf ?? NAME_RULES_VERSION,
    policyReason: CONNECTED,
  };
}

/** Signs that only part words. Another one, or a letter outside ASCII, stands for something that no label has. */
const PLAIN = /^[\w\s&'’.,:;()/!?"-]*$/;
/** Words that a match may leave out. */
const SMALL_WORDS = ['the', 'a', 'an', 'and', 'of', 'for'];

function spelling(name: string): string {
  return name.toLowerCase().replace(/\s+/g, ' ').trim();
}

/** The words of a name; none where a label cannot spell it. */
function wordsOf(name: string): string[] {
  if (!PLAIN.test(name)) return [];
  const text = spelling(name).replaceAll('&', ' and ').replace(/[’']/g, '');
  return text.split(/[^a-z0-9]+/).filter((word) => word !== '');
}

/** Every word of the name in its order, written together or with hyphens; small words may be left out. */
function isMatch(label: string, words: readonly string[]): boolean {
  const large = words.filter((word) => !SMALL_WORDS.includes(word));
  const letters = label.replaceAll('-', '');
  return large.length > 0 && (words.join('') === letters || large.join('') === letters);
}

/** The first letters of all words, or of all but the small ones; of two words at least. */
function isAcronym(label: string, words: readonly string[]): boolean {
  const large = words.filter((word) => !SMALL_WORDS.includes(word));
  const initials = (of: readonly string[]) => of.map((word) => word[0]).join('');
  return large.length > 1 && (initials(words) === label || initials(large) === label);
}
