import type { Suffix } from '../../domains/schema/domain.js';
import type { DomainName } from '../../domains/name/domain-name.js';
import { ELIGIBILITY, ELIGIBILITY_VERSION } from '../../domains/name/eligibility.js';
import { NAME_RULES_VERSION } from '../../domains/name/name-rules.js';
import { ruleAgainst } from '../../domains/name/registrability.js';
import type { PolicyReason } from '../registrar/port.js';
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

const REGISTER = 'Australian Business Register, https://abr.business.gov.au';

/** Codes of the register for kinds of entities that the rules name, and the word of the registry for each. */
const KINDS: Readonly<Record<string, { readonly eligibilityType: string; readonly isPerson?: true }>> = {
  PRV: { eligibilityType: 'Company' },
  PUB: { eligibilityType: 'Company' },
  IND: { eligibilityType: 'Sole Trader', isPerson: true },
  PTR: { eligibilityType: 'Partnership' },
  FPT: { eligibilityType: 'Partnership' },
  OIE: { eligibilityType: 'Incorporated Association' },
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
    return byRegister('not_eligible', `The ${holder.idType} has a wrong check digit.`, ELIGIBILITY_VERSION);
  if (name.tld === 'id.au' && holder.idType === 'ACN')
    return by('not_eligible', 'id.au is for natural persons; a company cannot have the name.');
  const against = ruleAgainst(name, null);
  if (against?.registrable === false) return ofName('not_eligible', against);
  if (register === 'missing')
    return byRegister('not_eligible', `The register has no such ${holder.idType}.`, ELIGIBILITY_VERSION);
  if (register !== null) {
    const { isActive, entityName, entityType, asOf } = register;
    if (!isActive) return byRegister('not_eligible', `The ${holder.idType} is cancelled.`, asOf);
    if (spelling(entityName) !== spelling(holder.legalName))
      return byRegister(
        'not_eligible',
        `The register has another legal name for the ${holder.idType}.`,
        asOf,
      );
    if (name.tld === 'id.au' && entityType !== 'IND')
      return by('not_eligible', 'id.au is for natural persons; an organisation cannot have the name.');
    if ((name.tld === 'org.au' || name.tld === 'asn.au') && entityType === 'IND')
      return by('not_eligible', `${name.tld} is for organisations without profit; a sole trader is none.`);
  }
  if (against) return ofName('unknown', against);
  if (register === null)
    return byRegister('unknown', 'The register of the number was not asked.', ELIGIBILITY_VERSION);
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
  const isKnown = entityType !== 'OIE' || /\b(?:inc|incorporated)\.?$/i.test(entityName.trim());
  if (!kinds.includes(entityType) || !isKnown)
    return by('unknown', `Whether ${tld} is for this kind of holder takes more than the register says.`);
  if (KINDS[entityType]?.eligibilityType !== holder.eligibilityType)
    return by('unknown', `The register has another kind of holder than ${holder.eligibilityType}.`);
  if (isAnyName)
    return by('eligible', 'The holder has an Australian presence, and any free name is allowed.');
  // The register turns a person's name round, and initials of persons are not names that the rules take.
  const names = KINDS[entityType].isPerson ? businessNames : [entityName, ...businessNames];
  if (names.some((one) => isMatch(label, one)))
    return by('eligible', 'The name matches a name of the holder.', MATCHES);
  if (names.some((one) => isAcronym(label, one)))
    return by('eligible', "The name is the acronym of a name of the holder's.", MATCHES);
  return by(
    'unknown',
    'Only the holder can say which of its goods, services or activities the name stands for.',
  );
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
    rule: `The name is ${what}.`,
    source,
    asOf: asOf ?? NAME_RULES_VERSION,
    policyReason: CONNECTED,
  };
}

const ENDINGS =
  /\b(pty|proprietary|ltd|limited|inc|incorporated|nl|no liability|co-operative ltd|the trustee for)\b\.?/g;
/** Words that a match may leave out. */
const SMALL_WORDS = ['the', 'a', 'an', 'and', 'of', 'for'];

function spelling(name: string): string {
  return name.toLowerCase().replace(/\s+/g, ' ').trim();
}

/** The words of a name without what says its legal form. */
function wordsOf(name: string): string[] {
  const text = spelling(name).replaceAll('&', ' and ').replace(/[’']/g, '').replace(ENDINGS, ' ');
  return text.split(/[^a-z0-9]+/).filter((word) => word !== '');
}

/** Every word of the name in its order, written together or with hyphens; small words may be left out. */
export function isMatch(label: string, name: string): boolean {
  const words = wordsOf(name);
  const large = words.filter((word) => !SMALL_WORDS.includes(word));
  const letters = label.replaceAll('-', '');
  return large.length > 0 && (words.join('') === letters || large.join('') === letters);
}

/** The first letters of all words, or of all but the small ones; of two words at least. */
export function isAcronym(label: string, name: string): boolean {
  const words = wordsOf(name);
  const large = words.filter((word) => !SMALL_WORDS.includes(word));
  const initials = (of: readonly string[]) => of.map((word) => word[0]).join('');
  return large.length > 1 && (initials(words) === label || initials(large) === label);
}
