import { isIPv4 } from 'node:net';
import { parse } from 'tldts';
import { ApiError } from '../../errors/api-error.js';
import { describeSuffix, isOtherSuffix, isServed, SERVED_LIST } from './rules/au-suffixes.js';
import { faultOfLabel, faultOfText, IP_ADDRESS, isHostText } from './rules/text-fault.js';
import type { Suffix } from '../schema/domain.js';
import { findNameRule } from './name-rules.js';
import type { NameRule } from './rules/name-rule.js';

let makeDomainName: (name: string, tld: Suffix) => DomainName;

/** A registrable .au name that keeps every rule. Only {@link judgeDomainName} makes one, so it can be trusted. */
export class DomainName {
  /** The whole name, lower-case, without a dot at the end. */
  readonly domain: string;
  /** A rule against the name although its text is valid: a flag, or a bar to every registration. */
  readonly rule: NameRule | null;
  readonly reserved: NameRule | null;

  private constructor(
    /** The label before the suffix. */
    readonly name: string,
    readonly tld: Suffix,
  ) {
    this.domain = `${name}.${tld}`;
    this.rule = findNameRule(name, tld);
    this.reserved = this.rule?.registrable === false ? this.rule : null;
  }

  static {
    makeDomainName = (name, tld) => new DomainName(name, tld);
  }
}

export interface Acceptance {
  readonly ok: true;
  readonly domain: DomainName;
}

export interface Refusal {
  readonly ok: false;
  readonly code: 'domain_missing' | 'domain_invalid' | 'domain_suffix_unsupported' | 'domain_not_registrable';
  /** The fault and the remedy: under 300 printable characters for any input. */
  readonly message: string;
  /** The name that can be asked for instead, where the input holds one. */
  readonly registrable: string | null;
}

export type Judgement = Acceptance | Refusal;

/** More than a long URL; longer input is rejected unread. */
const MAX_INPUT_LENGTH = 2_048;
/** RFC 1035, 2.3.4, in characters as written. */
const MAX_HOST_LENGTH = 253;
const EXAMPLE = 'coffeecart.com.au';

/** Judges any text: a registrable .au name of a suffix served, or its fault. Never throws. */
export function judgeDomainName(input: string | undefined): Judgement {
  if (input === undefined)
    return refuse('domain_missing', `is missing; give one .au name such as ${EXAMPLE}`);
  if (input.length > MAX_INPUT_LENGTH) return tooLong(input.length);
  const text = input.trim();
  if (text === '') return refuse('domain_missing', `is empty; give one .au name such as ${EXAMPLE}`);
  if (!isHostText(text)) return judgeOtherText(text);
  // Only now, as lower-casing turns some foreign letters into ASCII (the Kelvin sign into k).
  return judgeHost(withoutTrailingDot(text.toLowerCase()));
}

/** @throws {ApiError} with the code and message of the refusal; a reserved name is a name */
export function parseDomainName(input: string | undefined): DomainName {
  const judgement = judgeDomainName(input);
  if (!judgement.ok) throw new ApiError(judgement.code, judgement.message);
  return judgement.domain;
}

/** The names that a text without one may mean: without its spaces, or the registrable name in it. */
export function namesMeantBy(text: string): string[] {
  const judgement = judgeDomainName(text);
  if (judgement.ok) return [judgement.domain.domain];
  if (judgement.registrable !== null) return [judgement.registrable];
  if (!/\S\s+\S/.test(text)) return [];
  const whole = ['', '-'].map((joint) => judgeDomainName(text.trim().replaceAll(/\s+/g, joint)));
  return [...new Set(whole.flatMap((one) => (one.ok ? [one.domain.domain] : [])))];
}

function judgeOtherText(text: string): Refusal {
  const { code, fault, host } = faultOfText(text);
  const inside = host === null ? null : judgeHost(withoutTrailingDot(host.toLowerCase()));
  const registrable = inside === null ? null : registrableOf(inside);
  if (registrable !== null)
    return refuse(code, `${fault}; the registrable name in it is ${registrable}`, registrable);
  // To write the name alone would be of no use then. Only ASCII, for this message repeats the suffix.
  if (inside && !inside.ok && inside.code === 'domain_suffix_unsupported' && isHostText(host ?? ''))
    return inside;
  return refuse(
    code,
    code === 'domain_invalid' ? fault : `${fault}; give the name alone, such as ${EXAMPLE}`,
  );
}

function registrableOf(judgement: Judgement): string | null {
  if (!judgement.ok) return judgement.registrable;
  return judgement.domain.reserved ? null : judgement.domain.domain;
}

// tldts would take the URL, the port and the address of a server for a host; all that is gone by now. Its check of the
// host name is off because it lets underscores pass and our own rules are narrower. Private suffixes are other
// people's sub-domains: myspreadshop.com.au is a name like any other.
const TLDTS_OPTIONS = {
  extractHostname: false,
  validateHostname: false,
  detectIp: false,
  mixedInputs: false,
  allowPrivateDomains: false,
} as const;

/** @param host lower-case, without white space and the characters of a URL; the rest of its labels is still open */
function judgeHost(host: string): Judgement {
  if (host.length > MAX_HOST_LENGTH) return tooLong(host.length);
  if (host === '' || host.startsWith('.') || host.endsWith('.') || host.includes('..'))
    return refuse('domain_invalid', 'has a dot with no label beside it; write one dot between two labels');
  if (!host.includes('.') && host !== 'au') return judgeBareLabel(host);

  const { publicSuffix, domain, domainWithoutSuffix: label, subdomain } = parse(host, TLDTS_OPTIONS);
  const underAu = host === 'au' || host.endsWith('.au');
  if (!underAu || publicSuffix === null) return judgeForeignName(host, publicSuffix);
  if (domain === null || label === null) return judgeSuffix(publicSuffix);
  if (!isServed(publicSuffix)) return unsupported(publicSuffix);
  return subdomain ? judgeSubDomain(domain, label, publicSuffix) : judgeName(label, publicSuffix);
}

function judgeName(label: string, suffix: Suffix): Judgement {
  const fault = faultOfLabel(label);
  return fault === null
    ? { ok: true, domain: makeDomainName(label, suffix) }
    : refuse('domain_invalid', fault);
}

function judgeSubDomain(domain: string, label: string, suffix: Suffix): Refusal {
  if (isOtherSuffix(domain)) return unsupported(domain);
  const parent = judgeName(label, suffix);
  if (!parent.ok) return parent;
  if (parent.domain.reserved)
    return refuse('domain_not_registrable', `is a sub-domain of ${domain}, which is reserved`);
  return refuse('domain_not_registrable', `is a sub-domain; the registrable name in it is ${domain}`, domain);
}

function judgeSuffix(suffix: string): Refusal {
  const advice = isServed(suffix)
    ? `put a name before it, such as coffeecart.${suffix}`
    : `this service covers ${SERVED_LIST}`;
  return refuse('domain_not_registrable', `is itself a suffix, ${describeSuffix(suffix)}; ${advice}`);
}

function judgeBareLabel(label: string): Refusal {
  const sensible = faultOfLabel(label) === null && findNameRule(label, 'au')?.registrable !== false;
  return refuse(
    'domain_invalid',
    `has no suffix; write it out, such as ${sensible ? `${label}.com.au` : EXAMPLE}`,
  );
}

function judgeForeignName(host: string, publicSuffix: string | null): Refusal {
  if (isIPv4(host)) return refuse('domain_invalid', IP_ADDRESS);
  return unsupported(publicSuffix ?? host.slice(host.lastIndexOf('.') + 1));
}

function unsupported(suffix: string): Refusal {
  return refuse(
    'domain_suffix_unsupported',
    `ends in ${describeSuffix(suffix)}; this service covers ${SERVED_LIST}`,
  );
}

function tooLong(length: number): Refusal {
  return refuse('domain_invalid', `has ${length} characters; a domain name has at most ${MAX_HOST_LENGTH}`);
}

function refuse(code: Refusal['code'], fault: string, registrable: string | null = null): Refusal {
  return { ok: false, code, message: `domain ${fault}`, registrable };
}

function withoutTrailingDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
