import { VERSION } from '../config/product.js';
import { exchange, type NotReceived, type Received, textOf } from '../registry/exchange.js';
import { readRetryAfter } from '../validation/formats.js';
import { CDX_FIELDS, MAX_CDX_BYTES, MAX_CDX_ROWS, readCdxAnswer } from './cdx-answer.js';
import { type ArchiveAnswer, ArchiveClient, type ArchiveFailure } from './archive-client.js';

/**
 * The URL of one name is its home page, with and without `www`, by http and https. The server drops what the filter
 * leaves out before it collapses a day to its first row, so that an error in the morning does not hide a page in the
 * evening.
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
export const MAX_ERROR_BYTES = 4_096;

export interface CdxOptions {
  readonly cdxUrl: string;
  readonly timeoutMs: number;
  /** Where people can read who asks: it goes into the User-Agent. */
  readonly contactUrl: string;
}

export function userAgentOf(contactUrl: string): string {
  return `bowerbird/${VERSION} (+${contactUrl})`;
}

/** Asks a CDX server: one HTTP request a name, no redirects followed, no retries. */
export class CdxClient extends ArchiveClient {
  private readonly userAgent: string;

  constructor(private readonly options: CdxOptions) {
    super();
    this.userAgent = userAgentOf(options.contactUrl);
  }

  async ask(domain: string, now: Date, signal: AbortSignal): Promise<ArchiveAnswer> {
    const url = new URL(this.options.cdxUrl);
    for (const [name, value] of Object.entries({ url: domain, ...QUESTION }))
      url.searchParams.set(name, value);
    const response = await exchange(url, {
      headers: { Accept: 'application/json', 'User-Agent': this.userAgent },
      limitMs: this.options.timeoutMs,
      maxBytes: (status) => (status === 200 ? MAX_CDX_BYTES : status === 403 ? MAX_ERROR_BYTES : 0),
      signal,
    });
    if (!response.received) return failure(REASONS[response.reason], response.detail);
    return response.status === 200 ? readAnswer(response, now) : readRefusal(response, now);
  }
}

/** Why nothing was received. */
export const REASONS = {
  timeout: 'timeout',
  // The caller has stopped waiting.
  stopped: 'timeout',
  unreachable: 'unreachable',
  // The answer had begun, so that the archive does talk to us.
  cut_off: 'cut_off',
} as const satisfies Record<NotReceived['reason'], ArchiveFailure['reason']>;

function readAnswer({ body }: Received, now: Date): ArchiveAnswer {
  if (body === null) return failure('too_large', `more than ${MAX_CDX_BYTES} bytes`);
  const answer = readCdxAnswer(textOf(body), now);
  return 'unreadable' in answer
    ? failure(answer.unreadable, `HTTP 200, ${body.length} bytes`)
    : { answered: true, ...answer };
}

/** Why an answer with another status than 200 is none. */
export function readRefusal({ status, header, body }: Received, now: Date): ArchiveFailure {
  const detail = `HTTP ${status}`;
  const retryAfterSeconds = readRetryAfter(header('retry-after'), now);
  const isExcluded = EXCLUDED.test(`${header(EXCLUDED_HEADER) ?? ''} ${body ? textOf(body) : ''}`);
  if (status === 403 && isExcluded) return failure('excluded', detail);
  if (status === 429 || (status === 503 && retryAfterSeconds !== undefined))
    return { ...failure('rate_limited', detail), retryAfterSeconds };
  return failure(status === 401 || status === 403 ? 'refused' : 'failing', detail);
}

export function failure(reason: ArchiveFailure['reason'], detail: string): ArchiveFailure {
  return { answered: false, reason, detail };
}
