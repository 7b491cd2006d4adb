import { VERSION } from '../../config/product.js';
import { failureCodeOf } from '../../registry/failure-code.js';
import { readBoundedBody } from '../../registry/rdap/bounded-body.js';
import { readRetryAfter } from '../../validation/formats.js';
import { CDX_FIELDS, MAX_CDX_BYTES, MAX_CDX_ROWS, readCdxAnswer } from '../score/cdx-answer.js';
import { type ArchiveAnswer, ArchiveClient, type ArchiveFailure } from './archive-client.js';

/**
 * The URL of one name is its home page, with and without `www`, by http and https. The server drops what the filter leaves out
 * before it collapses a day to its first row, so that an error in the morning does not hide a page in the evening.
 */
const QUESTION = {
  output: 'json',
  fl: CDX_FIELDS.join(','),
  collapse: 'timestamp:8',
  filter: '!statuscode:[45]..',
  // One more than is believed, so that too many are seen to be too many.
  limit: String(MAX_CDX_ROWS + 1),
} as const;

/** What the archive says, with status 403, of a site that its owner or a court had taken out. */
const EXCLUDED = /AccessControlException|Blocked Site Error|excluded/;
const EXCLUDED_HEADER = 'x-archive-wayback-runtime-error';
const MAX_ERROR_BYTES = 4_096;

export interface CdxOptions {
  readonly cdxUrl: string;
  readonly timeoutMs: number;
  /** Where people can read who asks: it goes into the User-Agent. */
  readonly contactUrl: string;
}

/** Asks a CDX server: one HTTP request a name, no redirects followed, no retries. */
export class CdxClient extends ArchiveClient {
  private readonly userAgent: string;

  constructor(private readonly options: CdxOptions) {
    super();
    this.userAgent = `bowerbird/${VERSION} (+${options.contactUrl})`;
  }

  async ask(domain: string, now: Date, signal: AbortSignal): Promise<ArchiveAnswer> {
    const url = new URL(this.options.cdxUrl);
    for (const [name, value] of Object.entries({ url: domain, ...QUESTION }))
      url.searchParams.set(name, value);
    // Ends a body that trickles in as well: the limit holds for the whole exchange. Not AbortSignal.any, whose time-outs Node 20
    // may collect before they come.
    const stop = new AbortController();
    const end = () => stop.abort();
    const timer = setTimeout(end, this.options.timeoutMs);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    try {
      const response = await fetch(url, {
        headers: { Accept: 'application/json', 'User-Agent': this.userAgent },
        redirect: 'manual',
        signal: stop.signal,
      });
      return response.status === 200 ? await readAnswer(response, now) : await readRefusal(response, now);
    } catch (error) {
      if (stop.signal.aborted) return failure('timeout', `${this.options.timeoutMs} ms`);
      const code = failureCodeOf(error);
      // The answer had begun, so that the archive does talk to us.
      return BROKEN_OFF.has(code) ? failure('cut_off', code) : failure('unreachable', code);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }
}

// How undici calls a body that ends before its length, and zlib one that ends before its end.
const BROKEN_OFF: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'Z_BUF_ERROR', 'Z_DATA_ERROR']);

async function readAnswer(response: Response, now: Date): Promise<ArchiveAnswer> {
  const body = await readBoundedBody(response, MAX_CDX_BYTES);
  if (body === null) return failure('too_large', `more than ${MAX_CDX_BYTES} bytes`);
  const answer = readCdxAnswer(body, now);
  return 'unreadable' in answer
    ? failure(answer.unreadable, `HTTP 200, ${body.length} characters`)
    : { answered: true, ...answer };
}

async function readRefusal(response: Response, now: Date): Promise<ArchiveFailure> {
  const detail = `HTTP ${response.status}`;
  const retryAfterSeconds = readRetryAfter(response.headers.get('retry-after'), now);
  if (response.status === 403 && (await speaksOfExclusion(response))) return failure('excluded', detail);
  await response.body?.cancel();
  if (response.status === 429 || (response.status === 503 && retryAfterSeconds !== undefined))
    return { ...failure('rate_limited', detail), retryAfterSeconds };
  return failure(response.status === 401 || response.status === 403 ? 'refused' : 'failing', detail);
}

async function speaksOfExclusion(response: Response): Promise<boolean> {
  if (EXCLUDED.test(response.headers.get(EXCLUDED_HEADER) ?? '')) return true;
  return EXCLUDED.test((await readBoundedBody(response, MAX_ERROR_BYTES)) ?? '');
}

function failure(reason: ArchiveFailure['reason'], detail: string): ArchiveFailure {
  return { answered: false, reason, detail };
}
