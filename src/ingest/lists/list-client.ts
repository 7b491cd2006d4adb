import { messageOf, isObject } from '../../validation/unknown-values.js';
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
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

export interface DownloadOptions {
  readonly known: Validators | null;
  /** Of the whole exchange, redirects and body included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks an address for its list: bounded in size, time and redirects, none of which leads from the outside to this machine or
 * away from https.
 *
 * @throws {ListUnavailable} when there is no list to be had
 */
export async function downloadList(
  address: string,
  { known, timeoutMs, signal }: DownloadOptions,
): Promise<ListResponse> {
  const timeout = AbortSignal.timeout(timeoutMs);
  let status: number | null = null;
  try {
    const response = await request(address, known, signal ? AbortSignal.any([timeout, signal]) : timeout);
    status = response.status;
    if (status === 304 && known) {
      await response.body?.cancel();
      return { status, ...known, body: Buffer.alloc(0) };
    }
    if (status !== 200) {
      await response.body?.cancel();
      throw new ListUnavailable(`The server answered HTTP ${status}.`, status);
    }
    const validators = {
      etag: validator(response, 'etag'),
      lastModified: validator(response, 'last-modified'),
    };
    return { status, ...validators, body: await readBody(response) };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ListUnavailable) throw error;
    if (timeout.aborted) throw new ListUnavailable(`It was not there within ${timeoutMs} ms.`, status, error);
    throw new ListUnavailable(`It could not be read: ${reasonOf(error)}.`, status, error);
  }
}

async function request(address: string, known: Validators | null, signal: AbortSignal): Promise<Response> {
  let url = new URL(address);
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url, { headers: headersFor(known), redirect: 'manual', signal });
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;
    await response.body?.cancel();
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
    // fetch takes a packed answer that is cut off for a whole one. A list that is a gzip file is unpacked, and judged, by us.
    'Accept-Encoding': 'identity',
    'User-Agent': 'bowerbird',
    ...(known?.etag && { 'If-None-Match': known.etag }),
    ...(known?.lastModified && { 'If-Modified-Since': known.lastModified }),
  };
}

function validator(response: Response, name: string): string | null {
  const value = response.headers.get(name);
  return value !== null && value.length <= MAX_VALIDATOR_LENGTH ? value : null;
}

async function readBody(response: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early ends the download.
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.byteLength;
    if (size > MAX_LIST_BYTES)
      throw new ListUnavailable(`It has more than ${MAX_LIST_BYTES} bytes.`, response.status);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

// fetch says only that it failed; why is in its cause. By shape, as errors may be of another realm.
function reasonOf(error: unknown): string {
  return messageOf(isObject(error) && error.cause !== undefined ? error.cause : error);
}
