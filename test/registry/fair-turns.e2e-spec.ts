import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';

const BOTS = 4;
const QUESTIONS_OF_A_BOT = 8;
const CHECKS = 16;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    ...WITH_KEYS,
    // Sixteen turns a second, and so many want one that most of the demo's are refused.
    REGISTRY_RATE_PER_SECOND: '16',
    REGISTRY_BURST: '1',
    // The demo's turns come in four seconds, those with a key within a sixth of one: what lies between is for machines that stand still.
    REGISTRY_MAX_WAIT_MS: '1500',
    TIERS: JSON.stringify({ demo: { recordsPerMinute: 10_000, requestsPerMinute: 10_000 } }),
  });
});
afterAll(() => app.close());

let names = 0;
const freshAddress = () => `/v1/domains/check?domain=contended-${++names}.com.au`;

describe('a caller with a key beside four bots of the demo that ask without end', () => {
  it('gets an answer to at least 15 of 16 questions, and refused bots are told when to return', async () => {
    const { bearer } = await addKey(app.database, { tier: 'pro' });
    const refused: { status: number; retryAfter: number }[] = [];
    let isOver = false;
    const ask = async (bot: ReturnType<TestApp['caller']>) => {
      while (!isOver) {
        const { status, headers } = await bot.get(freshAddress());
        if (status !== 200) refused.push({ status, retryAfter: Number(headers['retry-after']) });
      }
    };
    const bots = Array.from({ length: BOTS }, () => app.caller()).flatMap((bot) =>
      Array.from({ length: QUESTIONS_OF_A_BOT }, () => ask(bot)),
    );
    const pro = app.caller();
    let answered = 0;
    for (let check = 0; check < CHECKS; check += 1) {
      const { status } = await pro.get(freshAddress()).set('Authorization', bearer);
      if (status === 200) answered += 1;
    }
    isOver = true;
    await Promise.all(bots);
    expect(answered).toBeGreaterThanOrEqual(15);
    // The bots did press: without the order in the line, theirs were most of the turns.
    expect(refused.length).toBeGreaterThan(CHECKS);
    for (const { status, retryAfter } of refused) {
      expect(status).toBe(503);
      expect(retryAfter).toBeGreaterThanOrEqual(1);
    }
  });
});
