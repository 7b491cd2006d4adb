import { addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';

const BOTS = 4;
const QUESTIONS_OF_A_BOT = 8;
const CHECKS = 16;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    ...WITH_KEYS,
    // Four turns a second, and so many want one that many of the demo's are refused.
    REGISTRY_RATE_PER_SECOND: '4',
    REGISTRY_BURST: '1',
    // The demo's turns come in sixteen seconds, those with a key within half of one: what lies between is for machines that stand still.
    REGISTRY_MAX_WAIT_MS: '6000',
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
    // A bot that was refused presses again when the caller has its answer; without end, the two would share one core.
    let answer = (): void => undefined;
    let answers = Promise.resolve();
    const nextAnswer = () => {
      answer();
      answers = new Promise((resolve) => (answer = resolve));
    };
    const ask = async (bot: ReturnType<TestApp['caller']>) => {
      while (!isOver) {
        const { status, headers } = await bot.get(freshAddress());
        if (status === 200) continue;
        refused.push({ status, retryAfter: Number(headers['retry-after']) });
        await answers;
      }
    };
    const bots = Array.from({ length: BOTS }, () => app.caller()).flatMap((bot) =>
      Array.from({ length: QUESTIONS_OF_A_BOT }, () => ask(bot)),
    );
    const pro = app.caller();
    let answered = 0;
    nextAnswer();
    for (let check = 0; check < CHECKS; check += 1) {
      const { status } = await pro.get(freshAddress()).set('Authorization', bearer);
      if (status === 200) answered += 1;
      nextAnswer();
    }
    isOver = true;
    answer();
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
