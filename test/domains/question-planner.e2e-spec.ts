import { readConfig } from '../../src/config/read-config.js';
import { Freshness } from '../../src/domains/freshness/freshness.js';
import { FreshnessRepository } from '../../src/domains/freshness/freshness.repository.js';
import { QuestionPlanner } from '../../src/domains/freshness/question-planner.js';
import { TurnQueueRepository } from '../../src/domains/freshness/turn-queue.repository.js';
import { Lifecycle } from '../../src/domains/lifecycle/lifecycle.js';
import { QuestionQueue } from '../../src/domains/lifecycle/question-queue.repository.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { addDomain } from '../support/domains.js';
import { importText } from '../support/import.js';

const PURGE = new Date('2026-11-20T03:00:00Z');
const later = (minutes: number) => new Date(PURGE.getTime() + minutes * 60_000);

describe('the next question by worth', () => {
  let test: TestDatabase;
  let freshness: Freshness;
  let lifecycle: Lifecycle;
  let planner: QuestionPlanner;
  const plannerOf = (environment: Record<string, string> = {}) =>
    new QuestionPlanner(
      readConfig(environment),
      new QuestionQueue(test.database),
      new TurnQueueRepository(test.database),
      freshness,
    );
  beforeEach(async () => {
    test = await createTestDatabase();
    const config = readConfig({});
    freshness = new Freshness(new FreshnessRepository(test.database), config);
    lifecycle = new Lifecycle(test.database, config.lifecycle, freshness);
    planner = plannerOf();
  });
  afterEach(() => test.close());

  /** Names of a drop list whose purge has passed. */
  async function drop(...scores: [string, number][]): Promise<void> {
    const rows = scores.map(([domain]) => `2026-11-20,01:00:00,${domain}\n`).join('');
    await importText(test.database, `Date,Eligible Purge Time,Domain Name\n${rows}`, {
      now: new Date('2026-11-20T12:00:00Z'),
    });
    await importText(
      test.database,
      `domain,wayback\n${scores.map((score) => `${score.join(',')}\n`).join('')}`,
    );
    await test.database.query(`UPDATE domain SET purge_at = $1 WHERE state = 'purged'`, [PURGE]);
  }
  const answer = async (domain: string, state: 'available' | 'registered', at: Date) => {
    const registeredAt = state === 'registered' ? at : null;
    const outcome = await lifecycle.observeAnswer(domain, {
      state,
      source: 'rdap',
      checkedAt: at,
      registeredAt,
    });
    await freshness.learn(outcome, at);
    return outcome;
  };
  const backlog = (domain: string) =>
    test.database.query(`UPDATE domain SET purge_at = purge_at - interval '3 days' WHERE domain = $1`, [
      domain,
    ]);

  it('is nothing in an empty dataset', async () => {
    expect(await planner.next(PURGE)).toBeNull();
  });

  it("is the day's drops first, the best score first, also before an older drop of a better score", async () => {
    await drop(['low.com.au', 1], ['high.com.au', 9], ['old.com.au', 900]);
    await backlog('old.com.au');
    expect(await planner.next(later(2))).toEqual({ domain: 'high.com.au', reason: 'confirmation' });
    await answer('high.com.au', 'registered', later(2));
    expect(await planner.next(later(2))).toEqual({ domain: 'low.com.au', reason: 'confirmation' });
    await answer('low.com.au', 'registered', later(3));
    expect(await planner.next(later(3))).toEqual({ domain: 'old.com.au', reason: 'confirmation' });
  });

  it('is a name of a good score again within the hour of its confirmation, and again after that', async () => {
    await drop(['good.com.au', 500]);
    await answer('good.com.au', 'available', later(2));
    expect(await planner.next(later(3))).toBeNull();
    expect(await planner.next(later(60))).toEqual({ domain: 'good.com.au', reason: 'recheck' });
    await answer('good.com.au', 'available', later(60));
    expect(await planner.next(later(62))).toBeNull();
    expect(await planner.next(later(102))).toEqual({ domain: 'good.com.au', reason: 'recheck' });
  });

  it('is a name of the first day when its cap is over, whatever the belief', async () => {
    await drop(['fair.com.au', 10], ['poor.com.au', 9]);
    for (const domain of ['fair.com.au', 'poor.com.au']) await answer(domain, 'available', later(2));
    await test.database.query(
      'INSERT INTO freshness_threshold (steady, current, adjusted_at) VALUES (900, 900, $1)',
      [PURGE],
    );
    await freshness.refresh();
    expect(await planner.next(later(31))).toBeNull();
    expect(await planner.next(later(34))).toEqual({ domain: 'fair.com.au', reason: 'recheck' });
    await answer('fair.com.au', 'available', later(34));
    planner.spend();
    expect(await planner.next(later(34))).toBeNull();
  });

  it('is no name that outgrew its first day by a cap, as while the next drops keep all turns', async () => {
    await drop(['fair.com.au', 10]);
    await answer('fair.com.au', 'available', later(1_430));
    await test.database.query(
      'INSERT INTO freshness_threshold (steady, current, adjusted_at) VALUES (900, 900, $1)',
      [PURGE],
    );
    await freshness.refresh();
    expect(await planner.next(later(1_475))).toEqual({ domain: 'fair.com.au', reason: 'recheck' });
    expect(await planner.next(later(1_490))).toBeNull();
  });

  it('is not a name whose question was left without an answer, until its time', async () => {
    await drop(['good.com.au', 500]);
    await answer('good.com.au', 'available', later(2));
    await test.database.query(
      'INSERT INTO question_failure (domain, failures, failed_at) VALUES ($1, 1, $2)',
      ['good.com.au', later(60)],
    );
    await lifecycle.postpone('good.com.au', later(65));
    expect(await planner.next(later(61))).toBeNull();
    expect(await planner.next(later(65))).toEqual({ domain: 'good.com.au', reason: 'recheck' });
  });

  it('stays the same, and is owed no less, until it has had its turn', async () => {
    await drop(['good.com.au', 500], ['fair.com.au', 400]);
    for (const domain of ['good.com.au', 'fair.com.au']) await answer(domain, 'available', later(2));
    const refused = [];
    for (let time = 0; time < 3; time += 1) refused.push(await planner.next(later(60)));
    expect(refused).toEqual(Array(3).fill({ domain: 'good.com.au', reason: 'recheck' }));
    planner.spend();
    planner.spend();
    expect(await planner.next(later(60))).toEqual({ domain: 'fair.com.au', reason: 'recheck' });
  });

  it('is a retry that is due, soon, while drops of the day wait', async () => {
    await drop(['late.com.au', 1], ['fresh.com.au', 2]);
    await lifecycle.postpone('late.com.au', later(-1));
    const reasons = [];
    for (let turn = 0; turn < 20; turn += 1) {
      reasons.push((await planner.next(later(2)))?.reason);
      planner.spend();
    }
    expect(reasons.indexOf('retry')).toBeGreaterThan(0);
    expect(reasons.indexOf('retry')).toBeLessThanOrEqual(10);
    expect(reasons.filter((reason) => reason === 'retry').length).toBeLessThanOrEqual(2);
  });

  it('divides what drops leave between re-checks and the backlog', async () => {
    await drop(['old.com.au', 900]);
    await backlog('old.com.au');
    await addDomain(test.database, { domain: 'offered.com.au', wayback: 5 });
    await lifecycle.scheduleRechecks('', 10);
    await test.database.query(
      `UPDATE recheck SET ask_at = $1, checked_at = $2 WHERE domain = 'offered.com.au'`,
      [PURGE, new Date('2026-10-20T03:00:00Z')],
    );
    const reasons = new Set<string>();
    for (let minute = 0; minute < 20; minute += 1) {
      const question = await planner.next(later(minute));
      if (question) reasons.add(question.domain);
      planner.spend();
    }
    expect([...reasons].sort()).toEqual(['offered.com.au', 'old.com.au']);
  });

  it('is nothing while the writing of answers is stopped', async () => {
    await drop(['low.com.au', 1]);
    await test.database.query(`UPDATE lifecycle_guard SET writes_stopped_at = $1, reason = 'test'`, [PURGE]);
    expect(await planner.next(later(2))).toBeNull();
    await lifecycle.resumeWrites('test', new Date());
    expect(await planner.next(later(2))).toMatchObject({ domain: 'low.com.au' });
  });

  it('leaves names on offer to their times where the former policy is set', async () => {
    await drop(['good.com.au', 500]);
    await answer('good.com.au', 'available', later(2));
    await test.database.query('UPDATE recheck SET ask_at = $1', [later(600)]);
    const former = plannerOf({ REGISTRY_POLICY: 'former' });
    expect(await former.next(later(60))).toBeNull();
    expect(await planner.next(later(60))).toMatchObject({ domain: 'good.com.au' });
    expect(await former.next(later(600))).toMatchObject({ domain: 'good.com.au' });
  });

  it('learns in minutes, by score and suffix, also from what is taken at its first question', async () => {
    await drop(['caught.com.au', 500], ['free.net.au', 500]);
    const band = 2;
    const before = freshness.early.falseDays(band, 0, 1 / 24, 'com.au');
    for (let time = 0; time < 3; time += 1) {
      await answer('caught.com.au', 'registered', later(5));
      await test.database.query(`UPDATE domain SET state = 'purged', available = false, checked_at = NULL,
        registry_state = NULL, confirmed_by = NULL WHERE domain = 'caught.com.au'`);
    }
    await answer('free.net.au', 'available', later(15));
    await freshness.refresh();
    const of = (suffix: string) => freshness.early.falseDays(band, 0, 1 / 24, suffix);
    expect(of('com.au')).toBeGreaterThan(before);
    expect(of('com.au')).toBeGreaterThan(of('net.au'));
    const rows = await test.database.query(
      'SELECT DISTINCT suffix, score_from FROM early_taken_rate ORDER BY 1',
    );
    expect(rows).toEqual([
      { suffix: 'com.au', score_from: 100 },
      { suffix: 'net.au', score_from: 100 },
    ]);
  });
});
