import { hashOf } from './sandbox-names.js';

const CONFORMANCE = ['rdap_level_0', 'redacted', 'icann_rdap_technical_implementation_guide_0', 'auData'];
const TERMS = {
  title: 'Terms of Use',
  description: [
    'This is the sandbox registry of Bowerbird. Everything in it is made up.',
    'The real registry limits the rate of queries and may block those who exceed it.',
  ],
};
const STATUS_CODES = {
  title: 'Status Codes',
  description: ['An explanation of the status codes is in RFC 8056.'],
};

/** People and firms that do not exist. Real answers name the registrant, so the sandbox does too: it must never come out. */
const REGISTRANTS = [
  { name: 'Jane Madeup-Citizen', id: 'ABN 00 000 000 001', type: 'Citizen/Resident' },
  { name: 'Madeup Wattle & Sons Pty Ltd', id: 'ACN 000 000 002', type: 'Company' },
  { name: 'The Madeup Bowls Club Inc.', id: 'ABN 00 000 000 003', type: 'Incorporated Association' },
] as const;
const EPOCH_MS = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** A domain object with the members that .au answers have: no dates of registration or expiry, but the registrant. */
export function domainBody(domain: string, url: string, status: readonly string[]): object {
  const hash = hashOf(domain);
  const registrant = REGISTRANTS[hash % REGISTRANTS.length] ?? REGISTRANTS[0];
  return {
    rdapConformance: CONFORMANCE,
    objectClassName: 'domain',
    handle: `${hash.toString(16).toUpperCase()}-AU`,
    ldhName: domain,
    links: [{ value: url, rel: 'self', href: url, type: 'application/rdap+json' }],
    status,
    events: [
      { eventAction: 'last changed', eventDate: new Date(EPOCH_MS + (hash % 900) * DAY_MS).toISOString() },
      { eventAction: 'last update of RDAP database', eventDate: new Date().toISOString() },
    ],
    entities: [registrarEntity(), registrantEntity(registrant.name)],
    nameservers: ['ns1', 'ns2'].map((host) => ({
      objectClassName: 'nameserver',
      ldhName: `${host}.sandbox.invalid`,
    })),
    secureDNS: { delegationSigned: false },
    auData_eligibility: [
      { name: 'registrant name', value: registrant.name },
      { name: 'registrant id', value: registrant.id },
      { name: 'eligibility type', value: registrant.type },
    ],
    auData_statusReasons: status.map((auData_status) => ({ auData_status, auData_statusReason: [] })),
    redacted: [
      redaction('Registry Domain Registration Date', 'registration'),
      redaction('Registry Domain Expiration Date', 'expiration'),
    ],
    notices: [TERMS, STATUS_CODES],
  };
}

export function errorBody(errorCode: number, title: string, description: string): object {
  return { rdapConformance: CONFORMANCE, errorCode, title, description: [description], notices: [TERMS] };
}

export function limitNoticeBody(): object {
  const notice = {
    title: 'Rate Limit',
    description: ['You have sent too many queries; please come back later.'],
  };
  return { rdapConformance: CONFORMANCE, notices: [notice] };
}

function registrarEntity(): object {
  return {
    objectClassName: 'entity',
    handle: '9999',
    roles: ['registrar'],
    vcardArray: [
      'vcard',
      [
        ['version', {}, 'text', '4.0'],
        ['fn', {}, 'text', 'Sandbox Registrar Pty Ltd'],
      ],
    ],
  };
}

function registrantEntity(name: string): object {
  return {
    objectClassName: 'entity',
    roles: ['registrant', 'technical'],
    vcardArray: [
      'vcard',
      [
        ['version', {}, 'text', '4.0'],
        ['fn', {}, 'text', name],
        ['email', {}, 'text', 'registrant@madeup.invalid'],
        ['tel', { type: 'voice' }, 'uri', 'tel:+61.255501234'],
      ],
    ],
  };
}

function redaction(type: string, action: string): object {
  return { name: { type }, prePath: `$.events[?(@.eventAction=='${action}')]`, method: 'removal' };
}
