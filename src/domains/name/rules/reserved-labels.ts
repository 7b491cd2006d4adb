import { SUFFIXES } from '../../schema/domain.js';
import { BELOW_AU, DIRECT, type NameRule, rulesFor, SOURCES } from './name-rule.js';

// tldts knows most suffixes and judgeDomainName refuses them as such. They stand here as well because the list loses
// entries (info.au is gone from it), and a suffix must not turn into an available name by an update of a library.
const suffix = {
  place: 'label',
  suffixes: DIRECT,
  reason: 'suffix_like',
  registrable: false,
  confidence: 'certain',
} as const;
const SUFFIX_LABELS = [
  ...rulesFor(['com', 'net', 'org', 'edu', 'gov', 'asn', 'id'], {
    ...suffix,
    what: 'a suffix of .au',
    source: SOURCES.publicSuffixList,
  }),
  ...rulesFor(['conf', 'oz'], {
    ...suffix,
    what: 'a historic suffix of .au',
    source: SOURCES.publicSuffixList,
  }),
  ...rulesFor(['info'], {
    ...suffix,
    what: 'a historic suffix, held by the Government of Tasmania',
    source: SOURCES.infoHeld,
  }),
  ...rulesFor(['csiro'], {
    ...suffix,
    what: 'the suffix of CSIRO, the national science agency',
    source: SOURCES.history,
  }),
  ...rulesFor(['au'], {
    ...suffix,
    confidence: 'likely',
    what: 'the top-level domain itself',
    source: SOURCES.policy2002,
  }),
];

// The policy of 2002 was written for the five suffixes, names "net.org.au" and "au.com.au" as its examples, and has
// been replaced since: a flag. Directly under .au it is unpublished whether it holds; there the two-letter labels
// are ordinary.
const GENERIC = 'com net org edu gov mil int biz info name museum coop aero pro arpa'.split(' ');
const COUNTRIES = (
  'ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv ' +
  'bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es ' +
  'et eu fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu ' +
  'id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt ' +
  'lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no ' +
  'np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sb sc sd se sg sh si sj ' +
  'sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us ' +
  'uy uz va vc ve vg vi vn vu wf ws ye yt zm zw'
).split(' ');
const topLevelDomain = {
  place: 'label',
  suffixes: BELOW_AU,
  reason: 'suffix_like',
  registrable: null,
  confidence: 'doubtful',
  source: SOURCES.policy2002,
} as const;
const TOP_LEVEL_DOMAINS = [
  ...rulesFor([...GENERIC, ...COUNTRIES], { ...topLevelDomain, what: 'a top-level domain of its own' }),
  ...rulesFor(['mil', 'int', 'biz', 'name', 'museum', 'coop', 'aero', 'pro', 'arpa'], {
    ...topLevelDomain,
    suffixes: DIRECT,
    what: 'a top-level domain of its own',
  }),
  ...rulesFor(['asn', 'csiro', 'conf', 'oz'], {
    ...topLevelDomain,
    what: 'a suffix of .au',
    source: SOURCES.publicSuffixList,
  }),
];

/** The eight that auDA's community suffixes cover. */
const STATES_AND_TERRITORIES: Readonly<Record<string, readonly string[]>> = {
  'the Australian Capital Territory': ['act', 'australian capital territory'],
  'New South Wales': ['nsw', 'new south wales'],
  'the Northern Territory': ['nt', 'northern territory'],
  Queensland: ['qld', 'queensland'],
  'South Australia': ['sa', 'south australia'],
  Tasmania: ['tas', 'tasmania'],
  Victoria: ['vic', 'victoria'],
  'Western Australia': ['wa', 'western australia'],
};
const OTHER_TERRITORIES = [
  ...['norfolk island', 'christmas island', 'cocos islands', 'cocos keeling islands', 'jervis bay territory'],
  ...['coral sea islands', 'ashmore and cartier islands', 'heard island and mcdonald islands'],
  'australian antarctic territory',
];
const reserved = { place: 'label', reason: 'reserved', source: SOURCES.auda } as const;
// Refused directly under .au, where they were reserved from the first day; below the five suffixes there are older
// names that are held, so that a free one may come by: a flag.
const REFUSED = { ...reserved, suffixes: DIRECT, registrable: false, confidence: 'certain' } as const;
const FLAGGED = { ...reserved, suffixes: BELOW_AU, registrable: null, confidence: 'likely' } as const;
const PLACES = [
  ...Object.entries(STATES_AND_TERRITORIES).flatMap(([name, labels]) => {
    const what = `a name or abbreviation of ${name}`;
    return [...rulesFor(labels, { ...REFUSED, what }), ...rulesFor(labels, { ...FLAGGED, what })];
  }),
  ...rulesFor(['australia'], { ...REFUSED, what: 'the name of the country' }),
  ...rulesFor(['australia'], { ...FLAGGED, what: 'the name of the country' }),
  ...rulesFor(OTHER_TERRITORIES, {
    ...FLAGGED,
    suffixes: SUFFIXES,
    confidence: 'doubtful',
    what: 'the name of an external or internal territory of Australia',
  }),
];

const TECHNICAL = [
  ...rulesFor(['www'], {
    ...REFUSED,
    confidence: 'likely',
    what: 'the usual address of a website',
    source: SOURCES.policy2002,
  }),
  ...rulesFor(['www'], {
    ...FLAGGED,
    what: 'the usual address of a website',
    source: SOURCES.policy2002,
  }),
  ...rulesFor(['wpad', 'isatap', 'localhost', 'localdomain'], {
    ...FLAGGED,
    suffixes: SUFFIXES,
    confidence: 'doubtful',
    what: 'a name that machines look for by themselves',
    source: SOURCES.collisions,
  }),
];

/** Labels that are reserved, or that look like a suffix. */
export const RESERVED_LABELS: readonly NameRule[] = [
  ...SUFFIX_LABELS,
  ...PLACES,
  ...TECHNICAL,
  ...TOP_LEVEL_DOMAINS,
];
