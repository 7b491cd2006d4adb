import { FORMULA_VERSION, scoreCaptures } from '../../src/archive/archive-score.js';
import { readCdxAnswer } from '../../src/archive/cdx-answer.js';
import { type ArchiveBehaviour, capturesOf } from '../../src/demo/sandbox-archive.js';
import { addStated, archiveColumns, type ArchiveTest, startArchiveTest } from '../support/archive.js';
import { after } from '../support/jobs.js';

const NOW = new Date('2026-11-20T03:10:00Z');
const HOUR = 3_600;
const DAY = 24 * HOUR;

let test: ArchiveTest;
beforeEach(async () => {
  test = await startArchiveTest();
});
afterEach(() => test.close());

const never = new AbortController().signal;
/** A pace that no test meets by chance. */
const FAST = { ARCHIVE_RATE_PER_MINUTE: '60000' };

/** A name that the sandbox has captures of, and what they are worth. */
function capturedName(label: string) {
  for (let number = 0; ; number += 1) {
    const domain = `${label}-${number}.com.au`;
    const rows = capturesOf(domain);
    if (rows.length < 2) continue;
    const answer = readCdxAnswer(JSON.stringify(rows), NOW);
    if ('captures' in answer) return { domain, score: scoreCaptures(answer.captures) };
  }
}

describe('ArchiveScorer', () => {
  it('scores a name, and keeps what the score was made from', async () => {
    const { domain, score } = capturedName('scored');
    await addStated(test.database, { domain, state: 'purged', purgeAt: NOW });
    const { scorer, scores } = test.instance();
    expect(await scorer.scoreNext(NOW, never)).toEqual({ did: 'scored', domain });
    expect(await archiveColumns(test.database, domain)).toEqual({
      status: 'ok',
      wayback: score.wayback,
      first: score.firstCapture,
      last: score.lastCapture,
      captures: score.captures,
    });
    expect(await scores.find(domain)).toEqual({ ...score, computedAt: NOW, source: 'sandbox' });
    expect(score.version).toBe(FORMULA_VERSION);
    expect(await scorer.scoreNext(after(NOW, 60), never)).toEqual({ did: 'nothing' });
  });

  it('tells a name without captures from one that was not looked up', async () => {
    await addStated(test.database, { domain: 'empty.com.au', state: 'available', wayback: 7 });
    test.archive.behave('nothing', 'empty.com.au');
    await test.instance().scorer.scoreNext(NOW, never);
    expect(await archiveColumns(test.database, 'empty.com.au')).toMatchObject({ status: 'none', wayback: 0 });
  });

  it.each<ArchiveBehaviour>([
    ...(['empty', 'cut_off', 'cut_off_list', 'html', 'huge', 'server_error', 'excluded', 'reset'] as const),
    ...(['rate_limited', 'forbidden', 'hang'] as const),
  ])('never turns a failure into a score: %s', async (behaviour) => {
    const { domain, score } = capturedName('failing');
    await addStated(test.database, { domain, state: 'available', wayback: 7 });
    test.archive.behave(behaviour, domain);
    const { scorer, scores } = test.instance({ ARCHIVE_TIMEOUT_MS: behaviour === 'hang' ? '100' : '5000' });
    expect(await scorer.scoreNext(NOW, never)).toEqual({ did: 'failed', domain });
    expect(await archiveColumns(test.database, domain)).toMatchObject({ status: 'error', wayback: 7 });
    expect(await scores.find(domain)).toBeNull();

    test.archive.behave('well', domain);
    expect(await scorer.scoreNext(after(NOW, 30 * DAY), never)).toEqual({ did: 'scored', domain });
    expect(await archiveColumns(test.database, domain)).toMatchObject({
      status: 'ok',
      wayback: score.wayback,
    });
  });

  it('tries a failure again after an hour, then four, and keeps an earlier score beside it', async () => {
    const { domain, score } = capturedName('again');
    await addStated(test.database, { domain, state: 'available' });
    test.archive.behave('server_error', domain);
    const { scorer } = test.instance();
    const moments = [0, HOUR - 1, HOUR, HOUR + 4 * HOUR - 1, HOUR + 4 * HOUR];
    const done: string[] = [];
    for (const seconds of moments) done.push((await scorer.scoreNext(after(NOW, seconds), never)).did);
    expect(done).toEqual(['failed', 'nothing', 'failed', 'nothing', 'failed']);
    test.archive.behave('well', domain);
    await scorer.scoreNext(after(NOW, 2 * DAY), never);
    // Somebody has it looked up again, and the archive is away.
    test.archive.behave('server_error', domain);
    await scorer.observe(
      domain,
      { answered: false, reason: 'failing', detail: 'HTTP 500' },
      after(NOW, 3 * DAY),
    );
    expect(await archiveColumns(test.database, domain)).toMatchObject({
      status: 'ok',
      wayback: score.wayback,
    });
  });

  it('holds nothing against anybody when it is told to end', async () => {
    await addStated(test.database, { domain: 'hanging.com.au', state: 'available' });
    test.archive.behave('hang', 'hanging.com.au');
    const stop = new AbortController();
    const { scorer, turns } = test.instance();
    const scoring = scorer.scoreNext(NOW, stop.signal);
    setImmediate(() => stop.abort(new Error('the lease was lost')));
    await expect(scoring).rejects.toThrow('the lease was lost');
    expect(await archiveColumns(test.database, 'hanging.com.au')).toMatchObject({ status: 'pending' });
    expect(await turns.read()).toMatchObject({ failuresInRow: 0, restUntil: null });
  });

  it('takes a score that it has, rather than ask again', async () => {
    const { domain, score } = capturedName('kept');
    await addStated(test.database, { domain, state: 'available' });
    const { scorer } = test.instance(FAST);
    await scorer.scoreNext(NOW, never);
    // As when the process was killed between the two, or an import brought the row anew.
    const forget = () =>
      test.database.query(`UPDATE domain SET archive_status = 'pending', wayback = 0 WHERE domain = $1`, [
        domain,
      ]);
    await forget();
    expect(await scorer.scoreNext(after(NOW, DAY), never)).toEqual({ did: 'reused', domain });
    expect(await archiveColumns(test.database, domain)).toMatchObject({
      status: 'ok',
      wayback: score.wayback,
    });
    expect(test.archive.asked).toHaveLength(1);
    await forget();
    expect(await scorer.scoreNext(after(NOW, 181 * DAY), never)).toEqual({ did: 'scored', domain });
    await forget();
    const real = test.instance({ ...FAST, ARCHIVE_SOURCE: 'archive' });
    expect(await real.scorer.scoreNext(after(NOW, 182 * DAY), never)).toEqual({ did: 'scored', domain });
  });

  it('asks nobody where the archive is off', async () => {
    await addStated(test.database, { domain: 'waiting.com.au', state: 'available' });
    const { scorer, health } = test.instance({ ARCHIVE_CDX_URL: 'off' });
    expect(await scorer.scoreNext(NOW, never)).toEqual({ did: 'nothing' });
    expect(await health.read(NOW)).toMatchObject({ isOn: false, queue: { waiting: 1 } });
  });
});

describe('the queue', () => {
  it('has new drops first, then names whose purge is next, then failures, then the rest, and no hidden ones', async () => {
    const seeds = [
      { domain: 'taken.com.au', state: 'taken' },
      { domain: 'stale.com.au', state: 'stale' },
      { domain: 'unconfirmed.com.au', state: 'unconfirmed' },
      { domain: 'old-drop.com.au', state: 'available', purgeAt: after(NOW, -8 * DAY) },
      { domain: 'available.com.au', state: 'available' },
      { domain: 'tomorrow.com.au', state: 'listed', purgeAt: after(NOW, DAY) },
      { domain: 'next-week.com.au', state: 'listed', purgeAt: after(NOW, 7 * DAY) },
      { domain: 'confirmed-today.com.au', state: 'available', purgeAt: after(NOW, -600) },
      { domain: 'purged-before.com.au', state: 'purged', purgeAt: after(NOW, -DAY) },
      { domain: 'purged-today.com.au', state: 'purged', purgeAt: after(NOW, -600) },
      { domain: 'hidden.com.au', state: 'purged', purgeAt: after(NOW, -600), hidden: true },
    ] as const;
    for (const seed of seeds) await addStated(test.database, seed);
    const { queue, scorer, scores } = test.instance(FAST);
    await scores.saveFailure('failed.com.au', 1, 'timeout (30000 ms)', after(NOW, -1));
    const order: string[] = [];
    for (let domain = await queue.next(NOW); domain !== null; domain = await queue.next(NOW)) {
      order.push(domain);
      await scorer.observe(domain, { answered: true, captures: [], ignored: 0 }, NOW);
    }
    expect(order).toEqual([
      'purged-today.com.au',
      'purged-before.com.au',
      'confirmed-today.com.au',
      'tomorrow.com.au',
      'next-week.com.au',
      'failed.com.au',
      'old-drop.com.au',
      'available.com.au',
      'unconfirmed.com.au',
      'stale.com.au',
      'taken.com.au',
    ]);
  });

  it('finds the next name by one entry of an index, however many wait', async () => {
    await test.database.query(
      `INSERT INTO domain (domain, name, tld, state, purge_at)
       SELECT 'many-' || n || '.au', 'many-' || n, 'au',
              (ARRAY['unconfirmed', 'taken', 'listed', 'purged', 'rescued'])[1 + n % 5],
              $1::timestamptz - n * interval '1 minute' FROM generate_series(0, 49999) n`,
      [after(NOW, 30 * DAY)],
    );
    await test.database.query('ANALYZE domain');
    const statements: string[] = [];
    const { queue } = test.instance();
    const spied = { query: (sql: string) => (statements.push(sql), Promise.resolve([])) };
    await Reflect.apply(queue.next, { database: spied }, [NOW]);
    const rows = await test.database.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, COSTS OFF) ${statements[0]?.replaceAll('$1', `'${NOW.toISOString()}'`)}`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('domain_unscored');
    expect(plan).not.toMatch(/Seq Scan on domain\b|Sort/);
    const buffers = Number(/shared hit=(\d+)/.exec(plan)?.[1]);
    expect(buffers).toBeLessThan(50);
  });
});

describe('the pace', () => {
  it('is one for all instances: 20 questions a minute', async () => {
    const instances = [test.instance(), test.instance(), test.instance()];
    let granted = 0;
    // Ten minutes, in which each asks for a turn four times a second.
    for (let quarter = 0; quarter < 10 * 60 * 4; quarter += 1) {
      const { turns } = instances[quarter % instances.length] ?? test.instance();
      if ((await turns.take(after(NOW, quarter / 4))).granted) granted += 1;
    }
    expect(granted).toBeGreaterThanOrEqual(199);
    expect(granted).toBeLessThanOrEqual(201);
  });

  it('grants one turn to those who come at the same moment, and says when the next is', async () => {
    const instances = Array.from({ length: 5 }, () => test.instance());
    await instances[0]?.turns.take(after(NOW, -1));
    await instances[0]?.turns.take(after(NOW, -1));
    const at = after(NOW, 2);
    const turns = await Promise.all(instances.map(({ turns }) => turns.take(at)));
    expect(turns.filter(({ granted }) => granted)).toHaveLength(1);
    expect(turns.find(({ granted }) => !granted)).toEqual({
      granted: false,
      againInMs: 3_000,
      isResting: false,
    });
  });

  it('goes on after the clock was set back', async () => {
    const { turns } = test.instance();
    await turns.take(after(NOW, 365 * DAY));
    await turns.rest(after(NOW, 365 * DAY), HOUR * 1000, 'refused (HTTP 403)');
    expect(await turns.take(NOW)).toEqual({ granted: true });
  });
});

describe('the rest', () => {
  const FAILING = 'aa-failing.com.au';
  const failing = async (behaviour: ArchiveBehaviour) => {
    await addStated(test.database, { domain: FAILING, state: 'available' });
    await addStated(test.database, { domain: 'zz-next.com.au', state: 'available' });
    test.archive.behave(behaviour, FAILING);
    const { scorer } = test.instance(FAST);
    await scorer.scoreNext(NOW, never);
  };

  it.each<[ArchiveBehaviour, number]>([
    ['rate_limited', 120],
    ['busy', 120],
    ['rate_limited_for_an_unknown_time', HOUR],
    ['forbidden', HOUR],
    ['reset', HOUR],
  ])('after %s is %i s long, on all instances', async (behaviour, seconds) => {
    await failing(behaviour);
    const other = test.instance(FAST);
    expect(await other.scorer.scoreNext(after(NOW, 1), never)).toEqual({
      did: 'waited',
      againInMs: (seconds - 1) * 1000,
    });
    expect(await other.health.read(after(NOW, 1))).toMatchObject({
      restingUntil: after(NOW, seconds),
      restReason: expect.any(String),
      failuresInRow: 1,
      lastAnsweredAt: null,
    });
    test.archive.behave('well', FAILING);
    expect(await other.scorer.scoreNext(after(NOW, seconds), never)).toMatchObject({ did: 'scored' });
    expect(await other.health.read(after(NOW, seconds))).toMatchObject({
      restingUntil: null,
      restReason: null,
      failuresInRow: 0,
      lastAskedAt: after(NOW, seconds),
      lastAnsweredAt: after(NOW, seconds),
    });
  });

  it('comes when nobody listens there', async () => {
    await addStated(test.database, { domain: 'refused.com.au', state: 'available' });
    const url = test.archive.url;
    await test.archive.close();
    const { scorer, health } = test.instance({ ARCHIVE_CDX_URL: url });
    expect(await scorer.scoreNext(NOW, never)).toMatchObject({ did: 'failed' });
    expect(await health.read(NOW)).toMatchObject({
      restingUntil: after(NOW, HOUR),
      restReason: 'unreachable (ECONNREFUSED)',
    });
  });

  it('comes after five failures in a row of any kind, and not for a site that is withheld', async () => {
    for (let number = 0; number < 7; number += 1)
      await addStated(test.database, { domain: `in-a-row-${number}.com.au`, state: 'available' });
    const { scorer, health } = test.instance(FAST);
    test.archive.behave('excluded');
    await scorer.scoreNext(NOW, never);
    expect(await health.read(NOW)).toMatchObject({ failuresInRow: 0, lastAnsweredAt: NOW });
    test.archive.behave('html');
    const done = [];
    for (let second = 1; second <= 6; second += 1)
      done.push((await scorer.scoreNext(after(NOW, second), never)).did);
    expect(done).toEqual(['failed', 'failed', 'failed', 'failed', 'failed', 'waited']);
    expect(await health.read(after(NOW, 6))).toMatchObject({ restingUntil: after(NOW, 5 + 600) });
  });
});

describe('ArchiveHealthReader', () => {
  it('says what waits, and since when the oldest new drop does', async () => {
    const { health, scores } = test.instance();
    expect(await health.read(NOW)).toEqual({
      isOn: true,
      source: 'sandbox',
      restingUntil: null,
      restReason: null,
      failuresInRow: 0,
      lastAskedAt: null,
      lastAnsweredAt: null,
      queue: { waiting: 0, retries: 0, oldest: null, precision: 'exact' },
    });
    await addStated(test.database, { domain: 'drop-1.au', state: 'purged', purgeAt: after(NOW, -600) });
    await addStated(test.database, {
      domain: 'drop-2.au',
      state: 'available',
      purgeAt: after(NOW, -2 * DAY),
    });
    await addStated(test.database, {
      domain: 'drop-3.au',
      state: 'available',
      purgeAt: after(NOW, -9 * DAY),
    });
    await addStated(test.database, { domain: 'drop-4.au', state: 'listed', purgeAt: after(NOW, DAY) });
    await scores.saveFailure('failed.au', 1, 'timeout (30000 ms)', after(NOW, DAY));
    expect((await health.read(NOW)).queue).toEqual({
      ...{ waiting: 4, retries: 1, oldest: after(NOW, -2 * DAY), precision: 'exact' },
    });
  });

  it('estimates a queue that is too long to be counted, where it can', async () => {
    await test.database.query(
      `INSERT INTO domain (domain, name, tld) SELECT 'w' || n || '.au', 'w' || n, 'au' FROM generate_series(1, 12000) n`,
    );
    const { health } = test.instance();
    expect((await health.read(NOW)).queue.waiting).toBeNull();
    await test.database.query('ANALYZE domain');
    expect((await health.read(NOW)).queue.waiting).toBeCloseTo(12_000, -3);
  });
});
