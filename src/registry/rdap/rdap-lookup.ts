import type { DomainName } from '../../domains/name/domain-name.js';
import { exchange, textOf } from '../exchange.js';
import { noAnswer, RegistryLookup, type RegistrySource, type Result, type Said } from '../registry-lookup.js';
import { ageOf } from './answer-age.js';
import { readRdapAnswer, STATUSES_WITH_BODY } from './rdap-answer.js';
import { normalise } from './wordings.js';

/** An .au domain object has a few kB; this leaves room for many name servers and long terms of use. */
const MAX_RESPONSE_BYTES = 256 * 1024;

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
    const url = new URL(`${this.address}domain/${encodeURIComponent(domain.domain)}`);
    // A redirect leads to somebody else's server, whose "not found" says nothing about .au.
    const response = await exchange(url, {
      headers: HEADERS,
      limitMs: this.timeoutMs,
      maxBytes: (status) => (STATUSES_WITH_BODY.includes(status) ? MAX_RESPONSE_BYTES : 0),
    });
    if (!response.received)
      return noAnswer(response.reason === 'timeout' ? 'timeout' : 'unreachable', response.detail);
    const { status, header } = response;
    const said = readRdapAnswer(
      domain.domain,
      {
        status,
        contentType: header('content-type'),
        retryAfter: header('retry-after'),
        body: response.body && textOf(response.body),
      },
      now,
      this.learned,
    );
    return said.answered ? { ...said, ageMs: ageOf(header('age'), header('date'), now) } : said;
  }
}
