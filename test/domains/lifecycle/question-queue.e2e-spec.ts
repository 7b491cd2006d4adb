import type { Lifecycle } from '../../../src/domains/lifecycle/lifecycle.js';
import { QuestionQueue } from '../../../src/domains/lifecycle/question-queue.repository.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { addDomain } from '../../support/domains.js';
import { importText } from '../../support/import.js';
import { lifecycleOn } from '../../support/lifecycle.js';

const NOW = new Date('2026-11-20T12:00:00Z');
const later = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

let test: TestDatabase;
let lifecycle: Lifecycle;
let queue: QuestionQueue;
beforeEach(async () => {
  test = await createTestDatabase();
  lifecycle = lifecycleOn(test.database);
  queue = new QuestionQueue(test.database);
});
afterEach(() => test.close());

async function purge(...scores: [string, number][]): Promise<void> {
  const rows = scores.map(([domain]) => `2026-11-20,01:00:00,${domain}\n`).join('');
  await importText(test.database, `Date,Eligible Purge Time,Domain Name\n${rows}`, { now: NOW });
  await importText(
    test.database,
    `domain,wayback\n${scores.map((score) => `${score.join(',')}\n`).join('')}`,
  );
}
const name = (rows: string) => importText(test.database, `domain,wayback,first_seen\n${rows}`, { now: NOW });
const answer = (domain: string, checkedAt: Date) =>
  lifecycle.observeAnswer(domain, { state: 'registered', source: 'rdap', checkedAt, registeredAt: null });

describe('what is asked next', () => {
  it('is nothing in an empty dataset', async () => {
    expect(await queue.next(NOW)).toBeNull();
  });

  it('is a purged name, best score first, until it is answered for or postponed', async () => {
    await purge(['low.com.au', 1], ['high.com.au', 9], ['also.com.au', 1]);
    expect(await queue.next(NOW)).toEqual({ domain: 'high.com.au', reason: 'confirmation' });
    expect(await queue.next(NOW)).toEqual({ domain: 'high.com.au', reason: 'confirmation' });
    await answer('high.com.au', NOW);
    expect(await queue.next(NOW)).toEqual({ domain: 'also.com.au', reason: 'confirmation' });
    await lifecycle.postpone('also.com.au', later(10));
    expect(await queue.next(NOW)).toEqual({ domain: 'low.com.au', reason: 'confirmation' });
    await answer('low.com.au', NOW);
    expect(await queue.next(later(9))).toBeNull();
    expect(await queue.next(later(10))).toEqual({ domain: 'also.com.au', reason: 'retry' });
  });

  it('then names on offer that are due and unconfirmed ones, in turns, and stale ones last', async () => {
    const offered = await addDomain(test.database, { domain: 'offered.com.au' });
    const stale = await addDomain(test.database, { domain: 'stale.com.au' });
    await lifecycle.scheduleRechecks('', 10);
    await name('low.com.au,1,\nhigh.com.au,9,\n');
    await test.database.query(`UPDATE recheck SET ask_at = $1, checked_at = $1 WHERE domain = $2`, [
      NOW,
      offered,
    ]);
    await test.database.query(`UPDATE domain SET checked_at = $1 WHERE domain = $2`, [NOW, offered]);
    expect(await lifecycle.observeStale(NOW, 10)).toBe(1);
    const asked = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const question = await queue.next(NOW);
      asked.push(question);
      if (question?.domain === 'high.com.au' || question?.domain === 'low.com.au')
        await answer(question.domain, NOW);
      else if (question) await lifecycle.postpone(question.domain, later(10));
    }
    expect(asked).toEqual([
      { domain: offered, reason: 'recheck' },
      { domain: 'high.com.au', reason: 'unconfirmed' },
      { domain: 'low.com.au', reason: 'unconfirmed' },
      { domain: stale, reason: 'recheck' },
      null,
    ]);
  });

  it('comes in turns while both wait', async () => {
    await addDomain(test.database, { domain: 'offered.com.au' });
    await lifecycle.scheduleRechecks('', 10);
    await name('unconfirmed.com.au,1,\n');
    const reasons = [];
    for (let turn = 0; turn < 4; turn += 1) reasons.push((await queue.next(NOW))?.reason);
    expect(reasons).toEqual(['recheck', 'unconfirmed', 'recheck', 'unconfirmed']);
  });

  it("is the day's drops before older ones of a better score, and the backlog in turns with re-checks", async () => {
    await purge(['today.com.au', 1], ['old.com.au', 900], ['older.com.au', 800]);
    await test.database.query(
      `UPDATE domain SET purge_at = purge_at - interval '3 days' WHERE domain IN ('old.com.au', 'older.com.au')`,
    );
    await addDomain(test.database, { domain: 'offered.com.au' });
    await lifecycle.scheduleRechecks('', 10);
    expect(await queue.next(NOW)).toEqual({ domain: 'today.com.au', reason: 'confirmation' });
    await answer('today.com.au', NOW);
    expect(await queue.next(NOW)).toEqual({ domain: 'offered.com.au', reason: 'recheck' });
    expect(await queue.next(NOW)).toEqual({ domain: 'old.com.au', reason: 'confirmation' });
    await answer('old.com.au', NOW);
    expect(await queue.next(NOW)).toEqual({ domain: 'offered.com.au', reason: 'recheck' });
    expect(await queue.next(NOW)).toEqual({ domain: 'older.com.au', reason: 'confirmation' });
  });

  it('is a retry that is due within ten turns, and no oftener, while fresh names wait', async () => {
    await purge(['late.com.au', 1], ['fresh.com.au', 2]);
    await lifecycle.postpone('late.com.au', later(-1));
    const asked = [];
    for (let turn = 0; turn < 22; turn += 1) asked.push((await queue.next(NOW))?.reason);
    expect(asked.flatMap((reason, turn) => (reason === 'retry' ? [turn] : []))).toEqual([10, 20]);
  });

  it('is nothing while the writing of answers is stopped', async () => {
    await purge(['low.com.au', 1]);
    await test.database.query(`UPDATE lifecycle_guard SET writes_stopped_at = $1, reason = 'test'`, [NOW]);
    expect(await queue.next(NOW)).toBeNull();
    await lifecycle.resumeWrites('test', new Date());
    expect(await queue.next(NOW)).toMatchObject({ domain: 'low.com.au' });
  });
});
