import { SUFFIXES } from '../../schema/domain.js';
import { type NameRule, rulesFor, SOURCES } from './name-rule.js';

// A law restricts the use of a word, hardly ever the word: some may hold it, by right or with a consent. So these
// are flags all.
const restricted = { suffixes: SUFFIXES, reason: 'restricted', registrable: null } as const;

/** Words whose use a law restricts. Complete it is not: auDA calls its own schedule an extract. */
export const RESTRICTED_WORDS: readonly NameRule[] = [
  ...rulesFor(['anzac'], {
    ...restricted,
    place: 'part',
    confidence: 'certain',
    what:
      'a word that the Protection of Word ‘Anzac’ Regulations 1921 restrict; it takes a permit of the ' +
      'Minister for Veterans’ Affairs',
    source: SOURCES.anzac,
  }),
  ...rulesFor(['medicare', 'centrelink'], {
    ...restricted,
    place: 'part',
    confidence: 'likely',
    what: 'the name of a government service, which a law keeps for it',
    source: SOURCES.scheduleA,
  }),
  ...rulesFor(['commonwealth', 'federal'], {
    ...restricted,
    place: 'word',
    confidence: 'likely',
    what: 'a word that suggests a connection with the Commonwealth Government',
    source: SOURCES.scheduleA,
  }),
  ...rulesFor(['bank', 'banks', 'banker', 'bankers', 'banking'], {
    ...restricted,
    place: 'word',
    confidence: 'likely',
    what: 'a word that takes the consent of the Australian Prudential Regulation Authority',
    source: SOURCES.scheduleA2018,
  }),
  ...rulesFor(
    [
      ...['adi', 'authorised deposit taking institution', 'building society', 'credit society'],
      ...['credit union', 'friendly society'],
    ],
    {
      ...restricted,
      place: 'word',
      confidence: 'doubtful',
      what: 'an expression that takes the consent of the Australian Prudential Regulation Authority in company names',
      source: SOURCES.companyNames,
    },
  ),
  ...rulesFor(['purchased payment facility provider', 'family relationships online', 'air force'], {
    ...restricted,
    place: 'word',
    confidence: 'likely',
    what: 'an expression that a law of the Commonwealth restricts',
    source: SOURCES.scheduleA2018,
  }),
  ...rulesFor(['grand prix', 'formula one', 'what a great place for the great race'], {
    ...restricted,
    place: 'word',
    confidence: 'likely',
    what: 'an expression kept for the Australian Grands Prix',
    source: SOURCES.scheduleA2018,
  }),
  ...rulesFor(['olympic', 'olympics', 'olympic games'], {
    ...restricted,
    place: 'word',
    confidence: 'likely',
    what: 'an expression that the Olympic Insignia Protection Act 1987 restricts',
    source: SOURCES.scheduleA2018,
  }),
  ...rulesFor(['red cross'], {
    ...restricted,
    place: 'word',
    confidence: 'likely',
    what: 'an emblem that the Geneva Conventions Act 1957 protects',
    source: SOURCES.scheduleA2018,
  }),
  ...rulesFor(['aboriginal corporation', 'aboriginal council', 'torres strait islander corporation'], {
    ...restricted,
    place: 'word',
    confidence: 'doubtful',
    what: 'an expression for corporations that their Registrar has approved',
    source: SOURCES.businessNames,
  }),
  ...rulesFor(['advance australia', 'made in australia', 'australian made'], {
    ...restricted,
    place: 'word',
    confidence: 'doubtful',
    what: 'an expression that takes a consent in business names',
    source: SOURCES.businessNames,
  }),
];

// What the label says of its holder, against whom the suffix is for.
const PROPRIETARY = ['pty ltd', 'pty limited'];

/** Labels that name a kind of holder whom the eligibility rule of the suffix leaves out. */
export const INELIGIBLE_ENDINGS: readonly NameRule[] = [
  ...rulesFor(PROPRIETARY, {
    place: 'end',
    suffixes: ['id.au'],
    reason: 'eligibility',
    registrable: null,
    confidence: 'likely',
    what: 'the name of a company, and id.au is for natural persons',
    source: SOURCES.idau,
  }),
  ...rulesFor(PROPRIETARY, {
    place: 'end',
    suffixes: ['org.au', 'asn.au'],
    reason: 'eligibility',
    registrable: null,
    confidence: 'doubtful',
    what: 'the name of a proprietary company, and the suffix is for those who make no profit',
    source: SOURCES.nonProfit,
  }),
];
