import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ask } from './http.js';
import { asList, asObject, judge, parse } from './judge.js';

/** What the demo tier may spend a minute; the TIERS of the trial leave it as it is. */
export const DEMO_RECORDS = 5;
const AT_ONCE = 200;
/** A burst must not meet the turn of the minute. */
const LATEST_SECOND = 45;
const FEED_PAGE = 50;
const FEED_PAUSE_MS = 500;
const LAST_PAGES_MS = 30_000;
const REVOCATION_LIMIT_MS = 10_000;
const REVOCATION_POLL_MS = 20;

export interface Burst {
  readonly granted: number;
  readonly refused: number;
  readonly failed: number;
  /** Whether the minute's records were kept elsewhere for a part of this minute. */
  readonly storeChanged: boolean;
}

/** So many requests at once from an address that nobody has seen, each for one record. @param number makes the address */
export async function burst(base: URL, number: number, storeChanged: () => boolean): Promise<Burst> {
  const now = new Date();
  if (now.getUTCSeconds() > LATEST_SECOND) await sleep((61 - now.getUTCSeconds()) * 1000);
  const from = `127.1.${Math.floor(number / 250)}.${1 + (number % 250)}`;
  const before = storeChanged();
  const statuses = await Promise.all(
    Array.from({ length: AT_ONCE }, () =>
      ask(base, { path: '/v1/suggest?limit=1', from }).then(
        ({ status }) => status,
        () => 0,
      ),
    ),
  );
  const count = (isOne: (status: number) => boolean) => statuses.filter(isOne).length;
  return {
    granted: count((status) => status === 200),
    refused: count((status) => status === 429),
    failed: count((status) => status !== 200 && status !== 429),
    storeChanged: before || storeChanged(),
  };
}

/** Reads the feed to its end, page by page, for as long as the trial runs. */
export class FeedReader {
  readonly numbers: number[] = [];
  readonly errors: string[] = [];
  private cursor: string | null = null;
  private isStopping = false;
  private deadline = Infinity;
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly base: URL,
    private readonly key: string,
  ) {}

  start(): void {
    this.reading = this.follow();
  }

  /** @returns when everything that is there was read, or a while later */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.deadline = performance.now() + LAST_PAGES_MS;
    await this.reading;
  }

  private async follow(): Promise<void> {
    for (;;) {
      const isLast = this.isStopping;
      const hasMore = await this.readPage();
      if (hasMore) continue;
      if (isLast && hasMore === false) return;
      if (performance.now() > this.deadline) {
        this.errors.push('the end of the feed could not be read');
        return;
      }
      await sleep(FEED_PAUSE_MS);
    }
  }

  /** @returns whether there is more; undefined when the page could not be read */
  private async readPage(): Promise<boolean | undefined> {
    const place =
      this.cursor === null ? 'since=2000-01-01T00:00:00Z' : `cursor=${encodeURIComponent(this.cursor)}`;
    const path = `/api/v1/dropped?${place}&limit=${FEED_PAGE}`;
    const answer = await ask(this.base, { path, headers: { Authorization: `Bearer ${this.key}` } }).catch(
      () => null,
    );
    if (!answer) return undefined;
    const verdict = judge(answer, () => null);
    if (verdict.is === 'wrong') this.errors.push(verdict.why);
    const body = verdict.is === 'result' ? parse(answer.text) : null;
    if (!body) return undefined;
    for (const { number } of asList(body.results)) this.numbers.push(Number(number));
    if (typeof body.next_cursor === 'string') this.cursor = body.next_cursor;
    return body.has_more === true;
  }
}

/** Compares what the reader saw with what the primary holds. @returns what is wrong, or null */
export async function judgeFeed(reader: FeedReader, primaryUrl: string): Promise<string | null> {
  const client = new Client({ connectionString: primaryUrl });
  await client.connect();
  const { rows } = await client.query<{ number: number }>(
    "SELECT number::int FROM domain_event WHERE type IN ('domain.dropped', 'domain.taken') ORDER BY number",
  );
  await client.end();
  if (reader.errors.length > 0) return reader.errors.slice(0, 3).join('; ');
  const expected = rows.map(({ number }) => number);
  const seen = new Set(reader.numbers);
  if (seen.size !== reader.numbers.length) return `${reader.numbers.length - seen.size} events came twice`;
  const missing = expected.filter((number) => !seen.has(number));
  if (missing.length > 0) return `${missing.length} of ${expected.length} events did not come`;
  const disorder = reader.numbers.findIndex((number, at) => at > 0 && number < (reader.numbers[at - 1] ?? 0));
  return disorder === -1 ? null : `event ${reader.numbers[disorder]} came late`;
}

/** From the end of `revoke` until no instance believes the key any more. @returns milliseconds */
export async function timeRevocation(
  instances: readonly URL[],
  key: string,
  revoke: () => Promise<void>,
): Promise<number> {
  const isBelieved = async (url: URL) => {
    const { status, text } = await ask(url, {
      path: '/v1/stats',
      headers: { Authorization: `Bearer ${key}` },
    });
    if (status === 200) return true;
    if (asObject(parse(text)?.error).code === 'key_invalid') return false;
    throw new Error(`${url.href} answered ${status}`);
  };
  for (const url of instances)
    if (!(await isBelieved(url))) throw new Error(`${url.href} never believed the key`);
  await revoke();
  const began = performance.now();
  const waits = instances.map(async (url) => {
    while (await isBelieved(url)) {
      if (performance.now() - began > REVOCATION_LIMIT_MS) throw new Error('a revoked key still works');
      await sleep(REVOCATION_POLL_MS);
    }
    return performance.now() - began;
  });
  return Math.max(...(await Promise.all(waits)));
}
