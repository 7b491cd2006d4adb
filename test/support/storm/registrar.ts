import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { answer, type Registry, type SandboxName } from '../../../src/demo/sandbox-epp-commands.js';
import {
  type EppFault,
  SANDBOX_CLIENT,
  type SandboxIdentity,
  startSandboxRegistrar,
} from '../../../src/demo/sandbox-registrar.js';
import { readXml, type XmlElement } from '../../../src/orders/registrar/epp/xml.js';
import { chance, decideLater, faultAfter, faultIn, MAX_LATE_MS, type StormFault } from './faults.js';

// The sandbox registrar as a process of its own, which tests kill: `registrar.js PORT RECORD IDENTITY`. What it has
// executed is a line of RECORD before it replies, and the next one reads it.
const [, , port = '', record = '', identity = ''] = process.argv;

/** A line of the record. */
export type RecordLine = { readonly at: number } & (
  | { readonly is: 'up' }
  | { readonly is: 'name'; readonly domain: string; readonly name: SandboxName }
  | { readonly is: 'gone'; readonly domain: string }
  | { readonly is: 'contact'; readonly id: string; readonly client: string }
  | { readonly is: 'message'; readonly message: Registry['messages'][number] }
  | { readonly is: 'read' }
  | { readonly is: 'fault'; readonly domain: string }
);
type Line = RecordLine extends infer One ? (One extends RecordLine ? Omit<One, 'at'> : never) : never;

const write = (line: Line) => appendFileSync(record, `${JSON.stringify({ at: Date.now(), ...line })}\n`);

class RecordedNames extends Map<string, SandboxName> {
  isRead = false;

  override set(domain: string, name: SandboxName): this {
    if (this.isRead) write({ is: 'name', domain, name });
    return super.set(domain, name);
  }

  override delete(domain: string): boolean {
    if (this.isRead) write({ is: 'gone', domain });
    return super.delete(domain);
  }
}

class RecordedContacts extends Map<string, string> {
  isRead = false;

  override set(id: string, client: string): this {
    if (this.isRead) write({ is: 'contact', id, client });
    return super.set(id, client);
  }
}

const names = new RecordedNames();
const contacts = new RecordedContacts();
const queue: Registry['messages'][number][] = [];
/** Names whose fault has happened. */
const done = new Set<string>();
for (const text of existsSync(record) ? readFileSync(record, 'utf8').split('\n') : []) {
  if (!text.endsWith('}')) continue;
  const line = JSON.parse(text) as RecordLine;
  if (line.is === 'name') names.set(line.domain, dated(line.name));
  else if (line.is === 'gone') names.delete(line.domain);
  else if (line.is === 'contact') contacts.set(line.id, line.client);
  else if (line.is === 'message') queue.push(line.message);
  else if (line.is === 'read') queue.shift();
  else if (line.is === 'fault') done.add(line.domain);
}
names.isRead = contacts.isRead = true;
const messages = new Proxy(queue, {
  get(target, key) {
    if (key === 'push')
      return (message: Registry['messages'][number]) => {
        write({ is: 'message', message });
        return target.push(message);
      };
    if (key === 'shift')
      return () => {
        write({ is: 'read' });
        return target.shift();
      };
    return Reflect.get(target, key) as unknown;
  },
});

function dated(name: SandboxName): SandboxName {
  return { ...name, createdAt: new Date(name.createdAt), expiresAt: new Date(name.expiresAt) };
}

/** By name: commands that are executed later than they came. */
const held = new Map<string, XmlElement>();
/** Within it a killed process has sent what it had written. */
const SENT_MS = 20;

const die = () => process.kill(process.pid, 'SIGKILL');
const registry: Registry = {
  ...{ au: '1.2', names, contacts, messages, created: [], now: () => new Date() },
  ...{ hosts: new Set<string>(), isTaken: () => false, onRegistered: () => undefined },
};
const execute = (domain: string) => {
  const command = held.get(domain);
  held.delete(domain);
  if (command) answer(registry, SANDBOX_CLIENT, command, false);
};
/** The fault of the creation that is executed now. */
let now: StormFault | null = null;
/** Of names that are renewed soon after; the registry renews none earlier. */
const OLD_MS = 320 * 86_400_000;
let isOld = false;

const sandbox = await startSandboxRegistrar({
  port: Number(port),
  identity: JSON.parse(identity) as SandboxIdentity,
  records: { names, contacts, messages },
  now: () => new Date(Date.now() - (isOld ? OLD_MS : 0)),
  faultOf: (domain, command) => {
    if (command !== 'create') return failAfter(domain, command);
    execute(domain);
    isOld = faultIn(domain) === 'renews';
    now = done.has(domain) ? null : faultIn(domain);
    if (now === null) return undefined;
    done.add(domain);
    write({ is: 'fault', domain });
    return faults[now]?.(domain);
  },
  onRegistered: () => {
    if (now === 'diesduring') die();
    if (now === 'diesafter') setTimeout(die, SENT_MS);
  },
});
const faults: Partial<Record<StormFault, (domain: string) => EppFault | undefined>> = {
  lost: () => 'cut_before',
  failed: () => 2400,
  ended: () => 2500,
  ours: (domain) => (keep(domain), 'cut_before'),
  diesbefore: () => (die(), 'cut_before'),
  halved: () => 'cut_during',
  unsaid: () => 'cut_after',
  late: () => (setTimeout(() => sandbox.sendLate(), chance(String(Date.now())) * MAX_LATE_MS), 'late'),
  executedlate: (domain) => {
    keep(domain);
    setTimeout(() => execute(domain), chance(domain) * MAX_LATE_MS);
    return 'cut_before';
  },
  split: () => 'split',
  merged: () => 'merged',
  pendingdone: (domain) => decideLater(sandbox, domain),
  pendingrefused: (domain) => decideLater(sandbox, domain),
  busy: () => 2502,
  policy: () => 2306,
  foreign: (domain) => (sandbox.registerForeign(domain), undefined),
};

function failAfter(domain: string, command: string): EppFault | undefined {
  const once = `${domain} ${command}`;
  const fault = done.has(once) ? undefined : faultAfter(domain, command);
  if (fault === undefined) return undefined;
  done.add(once);
  write({ is: 'fault', domain: once });
  if (fault !== 'dies') return fault;
  setTimeout(die, SENT_MS);
  return 'cut_after';
}

function keep(domain: string): void {
  const command = readXml(sandbox.received.at(-1) ?? '')?.at('command');
  if (command) held.set(domain, command);
}

for (const [domain, { isPending }] of names) if (isPending) decideLater(sandbox, domain);
// The sandbox alone keeps no process alive.
setInterval(() => undefined, 1_000);
write({ is: 'up' });
process.stdout.write('registrar is up\n');
