import { AU_EXTENSIONS, type AuVersion, NAMESPACES } from '../orders/registrar/epp/frames.js';
import { document, tag, type Xml, type XmlElement } from '../orders/registrar/epp/xml.js';

export interface SandboxName {
  readonly client: string;
  readonly password: string;
  /** The id of the contact. */
  readonly registrant: string;
  readonly registrantName: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly isPending: boolean;
  /** It can be restored for some days, and is no longer registered. */
  readonly isDeleted?: boolean;
  readonly clTRID: string | null;
  readonly nameServers?: readonly string[];
  /** Of a change that is pending. */
  readonly nextServers?: readonly string[] | undefined;
}

/** What the made-up registry knows. */
export interface Registry {
  readonly au: AuVersion;
  readonly names: Map<string, SandboxName>;
  /** By id: whose it is. */
  readonly contacts: Map<string, string>;
  readonly hosts: Set<string>;
  readonly messages: {
    readonly id: string;
    readonly name: string;
    readonly isDone: boolean;
    readonly clTRID: string | null;
  }[];
  readonly created: string[];
  now(): Date;
  isTaken(name: string): boolean;
  onRegistered(name: string): void;
}

export interface Answer {
  readonly code: number;
  readonly data?: Xml;
  readonly extension?: Xml;
  readonly queue?: { readonly id: string; readonly count: number; readonly text: string };
}

/** Executes a command of a client that is logged in. @param whole with its extension and clTRID */
export function answer(registry: Registry, client: string, whole: XmlElement, isPending: boolean): Answer {
  const [command] = whole.children;
  const object = command?.children[0];
  if (!command) return { code: 2001 };
  if (command.name === 'poll') return poll(registry, command);
  if (object?.namespace === NAMESPACES.contact) return onContact(registry, client, command.name, object);
  if (object?.namespace === NAMESPACES.host) return onHost(registry, command.name, object);
  if (object?.namespace !== NAMESPACES.domain) return { code: 2307 };
  const name = object.textAt('name')?.toLowerCase();
  if (!name) return { code: 2003 };
  const known = registry.names.get(name);
  switch (command.name) {
    case 'check':
      return { code: 1000, data: checkData(registry, object) };
    case 'info':
      return known
        ? info(registry, client, name, known, object)
        : { code: registry.isTaken(name) ? 2201 : 2303 };
    case 'create':
      return create(registry, { client, name, whole, isPending }, object);
    case 'renew':
      return known?.client === client ? renew(registry, name, known, object) : { code: known ? 2201 : 2303 };
    case 'update':
      if (known?.client !== client) return { code: known ? 2201 : 2303 };
      return delegate(registry, name, known, object, isPending);
    case 'delete':
      if (known?.client !== client) return { code: known ? 2201 : 2303 };
      if (known.isDeleted) return { code: 2304 };
      if (isPending) registry.names.set(name, { ...known, isDeleted: true });
      else registry.names.delete(name);
      return { code: isPending ? 1001 : 1000 };
    default:
      return { code: 2101 };
  }
}

function poll({ messages, now }: Registry, { attributes }: XmlElement): Answer {
  const [first] = messages;
  if (!first) return { code: 1300 };
  if (attributes.op === 'ack') {
    if (attributes.msgID !== first.id) return { code: 2303 };
    messages.shift();
    return { code: 1000 };
  }
  const data = tag(
    'domain:panData',
    { 'xmlns:domain': NAMESPACES.domain },
    tag('domain:name', { paResult: first.isDone ? '1' : '0' }, first.name),
    tag(
      'domain:paTRID',
      {},
      tag('clTRID', { xmlns: NAMESPACES.epp }, first.clTRID ?? 'none'),
      tag('svTRID', { xmlns: NAMESPACES.epp }, 'SB-0'),
    ),
    tag('domain:paDate', {}, now().toISOString()),
  );
  return {
    code: 1301,
    data,
    queue: { id: first.id, count: messages.length, text: 'Pending action completed.' },
  };
}

function onContact({ contacts, now }: Registry, client: string, verb: string, object: XmlElement): Answer {
  const id = object.textAt('id');
  if (!id) return { code: 2003 };
  const [holder, xmlns] = [contacts.get(id), { 'xmlns:contact': NAMESPACES.contact }];
  switch (verb) {
    case 'create': {
      const isWhole = object.textAt('postalInfo', 'name') && object.textAt('email') && object.at('authInfo');
      if (!isWhole) return { code: 2003 };
      if (holder) return { code: 2302 };
      contacts.set(id, client);
      const crDate = tag('contact:crDate', {}, now().toISOString());
      return { code: 1000, data: tag('contact:creData', xmlns, tag('contact:id', {}, id), crDate) };
    }
    case 'info': {
      if (!holder) return { code: 2303 };
      const address = [tag('contact:city', {}, 'Sydney'), tag('contact:cc', {}, 'AU')];
      const postal = [tag('contact:name', {}, 'Withheld'), tag('contact:addr', {}, address)];
      const parts = [
        tag('contact:id', {}, id),
        tag('contact:roid', {}, 'C1-SB'),
        tag('contact:status', { s: 'ok' }),
        tag('contact:postalInfo', { type: 'loc' }, postal),
        tag('contact:email', {}, 'withheld@example.com'),
        tag('contact:clID', {}, holder),
        tag('contact:crID', {}, holder),
        tag('contact:crDate', {}, now().toISOString()),
      ];
      return { code: 1000, data: tag('contact:infData', xmlns, parts) };
    }
    default:
      return { code: 2101 };
  }
}

function onHost({ hosts, now }: Registry, verb: string, object: XmlElement): Answer {
  const name = object.textAt('name');
  if (verb !== 'create') return { code: 2101 };
  if (!name) return { code: 2003 };
  if (hosts.has(name)) return { code: 2302 };
  hosts.add(name);
  const parts = [tag('host:name', {}, name), tag('host:crDate', {}, now().toISOString())];
  return { code: 1000, data: tag('host:creData', { 'xmlns:host': NAMESPACES.host }, parts) };
}

function checkData({ names, isTaken }: Registry, object: XmlElement): Xml {
  const checked = object.all('name').map(({ text }) => {
    const isFree = !names.has(text.trim().toLowerCase()) && !isTaken(text.trim().toLowerCase());
    return tag(
      'domain:cd',
      {},
      tag('domain:name', { avail: isFree ? '1' : '0' }, text.trim()),
      isFree ? undefined : tag('domain:reason', {}, 'In use'),
    );
  });
  return tag('domain:chkData', { 'xmlns:domain': NAMESPACES.domain }, checked);
}

// Others than the sponsor get name, id and client only, as in the .au registry.
function info(
  { au }: Registry,
  client: string,
  name: string,
  known: SandboxName,
  object: XmlElement,
): Answer {
  const given = object.textAt('authInfo', 'pw');
  const isSponsor = known.client === client;
  if (given !== null && given !== known.password && !isSponsor) return { code: 2202 };
  const own = [tag('domain:status', { s: statusOf(known) }), tag('domain:registrant', {}, known.registrant)];
  const hosts = (known.nameServers ?? []).map((host) => tag('domain:hostObj', {}, host));
  const data = tag(
    'domain:infData',
    { 'xmlns:domain': NAMESPACES.domain },
    tag('domain:name', {}, name),
    tag('domain:roid', {}, 'D1-SB'),
    isSponsor ? own : undefined,
    isSponsor && hosts.length > 0 ? tag('domain:ns', {}, hosts) : undefined,
    tag('domain:clID', {}, known.client),
    isSponsor
      ? [
          tag('domain:crDate', {}, known.createdAt.toISOString()),
          tag('domain:exDate', {}, known.expiresAt.toISOString()),
          tag('domain:authInfo', {}, tag('domain:pw', {}, known.password)),
        ]
      : undefined,
  );
  const properties = tag(
    'auext:auProperties',
    {},
    tag('auext:registrantName', {}, known.registrantName),
    tag('auext:eligibilityType', {}, 'Company'),
    tag('auext:policyReason', {}, '1'),
  );
  const extension = tag('auext:infData', { 'xmlns:auext': AU_EXTENSIONS[au] }, properties);
  return isSponsor ? { code: 1000, data, extension } : { code: 1000, data };
}

function statusOf({ isPending, isDeleted = false, nextServers }: SandboxName): string {
  if (isDeleted) return 'pendingDelete';
  if (nextServers) return 'pendingUpdate';
  return isPending ? 'pendingCreate' : 'ok';
}

function create(
  registry: Registry,
  by: { client: string; name: string; whole: XmlElement; isPending: boolean },
  object: XmlElement,
): Answer {
  const { client, name, whole, isPending } = by;
  const [registrant, password] = [object.textAt('registrant'), object.textAt('authInfo', 'pw')];
  const extension = whole.at('extension', 'create');
  if (extension && extension.namespace !== AU_EXTENSIONS[registry.au]) return { code: 2103 };
  const registrantName = extension?.textAt('auProperties', 'registrantName') ?? null;
  if (registrant === null || password === null || registrantName === null) return { code: 2003 };
  if (registry.contacts.get(registrant) !== client) return { code: 2303 };
  const nameServers = hostsIn(object);
  if (nameServers.some((host) => !registry.hosts.has(host))) return { code: 2303 };
  if (registry.names.has(name) || registry.isTaken(name)) return { code: 2302 };
  const createdAt = registry.now();
  const expiresAt = yearsAfter(createdAt, Number(object.textAt('period') ?? '1'));
  registry.names.set(name, {
    ...{ client, password, registrant, registrantName, createdAt, expiresAt, isPending },
    nameServers,
    clTRID: whole.textAt('clTRID'),
  });
  registry.created.push(name);
  registry.onRegistered(name);
  const data = tag(
    'domain:creData',
    { 'xmlns:domain': NAMESPACES.domain },
    tag('domain:name', {}, name),
    tag('domain:crDate', {}, createdAt.toISOString()),
    tag('domain:exDate', {}, expiresAt.toISOString()),
  );
  return { code: isPending ? 1001 : 1000, data };
}

/** As in the .au registry. */
const MAX_HOSTS = 9;

function hostsIn(element: XmlElement | undefined): string[] {
  return (element?.at('ns')?.all('hostObj') ?? []).map(({ text }) => text.trim());
}

function delegate(
  { names, hosts }: Registry,
  name: string,
  known: SandboxName,
  object: XmlElement,
  isPending: boolean,
): Answer {
  const [before, added, removed] = [
    known.nameServers ?? [],
    hostsIn(object.at('add')),
    hostsIn(object.at('rem')),
  ];
  if (known.nextServers) return { code: 2304 };
  if (added.length + removed.length === 0) return { code: 2003 };
  if (added.some((host) => !hosts.has(host)) || removed.some((host) => !before.includes(host)))
    return { code: 2303 };
  if (added.some((host) => before.includes(host))) return { code: 2302 };
  const servers = [...before.filter((host) => !removed.includes(host)), ...added];
  if (servers.length > MAX_HOSTS) return { code: 2308 };
  names.set(name, { ...known, ...(isPending ? { nextServers: servers } : { nameServers: servers }) });
  return { code: isPending ? 1001 : 1000 };
}

function renew({ names }: Registry, name: string, known: SandboxName, object: XmlElement): Answer {
  if (object.textAt('curExpDate') !== known.expiresAt.toISOString().slice(0, 10)) return { code: 2004 };
  const expiresAt = yearsAfter(known.expiresAt, Number(object.textAt('period') ?? '1'));
  names.set(name, { ...known, expiresAt });
  const data = tag(
    'domain:renData',
    { 'xmlns:domain': NAMESPACES.domain },
    tag('domain:name', {}, name),
    tag('domain:exDate', {}, expiresAt.toISOString()),
  );
  return { code: 1000, data };
}

function yearsAfter(date: Date, years: number): Date {
  const after = new Date(date);
  after.setUTCFullYear(after.getUTCFullYear() + years);
  return after;
}

const TEXTS: Readonly<Record<number, string>> = {
  1000: 'Command completed successfully',
  1001: 'Command completed successfully; action pending',
  1300: 'Command completed successfully; no messages',
  1301: 'Command completed successfully; ack to dequeue',
  1500: 'Command completed successfully; ending session',
  2302: 'Object exists',
  2303: 'Object does not exist',
};

let replies = 0;

export function response(clTRID: string | null, { code, data, extension, queue }: Answer): string {
  replies += 1;
  const message =
    queue && tag('msgQ', { count: String(queue.count), id: queue.id }, tag('msg', {}, queue.text));
  return document(
    tag(
      'epp',
      { xmlns: NAMESPACES.epp },
      tag(
        'response',
        {},
        tag('result', { code: String(code) }, tag('msg', {}, TEXTS[code] ?? `Sandbox result ${code}`)),
        message,
        data && tag('resData', {}, data),
        extension && tag('extension', {}, extension),
        tag(
          'trID',
          {},
          clTRID === null ? undefined : tag('clTRID', {}, clTRID),
          tag('svTRID', {}, `SB-${replies}`),
        ),
      ),
    ),
  );
}
