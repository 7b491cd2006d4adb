import type { Resolver } from 'node:dns/promises';
import { request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { readRetryAfter } from '../../validation/formats.js';
import { timeOfDatabase } from '../../db/database-time.js';
import { judgeReceiver, receiverLookup } from './receiver-address.js';

export interface ReceiverAnswer {
  readonly status: number | null;
  /** Beginning of the body, as text; null without an answer. */
  readonly text: string | null;
  readonly problem: string | null;
  /** Seconds that the receiver asks to be left alone. */
  readonly retryAfter: number | null;
  readonly durationMs: number;
}

export interface RequestOptions {
  readonly timeoutMs: number;
  readonly allowsLoopback: boolean;
  /** Breaks it off, as if there had been no answer. */
  readonly signal?: AbortSignal;
  /** The DNS resolver; default: this machine's. */
  readonly resolver?: Resolver;
}

const KEPT_BYTES = 1024;
const SWITCHING_PROTOCOLS = 101;

interface Asked {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string;
}

/** Reads the beginning of a file, under the rules of {@link postTo}. */
export async function getFrom(
  address: string,
  headers: Readonly<Record<string, string>>,
  options: RequestOptions,
): Promise<ReceiverAnswer> {
  return ask(address, { method: 'GET', headers }, options);
}

/**
 * Posts a body. Redirects are not followed; at most a kilobyte of the answer is read. The address is judged
 * when the connection is made, by the address really connected to, so that DNS cannot change its mind in
 * between.
 */
export async function postTo(
  address: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  options: RequestOptions,
): Promise<ReceiverAnswer> {
  const length = { 'Content-Length': Buffer.byteLength(body) };
  return ask(address, { method: 'POST', headers: { ...headers, ...length }, body }, options);
}

async function ask(address: string, asked: Asked, options: RequestOptions): Promise<ReceiverAnswer> {
  // Judged again: what the operator allows may have changed since it was stored.
  const problem = judgeReceiver(address, options.allowsLoopback);
  return problem === null
    ? send(new URL(address), asked, options)
    : { ...noAnswer(`the address ${problem}`), durationMs: 0 };
}

type Answer = Omit<ReceiverAnswer, 'durationMs'>;

function noAnswer(problem: string): Answer {
  return { status: null, text: null, problem, retryAfter: null };
}

function send(url: URL, { method, headers, body }: Asked, options: RequestOptions): Promise<ReceiverAnswer> {
  const start = performance.now();
  return new Promise((resolve) => {
    // The answer so far: one that hangs or breaks off still counts.
    let given: (() => Answer) | null = null;
    const end = (problem: string) => {
      clearTimeout(limit);
      const durationMs = Math.round(performance.now() - start);
      resolve({ ...(given?.() ?? noAnswer(problem)), durationMs });
      outgoing.destroy();
    };
    const isSecure = url.protocol === 'https:';
    const request = isSecure ? requestSecurely : requestPlainly;
    const outgoing = request(url, {
      method,
      // One connection a delivery: nothing that a receiver left in one can meet the next.
      agent: false,
      lookup: receiverLookup(options.allowsLoopback, options.resolver),
      headers: { ...headers },
      maxHeaderSize: 16_384,
      signal: options.signal,
    });
    const limit = setTimeout(() => end(`no answer within ${options.timeoutMs} ms`), options.timeoutMs);
    outgoing.on('error', (error) => end(describe(error)));
    outgoing.once('response', (incoming) => {
      const parts: Buffer[] = [];
      let size = 0;
      given = () => ({
        status: incoming.statusCode ?? null,
        text: printable(Buffer.concat(parts).subarray(0, KEPT_BYTES)),
        problem: null,
        retryAfter: readRetryAfter(incoming.headers['retry-after'], timeOfDatabase()) ?? null,
      });
      const done = () => end('');
      incoming.on('data', (part: Buffer) => {
        parts.push(part);
        size += part.length;
        if (size >= KEPT_BYTES) done();
      });
      incoming.once('end', done).once('error', done).once('close', done);
    });
    // We never request another protocol. Node reports an upgrade in one of two ways, and without a response.
    const switched = () => {
      given = () => ({ ...noAnswer(''), status: SWITCHING_PROTOCOLS, problem: null });
      end('');
    };
    outgoing.once('upgrade', (_, socket) => {
      switched();
      socket.destroy();
    });
    outgoing.on('information', ({ statusCode }) => {
      if (statusCode === SWITCHING_PROTOCOLS) switched();
    });
    outgoing.end(body);
  });
}

const MAX_PROBLEM = 200;

function describe(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return printable(Buffer.from(code + error.message)).slice(0, MAX_PROBLEM);
}

// A receiver's text: no control characters, and nothing that PostgreSQL cannot store.
function printable(bytes: Buffer): string {
  return bytes.toString().replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ');
}
