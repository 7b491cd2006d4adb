import { startTestApp, type TestApp } from '../support/app.js';
import { addDomains } from '../support/domains.js';

const PAGES = 3;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ TIERS: JSON.stringify({ demo: { listPages: PAGES } }) });
  await addDomains(
    test.database,
    Array.from({ length: 200 }, (_, place) => ({
      domain: `coffee-${place}.com.au`,
      wayback: place,
      first_seen: '2026-11-01',
      available: true,
      hidden: false,
    })),
  );
});
afterAll(() => test.close());

/** From a /64 of its own within one /48. */
const from = (path: string, place: number) =>
  test
    .caller()
    .get(path)
    .set('X-Forwarded-For', `2001:db8:7:${(place * 97).toString(16)}::1`);

describe('callers without an account in one /48', () => {
  it('together get 16 times the records of one address in a minute', async () => {
    let names = 0;
    let refused: { body: { error: { code: string } }; headers: Record<string, string> } | null = null;
    // Where the minute turns meanwhile, the next one counts from zero.
    for (let place = 0; place < 60 && refused === null; place += 1) {
      const answer = await from('/v1/suggest?q=coffee&limit=5', place);
      if (answer.status === 200) names += (answer.body as { results: unknown[] }).results.length;
      else refused = answer;
    }
    expect(names).toBe(80);
    expect(refused?.body.error.code).toBe('too_many_requests');
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('together read 16 times the list pages of one address in ten minutes, and others go on', async () => {
    const open = (place: number) => from('/', place).set('Accept', 'text/html');
    const statuses: number[] = [];
    for (let place = 0; place < 17; place += 1)
      for (let page = 0; page < PAGES; page += 1) statuses.push((await open(place)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(16 * PAGES);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    await open(0).set('X-Forwarded-For', '2001:db8:8::1').expect(200);
  });
});
