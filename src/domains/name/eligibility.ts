import { ApiSchema } from '@nestjs/swagger';
import type { Suffix } from '../schema/domain.js';
import { day, shape, text } from '../../validation/shape.js';

/** Who may hold a name of a suffix, and which names they may choose. A summary in our words: the rules decide. */
export interface Eligibility {
  readonly who: string;
  readonly names: string;
  /** Where the rule is published. */
  readonly source: string;
}

/** The day on which the sources were last read; change it with the table. */
export const ELIGIBILITY_VERSION = '2026-11-20';

const HELP = 'https://www.auda.org.au/au-domain-names/domain-name-help';
const RULES =
  'https://auda.org.au/au-domain-names/au-rules-and-policies/au-domain-administration-rules-licensing-2';
const PRESENCE =
  'Australian presence: a citizen, permanent resident, company, ABN holder, association or other body ' +
  'that the rules list';

const COMMERCIAL: Eligibility = {
  who: `A commercial entity (company, ABN holder, incorporated association, trust and the like) with an ${PRESENCE}.`,
  names:
    'A match, acronym or abbreviation of the holder’s own name, or a match or synonym of goods or ' +
    'services that the holder provides. A foreign owner who relies on an Australian trade mark gets ' +
    'exactly the words of the mark.',
  source: `${HELP}/comau-and-netau-rules-eligibility-and-allocation (licensing rules, 2.4.4)`,
};

/** The licensing rules of .au Domain Administration, section 2.4, one row a suffix. */
export const ELIGIBILITY: Readonly<Record<Suffix, Eligibility>> = {
  'com.au': COMMERCIAL,
  'net.au': COMMERCIAL,
  'org.au': {
    who:
      'A not-for-profit entity of the kinds that the rules list (incorporated association, company ' +
      'limited by guarantee, registered charity, union, political party and the like) with an ' +
      `${PRESENCE}.`,
    names:
      'A match or acronym of the holder’s own name, or a match or synonym of a service, program, event, ' +
      'activity, premises or occupation of the holder.',
    source:
      `${RULES} (2.4); kinds listed at ` +
      'https://www.auda.org.au/web/au-domain-names/new-au-licensing-rules/orgau-rule-changes',
  },
  'id.au': {
    who: `One natural person with an ${PRESENCE}; not a company or organisation.`,
    names:
      'A match, acronym or abbreviation of the person’s legal name, first name or family name, or a nickname.',
    source: `${HELP}/idau-rules-eligibility-and-allocation (licensing rules, 2.4.8)`,
  },
  'asn.au': {
    who: `A not-for-profit entity or an unincorporated association, with an ${PRESENCE}.`,
    names:
      'A match or acronym of the association’s name, its Australian trade mark, or a match or synonym ' +
      'of a service, program, event, activity, premises or occupation of it or its members.',
    source: `${RULES} (2.4.7)`,
  },
  au: {
    who: `Anybody with an ${PRESENCE}.`,
    names:
      'Any name that is free. A foreign owner who relies on an Australian trade mark gets exactly the ' +
      'words of the mark.',
    source: `${RULES} (2.4.3)`,
  },
};

@ApiSchema({ name: 'Eligibility', description: 'Who may hold a name of this suffix, in short.' })
export class EligibilityDto extends shape({
  who: text('Who may hold a name of this suffix.'),
  names: text('Which names the holder may choose.'),
  source: text('Where the rule is published. The rule decides, not this summary.'),
  as_of: day('The day on which the source was last read for this summary.'),
}) {}

export function toEligibilityDto(tld: Suffix): EligibilityDto {
  return { ...ELIGIBILITY[tld], as_of: ELIGIBILITY_VERSION };
}
