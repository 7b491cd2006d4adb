import type { Outcome, Refusal, Registered } from '../port.js';
import { AU_EXTENSIONS, type AuVersion, NAMESPACES } from './frames.js';
import { readXml, type XmlElement } from './xml.js';

/** The server and its version of the .au extension. */
export interface Greeting {
  readonly server: string;
  readonly au: AuVersion;
  /** Those of our objects that it has. */
  readonly objects: readonly string[];
}

/** @returns null without a greeting, or without the objects and an extension of ours */
export function readGreeting(frame: string): Greeting | null {
  const menu = readEpp(frame)?.at('greeting', 'svcMenu');
  if (!menu) return null;
  const objects = menu.all('objURI').map(({ text }) => text.trim());
  const extensions = menu.at('svcExtension')?.all('extURI') ?? [];
  const au = (Object.keys(AU_EXTENSIONS) as AuVersion[]).find((version) =>
    extensions.some(({ text }) => text.trim() === AU_EXTENSIONS[version]),
  );
  if (!au || !objects.includes(NAMESPACES.domain) || !objects.includes(NAMESPACES.contact)) return null;
  const ours = Object.values(NAMESPACES).filter((uri) => objects.includes(uri));
  return { server: readEpp(frame)?.textAt('greeting', 'svID') ?? '', au, objects: ours };
}

export interface Reply {
  readonly code: number;
  /** What the server says of it, reasons included; at most 500 characters. */
  readonly text: string;
  readonly clTRID: string | null;
  /** The one element of resData. */
  readonly data: XmlElement | undefined;
  readonly queue: { readonly id: string; readonly text: string } | null;
}

const MAX_TEXT = 500;

/** @returns null when the frame is not a reply */
export function readReply(frame: string): Reply | null {
  const response = readEpp(frame)?.at('response');
  const result = response?.at('result');
  const code = result?.attributes.code ?? '';
  if (!response || !result || !/^\d{4}$/.test(code)) return null;
  const reasons = result.all('extValue').map((value) => value.textAt('reason'));
  const texts = [result.textAt('msg'), ...reasons].filter((text) => text !== null);
  const queue = response.at('msgQ');
  return {
    code: Number(code),
    text: texts.join(': ').slice(0, MAX_TEXT),
    clTRID: response.textAt('trID', 'clTRID'),
    data: response.at('resData')?.children[0],
    queue: queue?.attributes.id
      ? { id: queue.attributes.id, text: (queue.textAt('msg') ?? '').slice(0, MAX_TEXT) }
      : null,
  };
}

function readEpp(frame: string): XmlElement | null {
  const root = readXml(frame);
  return root?.name === 'epp' && root.namespace === NAMESPACES.epp ? root : null;
}

/** Whether a name is free, as domain:check says. */
export function readCheck(
  data: XmlElement | undefined,
  name: string,
): { available: boolean; reason: string | null } | null {
  const checked = data?.all('cd').find((one) => one.textAt('name')?.toLowerCase() === name);
  const available = checked?.at('name')?.attributes.avail;
  if (available === undefined) return null;
  return { available: ['1', 'true'].includes(available), reason: checked?.textAt('reason') ?? null };
}

/** creData, renData or infData of a name; null when it is of another. */
export function readRegistered(data: XmlElement | undefined, name: string): Registered | null {
  if (data?.namespace !== NAMESPACES.domain || data.textAt('name')?.toLowerCase() !== name) return null;
  return {
    name,
    id: data.textAt('roid'),
    createdAt: dateIn(data.textAt('crDate')),
    expiresAt: dateIn(data.textAt('exDate')),
  };
}

/** The name servers of infData. */
export function readHosts(data: XmlElement): string[] {
  const hosts = data.at('ns')?.all('hostObj') ?? [];
  return hosts.map(({ text }) => text.trim().toLowerCase());
}

/** What a poll message decides of a name that had been accepted. */
export function readPending(
  data: XmlElement | undefined,
): { name: string | null; clTRID: string | null; outcome: 'done' | 'refused' | null } | null {
  if (data?.name !== 'panData' || data.namespace !== NAMESPACES.domain) return null;
  const result = data.at('name')?.attributes.paResult;
  const isDone = result !== undefined && ['1', 'true'].includes(result);
  return {
    name: data.textAt('name')?.toLowerCase() ?? null,
    clTRID: data.textAt('paTRID', 'clTRID'),
    outcome: result === undefined ? null : isDone ? 'done' : 'refused',
  };
}

function dateIn(text: string | null): Date | null {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? null : date;
}

export const CODES = {
  done: 1000,
  pending: 1001,
  noMessages: 1300,
  message: 1301,
  notNow: 2002,
  notAuthorised: 2201,
  wrongPassword: 2202,
  exists: 2302,
  missing: 2303,
  tooManySessions: 2502,
} as const;

/** Codes of RFC 5730 after which nothing has changed. After any other, such as 2400 and 2500, something may have. */
const REFUSALS: Readonly<Record<number, Refusal>> = {
  2000: 'command',
  2001: 'command',
  2002: 'away',
  2003: 'command',
  2004: 'command',
  2005: 'command',
  2100: 'command',
  2101: 'unsupported',
  2102: 'unsupported',
  2103: 'unsupported',
  2104: 'funds',
  2105: 'policy',
  2106: 'policy',
  2200: 'credentials',
  2201: 'command',
  2202: 'command',
  2300: 'policy',
  2301: 'policy',
  2302: 'taken',
  2303: 'command',
  2304: 'policy',
  2305: 'policy',
  2306: 'policy',
  2307: 'unsupported',
  2308: 'policy',
  2501: 'credentials',
  2502: 'busy',
};

/** The outcome of a command; what it brought is read only of one that is done. */
export function outcomeOf<T>(reply: Reply, read: (reply: Reply) => T | null): Outcome<T> {
  if (reply.code === CODES.pending) return { is: 'pending', reference: reply.clTRID };
  if (reply.code >= 1000 && reply.code < 2000) {
    const value = read(reply);
    if (value === null) return { is: 'unknown', why: 'the reply is about something else' };
    return { is: 'done', value };
  }
  const reason = REFUSALS[reply.code];
  if (!reason) return { is: 'unknown', why: `result ${reply.code}` };
  return { is: 'refused', reason, code: String(reply.code), text: reply.text };
}
