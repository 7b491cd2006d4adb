import type { DomainName } from '../../domains/name/domain-name.js';
import { failureCodeOf } from '../failure-code.js';
import { noAnswer, RegistryLookup, type RegistrySource, type Result, type Said } from '../registry-lookup.js';
import { ageOf } from './answer-age.js';
import { readBoundedBody } from './bounded-body.js';
import { readRdapAnswer, STATUSES_WITH_BODY } from './rdap-answer.js';
import { normalise } from './wordings.js';

/** An .au domain object has a few kB; this leaves room for many name servers and long terms of use. */
const MAX_RESPONSE_BYTES = 256 * 1024;
/** A cache that keeps an answer for longer keeps it for good: it says nothing of today. */
const MAX_AGE_MS = 86_400_000;

const HEADERS = { Accept: 'application/rdap+json, application/json;q=0.5', 'User-Agent': 'bowerbird' };

/** Asks the registry over RDAP: one HTTP request, no redirects followed, no retries. */
export class RdapLookup extends RegistryLookup {
  private readonly learned: ReadonlySet<string>;

  /**
   * @param baseUrl read at each question, because the bootstrap may change it; ends with a slash
   * @param wordings of "not found" that this registry uses beside the known ones
   */
  constructor(
    readonly source: Extract<RegistrySource, 'rdap' | 'sandbox'>,
    private readonly baseUrl: () => string,
    private readonly timeoutMs: number,
    wordings: readonly string[] = [],
  ) {
    super();
    this.learned = new Set(wordings.map(normalise));
  }

  get address(): string {
    return this.baseUrl();
  }

  async ask(domain: DomainName, now: Date): Promise<Result<Said>> {
    // The signal also ends a body that trickles in: the limit holds for the whole exchange.
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      // A redirect leads to somebody else's server, whose "not found" says nothing about .au.
      const response = await fetch(`${this.address}domain/${encodeURIComponent(domain.domain)}`, {
        headers: HEADERS,
        redirect: 'manual',
        signal,
      });
      const { status, headers } = response;
      const contentType = headers.get('content-type');
      const retryAfter = headers.get('retry-after');
      const body = await bodyOf(response);
      const said = readRdapAnswer(
        domain.domain,
        { status, contentType, retryAfter, body },
        now,
        this.learned,
      );
      const ageMs = ageOf(headers.get('age'), headers.get('date'), now);
      if (said.answered && ageMs > MAX_AGE_MS) return noAnswer('not_understood', 'an answer from days ago');
      return said.answered ? { ...said, ageMs } : said;
    } catch (error) {
      if (signal.aborted) return noAnswer('timeout', `${this.timeoutMs} ms`);
      return noAnswer('unreachable', failureCodeOf(error));
    }
  }
}

async function bodyOf(response: Response): Promise<string | null> {
  if (STATUSES_WITH_BODY.includes(response.status)) return readBoundedBody(response, MAX_RESPONSE_BYTES);
  await response.body?.cancel();
  return '';
}
