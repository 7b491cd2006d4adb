import type { DomainName } from '../../domains/names/domain-name.js';
import { failureCodeOf } from '../failure-code.js';
import { type LookupResult, noAnswer, RegistryLookup, type RegistrySource } from '../registry-lookup.js';
import { readBoundedBody } from './bounded-body.js';
import { readRdapAnswer } from './rdap-answer.js';

/** An .au domain object has a few kB; this leaves room for many name servers and long terms of use. */
const MAX_RESPONSE_BYTES = 256 * 1024;

const HEADERS = { Accept: 'application/rdap+json, application/json;q=0.5', 'User-Agent': 'bowerbird' };

/** Asks the registry over RDAP: one HTTP request, no redirects followed, no retries. */
export class RdapLookup extends RegistryLookup {
  /** @param baseUrl read at each question, because the bootstrap may change it; ends with a slash */
  constructor(
    readonly source: Extract<RegistrySource, 'rdap' | 'sandbox'>,
    private readonly baseUrl: () => string,
    private readonly timeoutMs: number,
  ) {
    super();
  }

  async ask(domain: DomainName): Promise<LookupResult> {
    // The signal also ends a body that trickles in: the limit holds for the whole exchange.
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      // A redirect leads to somebody else's server, whose "not found" says nothing about .au.
      const response = await fetch(`${this.baseUrl()}domain/${encodeURIComponent(domain.domain)}`, {
        headers: HEADERS,
        redirect: 'manual',
        signal,
      });
      return readRdapAnswer(
        domain.domain,
        {
          status: response.status,
          contentType: response.headers.get('content-type'),
          retryAfter: response.headers.get('retry-after'),
          body: await bodyOf(response),
        },
        new Date(),
      );
    } catch (error) {
      if (signal.aborted) return noAnswer('timeout', `${this.timeoutMs} ms`);
      return noAnswer('unreachable', failureCodeOf(error));
    }
  }
}

/** Other statuses say all there is to say, so their body is not waited for. */
async function bodyOf(response: Response): Promise<string | null> {
  if (response.status === 200 || response.status === 404)
    return readBoundedBody(response, MAX_RESPONSE_BYTES);
  await response.body?.cancel();
  return '';
}
