import type { DomainName } from '../domains/name/domain-name.js';
import { readHttpDate } from '../validation/formats.js';
import { noAnswer, RegistryLookup, type RegistrySource, type Result, type Said } from './answer.js';
import { exchange, textOf } from './exchange.js';
import { STATUSES_WITH_BODY } from './evidence.js';
import { readRdapAnswer, rulesOf } from './rdap-answer.js';
import type { Rules } from './rdap-error.js';

/** An .au domain object has a few kB; this leaves room for many name servers and long terms of use. */
const MAX_RESPONSE_BYTES = 256 * 1024;

const HEADERS = { Accept: 'application/rdap+json, application/json;q=0.5', 'User-Agent': 'bowerbird' };

/** Asks the registry over RDAP: one HTTP request, no redirects followed, no retries. */
export class RdapLookup extends RegistryLookup {
  /**
   * @param baseUrl read at each question, because the bootstrap may change it; ends with a slash
   * @param rules read at each question, because operators add wordings to them
   */
  constructor(
    readonly source: Extract<RegistrySource, 'rdap' | 'sandbox'>,
    private readonly baseUrl: () => string,
    private readonly timeoutMs: number,
    private readonly rules: () => Rules = () => rulesOf('newest'),
  ) {
    super();
  }

  get address(): string {
    return this.baseUrl();
  }

  async ask(domain: DomainName, now: Date): Promise<Result<Said>> {
    const url = new URL(`${this.address}domain/${encodeURIComponent(domain.domain)}`);
    // A redirect leads to a foreign server, whose "not found" says nothing about .au.
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
        ...{ status, contentType: header('content-type'), retryAfter: header('retry-after') },
        body: response.body && textOf(response.body),
      },
      now,
      this.rules(),
    );
    return { ...said, ageMs: ageOf(header('age'), header('date'), now) };
  }
}

/**
 * An answer that was made just now bears a Date of up to a second ago, by a clock that may differ a little from ours.
 */
const MAX_CLOCK_DIFFERENCE_MS = 2000;
/** Longer ages are one: a column of whole seconds holds no more. */
const MAX_AGE_MS = 50 * 365 * 86_400_000;
/** The comma before a weekday, which no date has inside. */
const BETWEEN_DATES = /,(?=\s*[A-Z][a-z]{2,8},)/;

/**
 * How long before `now` the registry said what a response holds, in milliseconds: a cache in between tells by Age,
 * and one that does not by the Date that it kept (RFC 9111, 4.2.3). Of several claims the oldest counts.
 *
 * @param now when the question was sent, by the database's clock
 */
export function ageOf(age: string | null, date: string | null, now: Date): number {
  const told = (age?.split(',') ?? []).map((text) => text.trim()).filter((text) => /^\d+$/.test(text));
  const saidAt = (date?.split(BETWEEN_DATES) ?? []).flatMap((text) => readHttpDate(text.trim()) ?? []);
  const apparentMs = Math.max(0, ...saidAt.map((moment) => now.getTime() - moment.getTime()));
  const ageMs = Math.max(0, ...told.map((seconds) => Number(seconds) * 1000));
  return Math.min(MAX_AGE_MS, Math.max(ageMs, apparentMs > MAX_CLOCK_DIFFERENCE_MS ? apparentMs : 0));
}
