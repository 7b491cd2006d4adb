import { ApiSchema } from '@nestjs/swagger';
import type { DomainName } from './domain-name.js';
import { findPublishedRule, NAME_RULES_VERSION } from './name-rules.js';
import { CONFIDENCES, NAME_REASONS, type NameReason, type NameRule } from './rules/name-rule.js';
import { day, field, oneOf, orNull, shape, text, yes } from '../../validation/shape.js';

@ApiSchema({ name: 'NameRule', description: 'An entry of the data on labels that are not like others.' })
export class NameRuleDto extends shape({
  what: text('What the label is.', 'a name or abbreviation of New South Wales'),
  confidence: oneOf(
    CONFIDENCES,
    '`certain`: published for such names; `likely`: it follows from what is published; `doubtful`: an ' +
      'old or indirect source, or our reading of it.',
    'likely',
  ),
  source: text(
    'Where the entry comes from.',
    'auDA, Reserved names, https://www.auda.org.au/au-domain-names/domain-name-help/reserved-names',
  ),
  as_of: day('The day on which the source was last read.'),
}) {}

/** The rules about a name, apart from whether it is free. */
export class RegistrabilityDto extends shape({
  registrable: orNull(
    yes(
      'Whether the name can be registered by somebody whom the suffix is for: true when it is free and ' +
        'nothing is known against it; false when it is not free, or when nobody can have it; null when ' +
        'that is not known or in doubt, and then `name_rule` says why, if a rule does.',
      true,
    ),
  ),
  reason: orNull(
    oneOf(
      NAME_REASONS,
      'What is known against the name, free or not: `reserved` by auDA or the registry; `restricted`: a ' +
        'law restricts the word; `suffix_like`: it is or looks like a suffix; `eligibility`: it names a ' +
        'kind of holder whom the suffix is not for; `contested`: held back, as by several applicants. ' +
        'Null when nothing is.',
      null,
    ),
  ),
  name_rule: field<NameRuleDto | null>({
    description: 'The entry behind `reason`; null when there is none.',
    type: NameRuleDto,
    nullable: true,
    example: null,
  }),
}) {}

/** @param free whether the name is free; null when unknown */
export function toRegistrabilityDto(name: DomainName, free: boolean | null): RegistrabilityDto {
  const rule = ruleAgainst(name, free);
  return {
    ...judgeRegistrability(name, free),
    name_rule: rule && {
      what: rule.what,
      confidence: rule.confidence,
      source: rule.source,
      as_of: rule.asOf ?? NAME_RULES_VERSION,
    },
  };
}

/**
 * Whether a name can be registered, as opposed to whether it is free: some that are free are kept from most or from
 * all.
 */
export interface Registrability {
  /**
   * True: free, and nothing is known against it; false: it cannot be registered now; null: it is not known, or in
   * doubt.
   */
  readonly registrable: boolean | null;
  /** The rule against the name, free or not; null without one. */
  readonly reason: NameReason | null;
}

/** @param free whether the name is free; null when unknown */
export function judgeRegistrability(name: DomainName, free: boolean | null): Registrability {
  const rule = ruleAgainst(name, free);
  const reason = rule?.reason ?? null;
  if (free === false || rule?.registrable === false) return { registrable: false, reason };
  return { registrable: free === null || rule ? null : true, reason };
}

/**
 * The rule against a name. A caller that knows it to be free has looked at the holds in the database; the holds that
 * this process has read may be half a minute older.
 *
 * @param free whether the name is free; null when unknown
 */
export function ruleAgainst({ rule, name, tld }: DomainName, free: boolean | null): NameRule | null {
  return free && rule?.reason === 'contested' ? findPublishedRule(name, tld) : rule;
}
