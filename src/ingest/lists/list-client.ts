import { exchange, type Received } from '../../registry/exchange.js';
import { isHttpsOrLoopbackUrl, isLoopbackUrl } from '../../validation/formats.js';

/** A list of 2,400 names has 110 kB; this is one of 700,000. */
export const MAX_LIST_BYTES = 32 * 1024 * 1024;
export const MAX_REDIRECTS = 3;
/** Validators are sent back as they came; longer ones are not kept. */
const MAX_VALIDATOR_LENGTH = 1_000;

/** What an address gave. */
export interface ListResponse {
  readonly status: 200 | 304;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** As it came, packed or plain; empty with a 304. */
  readonly body: Buffer;
}

/** By what a server tells whether the list has changed: from the answer that brought the list we have. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** Why there is no list, in words for the operator. */
export class ListUnavailable extends Error {
  constructor(
    message: string,
    readonly httpStatus: number | null,
  ) {
    super(message);
  }
}

export interface DownloadOptions {
  readonly known: Validators | null;
  /** Of the whole exchange, redirects and body included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Downloads the list of an address, bounded in size, time and redirects. No redirect leads from the outside to this
 * machine or away from https.
 *
 * @throws {ListUnavailable} when there is no list to be had
 */
export async function downloadList(address: string, options: DownloadOptions): Promise<ListResponse> {
  const { known } = options;
  const { status, header, body } = await request(address, options);
  if (status === 304 && known) return { status, ...known, body: Buffer.alloc(0) };
  if (status !== 200) throw new ListUnavailable(`The server answered HTTP ${status}.`, status);
  if (body === null) throw new ListUnavailable(`It has more than ${MAX_LIST_BYTES} bytes.`, status);
  return { status, etag: validator(header('etag')), lastModified: validator(header('last-modified')), body };
}

async function request(address: string, { known, timeoutMs, signal }: DownloadOptions): Promise<Received> {
  const endsAt = performance.now() + timeoutMs;
  let url = new URL(address);
  for (let redirects = 0; ; redirects++) {
    const response = await exchange(url, {
      headers: headersFor(known),
      limitMs: Math.max(0, endsAt - performance.now()),
      maxBytes: (status) => (status === 200 ? MAX_LIST_BYTES : 0),
      signal,
    });
    signal?.throwIfAborted();
    if (!response.received) {
      const { reason, detail, status } = response;
      if (reason === 'timeout') throw new ListUnavailable(`It was not there within ${timeoutMs} ms.`, status);
      throw new ListUnavailable(`It could not be read: ${detail}.`, status);
    }
    const location = REDIRECTS.has(response.status) ? response.header('location') : null;
    if (location === null) return response;
    if (redirects === MAX_REDIRECTS)
      throw new ListUnavailable(`It is redirected more than ${MAX_REDIRECTS} times.`, response.status);
    if (!URL.canParse(location, url.href) || !mayLead(url, new URL(location, url)))
      throw new ListUnavailable(`It is redirected to where no list is read from.`, response.status);
    url = new URL(location, url);
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function mayLead(from: URL, to: URL): boolean {
  return isHttpsOrLoopbackUrl(to.href) && (isLoopbackUrl(from) || !isLoopbackUrl(to));
}

function headersFor(known: Validators | null): Record<string, string> {
  return {
    Accept: 'text/csv, text/plain;q=0.9, */*;q=0.5',
    // A list that is a gzip file is unpacked, and judged, where it is read.
    'Accept-Encoding': 'identity',
    'User-Agent': 'bowerbird',
    ...(known?.etag && { 'If-None-Match': known.etag }),
    ...(known?.lastModified && { 'If-Modified-Since': known.lastModified }),
  };
}

function validator(value: string | null): string | null {
  return value !== null && value.length <= MAX_VALIDATOR_LENGTH ? value : null;
}
