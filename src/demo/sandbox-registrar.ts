import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { frameOf, FrameReader } from '../orders/registrar/epp/framing.js';
import { AU_EXTENSIONS, type AuVersion, NAMESPACES } from '../orders/registrar/epp/frames.js';
import { document, readXml, tag } from '../orders/registrar/epp/xml.js';
import { type Answer, answer, type Registry, response, type SandboxName } from './sandbox-epp-commands.js';
import { SANDBOX_HOST } from './sandbox-server.js';

/**
 * What goes wrong with one command. `cut_before`, nothing was executed; `cut_during`, it was, and half of the reply
 * is sent; `cut_after`, it was, and nothing is sent; `late`, the reply waits for {@link SandboxRegistrar.sendLate};
 * `split`, in single bytes; `merged`, with an unsolicited frame; `pending`, 1001; a code, without execution.
 */
export type EppFault =
  | 'cut_before'
  | 'cut_during'
  | 'cut_after'
  | 'late'
  | 'split'
  | 'merged'
  | 'pending'
  | 2104
  | 2306
  | 2400
  | 2500
  | 2502;

export interface SandboxRegistrarOptions {
  /** 0 asks the system for a free port. */
  readonly port: number;
  readonly au?: AuVersion;
  /** Sessions of one client at a time. */
  readonly sessions?: number;
  /** Names of other holders, besides the names registered here. */
  readonly isTaken?: (name: string) => boolean;
  readonly onRegistered?: (name: string) => void;
  /** What goes wrong with a creation, a renewal, a change or a deletion, by its name, beside what `fail` says. */
  readonly faultOf?: (name: string, command: string) => EppFault | undefined;
  readonly now?: () => Date;
  /** Certificates and records of an earlier one, which this one continues. */
  readonly identity?: SandboxIdentity;
  readonly records?: Pick<Registry, 'names' | 'contacts' | 'messages'>;
}

/** PEM: of the server, which is its own authority, and of the client that it knows. */
export interface SandboxIdentity {
  readonly ca: string;
  readonly serverKey: string;
  readonly certificate: string;
  readonly key: string;
}

export interface SandboxRegistrar {
  readonly host: string;
  readonly port: number;
  /** PEM: of the server, which is its own authority, and of the client. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  readonly client: string;
  readonly password: string;
  /** The names that are registered, with whose they are. */
  readonly names: ReadonlyMap<string, SandboxName>;
  /** Frames that came, in order. */
  readonly received: readonly string[];
  /** How often names were registered: more than `names` when one was registered twice. */
  readonly created: readonly string[];
  openSessions(): number;
  /** The next command of that name goes wrong in this way, and the ones after it, `times` in all. */
  fail(command: string, fault: EppFault, times?: number): void;
  registerForeign(name: string, client?: string): void;
  /** Decides a pending name; its client finds a message. */
  decide(name: string, outcome: 'done' | 'refused'): void;
  sendLate(): void;
  close(): Promise<void>;
}

/** The settings of an EPP registrar, without its name and prices. */
export function eppSettingsOf(
  registrar: Pick<SandboxRegistrar, 'host' | 'port' | 'client' | 'password' | 'certificate' | 'key' | 'ca'>,
): Record<string, string> {
  return {
    EPP_ADDRESS: `${registrar.host}:${registrar.port}`,
    ...{ EPP_CLIENT: registrar.client, EPP_PASSWORD: registrar.password },
    ...{ EPP_CERTIFICATE: registrar.certificate, EPP_KEY: registrar.key, EPP_CA: registrar.ca },
  };
}

export const SANDBOX_CLIENT = 'SANDBOX';
export const SANDBOX_PASSWORD = 'sandbox-password';
const DEFAULT_SESSIONS = 10;
const WRITES = ['create', 'renew', 'update', 'delete'];

/**
 * A registry that is made up: an EPP server over mutual TLS on loopback, which the ordinary client talks to. Its
 * certificates are made at the start.
 */
export async function startSandboxRegistrar(options: SandboxRegistrarOptions): Promise<SandboxRegistrar> {
  const { au = '1.2', sessions = DEFAULT_SESSIONS, now = () => new Date() } = options;
  const identity = options.identity ?? (await makeSandboxIdentity());
  const registry: Registry = {
    au,
    ...(options.records ?? { names: new Map(), contacts: new Map(), messages: [] }),
    created: [],
    hosts: new Set(),
    now,
    isTaken: options.isTaken ?? (() => false),
    onRegistered: options.onRegistered ?? (() => undefined),
  };
  const received: string[] = [];
  const faults = new Map<string, EppFault[]>();
  const late: (() => void)[] = [];
  const open = new Set<TLSSocket>();
  const loggedIn = new Set<TLSSocket>();

  const server = createServer(
    {
      ...{ cert: identity.ca, key: identity.serverKey, ca: identity.certificate },
      ...{ requestCert: true, rejectUnauthorized: true },
    },
    (socket) => {
      const reader = new FrameReader();
      open.add(socket);
      socket.on('close', () => (open.delete(socket), loggedIn.delete(socket)));
      socket.on('error', () => socket.destroy());
      socket.write(frameOf(greeting(au, now())));
      socket.on('data', (part: Buffer) => {
        const frames = reader.read(part);
        if (frames === null) {
          socket.destroy();
          return;
        }
        for (const frame of frames) serve(socket, frame);
      });
    },
  );

  function serve(socket: TLSSocket, frame: string): void {
    received.push(frame);
    const root = readXml(frame);
    if (root?.at('hello')) return void socket.write(frameOf(greeting(au, now())));
    const whole = root?.at('command');
    const command = whole?.children[0];
    const id = whole?.textAt('clTRID') ?? null;
    if (!whole || !command) return void socket.write(frameOf(response(id, { code: 2001 })));
    const object = command.children[0];
    const name =
      command.name === 'create' && object?.namespace === NAMESPACES.contact ? 'contact' : command.name;
    const subject = WRITES.includes(name) ? object?.textAt('name') : undefined;
    const own = subject ? options.faultOf?.(subject, name) : undefined;
    const fault = faults.get(name)?.shift() ?? own;
    if (fault === 'cut_before') return void socket.destroy();
    if (typeof fault === 'number') {
      const text = frameOf(response(id, { code: fault }));
      if (fault >= 2500) socket.end(text);
      else socket.write(text);
      return;
    }
    const result =
      session(socket, command.name) ?? answer(registry, SANDBOX_CLIENT, whole, fault === 'pending');
    const isEnd = result.code === 1500 || result.code >= 2500;
    if (command.name === 'login') {
      if (command.textAt('clID') !== SANDBOX_CLIENT || command.textAt('pw') !== SANDBOX_PASSWORD)
        return void socket.write(frameOf(response(id, { code: 2200 })));
      if (result.code === 1000) loggedIn.add(socket);
    }
    const bytes = frameOf(response(id, result));
    switch (fault) {
      case 'cut_during':
        socket.write(bytes.subarray(0, bytes.length / 2), () => socket.destroy());
        return;
      case 'cut_after':
        socket.destroy();
        return;
      case 'late':
        late.push(() => {
          if (socket.writable) socket.write(bytes);
        });
        return;
      case 'split':
        for (const byte of bytes) socket.write(Buffer.from([byte]));
        return;
      case 'merged':
        socket.write(Buffer.concat([bytes, frameOf(response('BB-of-nobody', { code: 1000 }))]));
        return;
      default:
        if (isEnd) socket.end(bytes);
        else socket.write(bytes);
    }
  }

  // Who may send it now, apart from what it says.
  function session(socket: TLSSocket, command: string): Answer | null {
    if (command === 'login') return loggedIn.size >= sessions ? { code: 2502 } : { code: 1000 };
    if (!loggedIn.has(socket)) return { code: 2002 };
    return command === 'logout' ? { code: 1500 } : null;
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, SANDBOX_HOST, resolve);
  });
  server.unref();
  return {
    ...{
      host: SANDBOX_HOST,
      port: (server.address() as AddressInfo).port,
      client: SANDBOX_CLIENT,
      password: SANDBOX_PASSWORD,
    },
    ...{ ca: identity.ca, certificate: identity.certificate, key: identity.key, received },
    ...{ names: registry.names, created: registry.created },
    openSessions: () => loggedIn.size,
    fail: (command, fault, times = 1) =>
      void faults.set(command, [
        ...(faults.get(command) ?? []),
        ...Array.from({ length: times }, () => fault),
      ]),
    registerForeign: (name, client = 'OTHER') =>
      void registry.names.set(name, {
        ...{ client, password: 'not-ours-1', registrant: 'C-OTHER', registrantName: 'Other Pty Ltd' },
        ...{ createdAt: now(), expiresAt: now(), isPending: false, clTRID: null },
      }),
    decide: (name, outcome) => {
      const pending = registry.names.get(name);
      if (pending?.nextServers) {
        const { nextServers, ...before } = pending;
        const nameServers = outcome === 'done' ? nextServers : (before.nameServers ?? []);
        registry.names.set(name, { ...before, nameServers });
      }
      if (!pending?.isPending) return;
      if (outcome === 'done') registry.names.set(name, { ...pending, isPending: false });
      else registry.names.delete(name);
      registry.messages.push({ id: randomUUID(), name, isDone: outcome === 'done', clTRID: pending.clTRID });
    },
    sendLate: () => late.splice(0).forEach((send) => send()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

export async function makeSandboxIdentity(): Promise<SandboxIdentity> {
  const [own, known] = await Promise.all([certificate('localhost'), certificate('bowerbird')]);
  return { ca: own.cert, serverKey: own.private, certificate: known.cert, key: known.private };
}

function certificate(name: string): ReturnType<typeof generate> {
  return generate([{ name: 'commonName', value: name }], {
    ...{ keyType: 'ec', algorithm: 'sha256' },
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: name },
          { type: 7, ip: SANDBOX_HOST },
        ],
      },
    ],
  });
}

function greeting(au: AuVersion, now: Date): string {
  const objects = [NAMESPACES.domain, NAMESPACES.contact, NAMESPACES.host].map((uri) =>
    tag('objURI', {}, uri),
  );
  const access = tag('access', {}, tag('all'));
  const statement = tag(
    'statement',
    {},
    tag('purpose', {}, tag('prov')),
    tag('recipient', {}, tag('ours')),
    tag('retention', {}, tag('stated')),
  );
  return document(
    tag(
      'epp',
      { xmlns: NAMESPACES.epp },
      tag(
        'greeting',
        {},
        tag('svID', {}, 'Sandbox registry'),
        tag('svDate', {}, now.toISOString()),
        tag(
          'svcMenu',
          {},
          tag('version', {}, '1.0'),
          tag('lang', {}, 'en'),
          objects,
          tag('svcExtension', {}, tag('extURI', {}, AU_EXTENSIONS[au])),
        ),
        tag('dcp', {}, access, statement),
      ),
    ),
  );
}
