import { Agent as PlainAgent, type IncomingMessage, request as requestPlainly } from 'node:http';
import { Agent as SecureAgent, request as requestSecurely } from 'node:https';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { hasCode, isObject } from '../validation/unknown-values.js';

export interface ExchangeOptions {
  /** GET where left out. */
  readonly method?: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the whole exchange: connecting, head, body and unpacking. */
  readonly limitMs: number;
  /** Longest body that is read of an answer with this status, packed and unpacked; with 0 the head is the answer. */
  readonly maxBytes: (status: number) => number;
  /** Breaks it off. */
  readonly signal?: AbortSignal | undefined;
}

export interface Received {
  readonly received: true;
  readonly status: number;
  /** A header that comes several times is one, with commas; null where there is none. */
  readonly header: (name: string) => string | null;
  /** Unpacked; null when it is longer than the limit. */
  readonly body: Buffer | null;
}

export interface NotReceived {
  readonly received: false;
  /** `cut_off`: an answer had begun, but its body is not whole or cannot be unpacked. `stopped`: by the signal. */
  readonly reason: 'timeout' | 'stopped' | 'unreachable' | 'cut_off';
  /** For the log: a system code or a limit, never what the other side said. */
  readonly detail: string;
  readonly status: number | null;
  /** Whether a connection was made: the other side may have read the request. */
  readonly wasSent: boolean;
}

// One connection an exchange: nothing that an answer leaves behind in it can be read as the next answer. Node's fetch
// is not used because its timers depend on the stream: a packed body that cannot be unpacked left it reading for
// ever.
const PLAIN = new PlainAgent({ keepAlive: false });
const SECURE = new SecureAgent({ keepAlive: false });

/**
 * Sends one request and reads the answer. Its own timer ends it at its limit, regardless of the other side, and
 * closes the connection. Follows no redirect, repeats nothing, and never throws.
 */
export function exchange(url: URL, options: ExchangeOptions): Promise<Received | NotReceived> {
  const { method = 'GET', body, headers, limitMs, maxBytes, signal } = options;
  return new Promise((resolve) => {
    let status: number | null = null;
    let wasSent = false;
    let request: ReturnType<typeof requestPlainly> | undefined;
    const finish = (result: Received | NotReceived) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(result);
      request?.destroy();
    };
    const fail = (reason: NotReceived['reason'], detail: string) =>
      finish({ received: false, reason, detail, status, wasSent });
    const lose = (error: unknown) => fail(status === null ? 'unreachable' : 'cut_off', failureCodeOf(error));
    const stop = () => fail('stopped', 'stopped');
    const timer = setTimeout(() => fail('timeout', `${limitMs} ms`), limitMs);
    if (signal?.aborted) return stop();
    signal?.addEventListener('abort', stop);
    const isSecure = url.protocol === 'https:';
    const send = isSecure ? requestSecurely : requestPlainly;
    try {
      request = send(url, {
        method,
        headers: { 'Accept-Encoding': 'gzip', ...headers },
        agent: isSecure ? SECURE : PLAIN,
      });
    } catch (error) {
      return lose(error); // an address or a header that cannot be sent
    }
    request.on('error', lose);
    request.on('socket', (socket) =>
      socket.once(isSecure ? 'secureConnect' : 'connect', () => (wasSent = true)),
    );
    request.on('close', () => {
      if (status === null) lose(broken('closed without an answer'));
    });
    // A protocol that was not asked for.
    request.on('upgrade', () => fail('unreachable', 'another protocol'));
    request.on('response', (response) => {
      status = response.statusCode ?? 0;
      const head = { received: true, status, header: (name: string) => headerOf(response, name) } as const;
      readBody(response, maxBytes(status)).then((read) => finish({ ...head, body: read }), lose);
    });
    request.end(body);
  });
}

function broken(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/**
 * The body of an answer, read no further than the limit.
 *
 * @returns null when it is larger, also when only its unpacked form is
 * @throws when it is cut off, or is packed and cannot be unpacked
 */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  if (maxBytes === 0) return Buffer.alloc(0);
  const coding = headerOf(response, 'content-encoding')?.toLowerCase() ?? 'identity';
  const unpack = UNPACKED.get(coding);
  if (!unpack) throw broken('an unknown encoding');
  if (!['chunked', null].includes(headerOf(response, 'transfer-encoding')?.toLowerCase() ?? null))
    throw broken('an unknown transfer encoding');
  const bytes = await collect(response, maxBytes);
  if (bytes === null) return null;
  return unpack(bytes, { maxOutputLength: maxBytes }).catch((error: unknown) => {
    if (hasCode(error, 'ERR_BUFFER_TOO_LARGE')) return null;
    throw error;
  });
}

function collect(response: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    response.on('data', (part: Buffer) => {
      size += part.length;
      if (size > maxBytes) resolve(null);
      else parts.push(part);
    });
    response.on('end', () => (response.complete ? resolve(Buffer.concat(parts)) : reject(broken('cut off'))));
    response.on('error', reject);
    response.on('close', () => reject(broken('cut off')));
  });
}

type Unpack = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;
const unzip: Unpack = promisify<Buffer, ZlibOptions, Buffer>(gunzip);
const inflateWhole: Unpack = promisify<Buffer, ZlibOptions, Buffer>(inflate);
const inflateHeadless: Unpack = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);
const unpackBrotli: (bytes: Buffer, options: object) => Promise<Buffer> = promisify(brotliDecompress);

// Whole bodies, not streams: no content can keep the work from ending.
const UNPACKED: ReadonlyMap<string, Unpack> = new Map<string, Unpack>([
  ['identity', (bytes) => Promise.resolve(bytes)],
  ['gzip', unzip],
  ['x-gzip', unzip],
  ['br', unpackBrotli],
  // Some servers leave the head of zlib out.
  ['deflate', (bytes, options) => (hasZlibHead(bytes) ? inflateWhole : inflateHeadless)(bytes, options)],
]);

function hasZlibHead(bytes: Buffer): boolean {
  return bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

function headerOf({ headersDistinct }: IncomingMessage, name: string): string | null {
  return headersDistinct[name]?.join(', ') ?? null;
}

/** A short word for why a connection failed: its system code ("ECONNRESET"), else the error's name. */
export function failureCodeOf(error: unknown): string {
  if (!isObject(error)) return 'unknown';
  return typeof error.code === 'string' ? error.code : String(error.name);
}

/** As UTF-8, without a byte order mark. */
export function textOf(body: Buffer): string {
  return new TextDecoder().decode(body);
}
