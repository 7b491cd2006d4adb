import type { Attempt, Registrant, Renewal } from '../port.js';
import { document, tag, type Xml } from './xml.js';

export const NAMESPACES = {
  epp: 'urn:ietf:params:xml:ns:epp-1.0',
  domain: 'urn:ietf:params:xml:ns:domain-1.0',
  contact: 'urn:ietf:params:xml:ns:contact-1.0',
  host: 'urn:ietf:params:xml:ns:host-1.0',
} as const;

/** The .au extension, the newest first. Of 1.3 no schema is public: its shape is that of recorded frames. */
export const AU_EXTENSIONS = {
  '1.3': 'urn:X-au:params:xml:ns:auext-1.3',
  '1.2': 'urn:X-au:params:xml:ns:auext-1.2',
} as const;
export type AuVersion = keyof typeof AU_EXTENSIONS;

/** Ours: 3 to 64 characters, the same when a command is sent again. */
type TransactionId = string;

export function loginFrame(
  { client, password }: { readonly client: string; readonly password: string },
  objects: readonly string[],
  au: AuVersion,
  id: TransactionId,
): string {
  return command(
    id,
    tag(
      'login',
      {},
      tag('clID', {}, client),
      tag('pw', {}, password),
      tag('options', {}, tag('version', {}, '1.0'), tag('lang', {}, 'en')),
      tag(
        'svcs',
        {},
        objects.map((uri) => tag('objURI', {}, uri)),
        tag('svcExtension', {}, tag('extURI', {}, AU_EXTENSIONS[au])),
      ),
    ),
  );
}

export function logoutFrame(id: TransactionId): string {
  return command(id, tag('logout'));
}

export function helloFrame(): string {
  return epp(tag('hello'));
}

export function pollFrame(id: TransactionId): string {
  return command(id, tag('poll', { op: 'req' }));
}

export function acknowledgeFrame(messageId: string, id: TransactionId): string {
  return command(id, tag('poll', { op: 'ack', msgID: messageId }));
}

export function checkDomainFrame(name: string, id: TransactionId): string {
  return command(id, onDomain('check', tag('domain:name', {}, name)));
}

/** @param password of the name, which its sponsor may leave out */
export function domainInfoFrame(name: string, password: string | null, id: TransactionId): string {
  const proof = password === null ? undefined : tag('domain:authInfo', {}, tag('domain:pw', {}, password));
  return command(id, onDomain('info', tag('domain:name', { hosts: 'del' }, name), proof));
}

/** The registrant is every contact of the name. */
export function createDomainFrame(attempt: Attempt, au: AuVersion): string {
  const { name, years, nameServers, contactId, password, clTRID } = attempt;
  const contacts = ['admin', 'tech'].map((type) => tag('domain:contact', { type }, contactId));
  return command(
    clTRID,
    onDomain(
      'create',
      tag('domain:name', {}, name),
      tag('domain:period', { unit: 'y' }, String(years)),
      nameServers.length > 0 ? nameServersOf(nameServers) : undefined,
      tag('domain:registrant', {}, contactId),
      contacts,
      tag('domain:authInfo', {}, tag('domain:pw', {}, password)),
    ),
    tag('auext:create', { 'xmlns:auext': AU_EXTENSIONS[au] }, auProperties(attempt)),
  );
}

function auProperties({ registrant, policyReason }: Attempt): Xml {
  const { legalName, idType, id, eligibilityType } = registrant;
  return tag(
    'auext:auProperties',
    {},
    tag('auext:registrantName', {}, legalName),
    tag('auext:registrantID', { type: idType }, id),
    tag('auext:eligibilityType', {}, eligibilityType),
    tag('auext:policyReason', {}, String(policyReason)),
  );
}

export function renewDomainFrame({ id, name, years, expiresAt }: Renewal): string {
  const day = expiresAt.toISOString().slice(0, 10);
  return command(
    id,
    onDomain(
      'renew',
      tag('domain:name', {}, name),
      tag('domain:curExpDate', {}, day),
      tag('domain:period', { unit: 'y' }, String(years)),
    ),
  );
}

/** Other name servers for a name. */
export function delegateFrame(
  name: string,
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
  id: TransactionId,
): string {
  const part = (verb: string, hosts: readonly string[]) =>
    hosts.length > 0 ? tag(`domain:${verb}`, {}, nameServersOf(hosts)) : undefined;
  return command(id, onDomain('update', tag('domain:name', {}, name), part('add', add), part('rem', remove)));
}

function nameServersOf(hosts: readonly string[]): Xml {
  return tag(
    'domain:ns',
    {},
    hosts.map((host) => tag('domain:hostObj', {}, host)),
  );
}

export function deleteDomainFrame(name: string, id: TransactionId): string {
  return command(id, onDomain('delete', tag('domain:name', {}, name)));
}

export function createContactFrame(
  { contactId, password }: Pick<Attempt, 'contactId' | 'password'>,
  { legalName, contact }: Registrant,
  id: TransactionId,
): string {
  const { name, email, phone, street, city, state, postcode } = contact;
  const address = tag(
    'contact:addr',
    {},
    street.map((line) => tag('contact:street', {}, line)),
    tag('contact:city', {}, city),
    tag('contact:sp', {}, state),
    tag('contact:pc', {}, postcode),
    tag('contact:cc', {}, 'AU'),
  );
  const postal = tag(
    'contact:postalInfo',
    { type: 'loc' },
    tag('contact:name', {}, name),
    tag('contact:org', {}, legalName),
    address,
  );
  return command(
    id,
    onContact(
      'create',
      tag('contact:id', {}, contactId),
      postal,
      tag('contact:voice', {}, phone),
      tag('contact:email', {}, email),
      tag('contact:authInfo', {}, tag('contact:pw', {}, password)),
    ),
  );
}

/** Of a host outside .au names of ours, which has no address at the registry. */
export function createHostFrame(name: string, id: TransactionId): string {
  const host = tag('host:create', { 'xmlns:host': NAMESPACES.host }, tag('host:name', {}, name));
  return command(id, tag('create', {}, host));
}

export function contactInfoFrame(contactId: string, id: TransactionId): string {
  return command(id, onContact('info', tag('contact:id', {}, contactId)));
}

type Children = readonly (Xml | readonly Xml[] | undefined)[];

function onDomain(verb: string, ...children: Children): Xml {
  return tag(verb, {}, tag(`domain:${verb}`, { 'xmlns:domain': NAMESPACES.domain }, ...children));
}

function onContact(verb: string, ...children: Children): Xml {
  return tag(verb, {}, tag(`contact:${verb}`, { 'xmlns:contact': NAMESPACES.contact }, ...children));
}

function command(id: TransactionId, verb: Xml, extension?: Xml): string {
  return epp(tag('command', {}, verb, extension && tag('extension', {}, extension), tag('clTRID', {}, id)));
}

function epp(child: Xml): string {
  return document(tag('epp', { xmlns: NAMESPACES.epp }, child));
}
