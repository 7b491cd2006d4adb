import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { PurgeTimes } from '../config/config.js';
import { LIST_KINDS, type ListKind } from '../config/product.js';
import { calendarDateOf } from '../domains/schema/calendar-date.js';
import { generateNames } from './name-generator.js';
import { hashOf } from './sandbox-names.js';
import { SANDBOX_HOST, serveOnLoopback } from './sandbox-server.js';

/** How the publisher of lists behaves: as it should, or in one of the ways that go wrong. */
export type ListBehaviour =
  | 'well'
  | 'gzip_file'
  | 'without_validators'
  | 'shrunk'
  | 'other_header'
  | 'header_only'
  | 'html'
  | 'damaged_gzip'
  | 'zip'
  | 'not_modified'
  | 'server_error'
  | 'hang'
  | 'trickle'
  | 'huge'
  | 'bomb'
  | 'cut_off'
  | 'redirect'
  | 'redirect_forever'
  | 'redirect_away'
  | 'reset';

export interface SandboxLists {
  /** Where the two parts are: what LIST_DELETED_URLS and LIST_EXPIRED_URLS take. */
  readonly urls: Readonly<Record<ListKind, string>>;
  readonly port: number;
  /** Puts a list in the place of the one before. */
  publish(kind: ListKind, text: string, publishedAt: Date): void;
  /** From now on, until told otherwise. */
  behave(kind: ListKind, behaviour: ListBehaviour): void;
  /** The questions that came, in order. */
  readonly asked: readonly ListQuestion[];
  close(): Promise<void>;
}

export interface ListQuestion {
  readonly kind: ListKind;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
  readonly status: number;
}

/** A list, and since when it is there. */
export interface PublishedList {
  readonly text: string;
  readonly publishedAt: Date;
}

export interface SandboxListsOptions {
  /** 0 asks the system for a free one. */
  readonly port: number;
  /** The list of a part before the first publication. Default: a list without names. */
  readonly listAt?: (kind: ListKind, now: Date) => PublishedList;
}

interface Part {
  published: PublishedList | null;
  behaviour: ListBehaviour;
}

export const LIST_HEADER = 'Date,Eligible Purge Time,Domain Name';

const NO_NAMES: PublishedList = { text: `${LIST_HEADER}\n`, publishedAt: new Date(0) };
const REDIRECT_STATUS = 302;
/** Of a first entry, whose name and content follow. */
const ZIP_HEADER = Buffer.from(`504b0304${'00'.repeat(26)}`, 'hex');
const HUGE_CHUNK = Buffer.alloc(1024 * 1024, '2026-01-01,00:00:00,sandbox.com.au\n');
/** Unpacks to more than any list has. */
const BOMB_BYTES = 256 * 1024 * 1024;

/**
 * The publisher of the official drop lists, made up: an HTTP server on loopback that the ordinary fetcher talks to,
 * so that nothing inside the service is faked. It serves what it is given, with ETag and Last-Modified.
 */
export async function startSandboxLists({
  port,
  listAt = () => NO_NAMES,
}: SandboxListsOptions): Promise<SandboxLists> {
  const parts: Record<ListKind, Part> = {
    deleted: { published: null, behaviour: 'well' },
    expired: { published: null, behaviour: 'well' },
  };
  const asked: ListQuestion[] = [];
  const server = await serveOnLoopback(port, (request, response) => {
    const kind = LIST_KINDS.find((one) => request.url?.startsWith(`/domain-drop-lists/${one}`));
    if (kind === undefined) return void response.writeHead(404).end();
    response.once('close', () => asked.push(questionOf(kind, request, response)));
    const { published, behaviour } = parts[kind];
    answer(published ?? listAt(kind, new Date()), behaviour, request, response);
  });
  const urlOf = (kind: ListKind) => `http://${SANDBOX_HOST}:${server.port}/domain-drop-lists/${kind}`;
  return {
    urls: { deleted: urlOf('deleted'), expired: urlOf('expired') },
    port: server.port,
    publish: (kind, text, publishedAt) => Object.assign(parts[kind], { published: { text, publishedAt } }),
    behave: (kind, behaviour) => Object.assign(parts[kind], { behaviour }),
    asked,
    close: server.close,
  };
}

function questionOf(kind: ListKind, request: IncomingMessage, response: ServerResponse): ListQuestion {
  const { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = request.headers;
  return { kind, ifNoneMatch, ifModifiedSince, status: response.statusCode };
}

function answer(
  list: PublishedList,
  behaviour: ListBehaviour,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { text } = list;
  const [header = '', ...rows] = text.split('\n');
  switch (behaviour) {
    case 'well':
      return sendList(list, request, response);
    case 'gzip_file':
      return send(response, 'application/gzip', gzipSync(text));
    case 'without_validators':
      return send(response, 'text/csv', text);
    case 'shrunk':
      return send(
        response,
        'text/csv',
        [header, ...rows.slice(0, Math.floor((rows.length - 1) / 2)), ''].join('\n'),
      );
    case 'other_header':
      return send(response, 'text/csv', ['Domain,Purge', ...rows].join('\n'));
    case 'header_only':
      return send(response, 'text/csv', `${header}\n`);
    case 'html':
      return send(response, 'text/html', '<!doctype html><title>Sign in</title>\n<p>Please sign in.\n');
    case 'damaged_gzip':
      return send(response, 'application/gzip', gzipSync(text).subarray(0, -9));
    case 'zip':
      return send(response, 'application/zip', Buffer.concat([ZIP_HEADER, Buffer.from(`list.csv${text}`)]));
    case 'not_modified':
      return void response.writeHead(304).end();
    case 'server_error':
      return void response.writeHead(500).end('The sandbox was asked to fail');
    case 'hang':
      return;
    case 'trickle':
      return trickle(text, response);
    case 'huge':
      return pour(response);
    case 'bomb':
      return send(response, 'application/gzip', gzipSync(Buffer.alloc(BOMB_BYTES, ' '), { level: 1 }));
    case 'cut_off':
      response.writeHead(200, { 'Content-Length': text.length });
      return void response.write(text.slice(0, text.length / 2), () => response.destroy());
    case 'redirect':
      return request.url?.endsWith('/moved')
        ? sendList(list, request, response)
        : redirect(response, `${request.url}/moved`);
    case 'redirect_forever':
      return redirect(response, `${request.url}`);
    case 'redirect_away':
      return redirect(response, 'http://lists.example/deleted');
    case 'reset':
      return void request.socket.resetAndDestroy();
    default:
      return behaviour satisfies never;
  }
}

function sendList(
  { text, publishedAt }: PublishedList,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`;
  response.setHeader('ETag', etag).setHeader('Last-Modified', publishedAt.toUTCString());
  if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
  else send(response, 'text/csv; charset=utf-8', text);
}

function send(response: ServerResponse, contentType: string, body: string | Buffer): void {
  response
    .writeHead(200, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body) })
    .end(body);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(REDIRECT_STATUS, { Location: location }).end();
}

/** The headers and the first bytes, and then nothing. */
function trickle(text: string, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/csv' });
  response.write(text.slice(0, 10));
}

/** Endless rows, until the reader stops. */
function pour(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/csv' });
  response.write(`${LIST_HEADER}\n`);
  const more = () => {
    while (!response.destroyed && response.write(HUGE_CHUNK));
  };
  response.on('drain', more);
  more();
}

const NAMES: Readonly<Record<ListKind, number>> = { deleted: 40, expired: 80 };
const UNTIL_PURGE_MS: Readonly<Record<ListKind, number>> = { deleted: 60_000, expired: 90_000 };
const DAY_MS = 86_400_000;

/** Purges that a newcomer sees: a minute after the start, and a minute and a half. */
export function soonPurgeTimes(startedAt: Date): PurgeTimes {
  const timeOf = (kind: ListKind) =>
    new Date(startedAt.getTime() + UNTIL_PURGE_MS[kind]).toISOString().slice(11, 19);
  return { deleted: timeOf('deleted'), expired: timeOf('expired') };
}

/**
 * The list that is published at a moment: made-up names that are purged in the next run. The same for the same run;
 * another one as soon as it has passed.
 */
export function sandboxListAt(
  kind: ListKind,
  now: Date,
  times: PurgeTimes,
): { text: string; publishedAt: Date } {
  const today = new Date(`${calendarDateOf(now)}T${times[kind]}Z`);
  const run = today > now ? today : new Date(today.getTime() + DAY_MS);
  // Due in the last second of the day before: after the run of that day, and before the next.
  const due = `${calendarDateOf(run, -1)},23:59:59`;
  const names = generateNames(NAMES[kind], hashOf(`${kind} ${run.toISOString()}`));
  const rows = [...names].map(({ domain }) => `${due},${domain}\n`);
  return { text: `${LIST_HEADER}\n${rows.join('')}`, publishedAt: new Date(run.getTime() - DAY_MS) };
}
