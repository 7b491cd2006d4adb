import { FreshnessRepository } from '../../src/domains/freshness/freshness.repository.js';
import { TruthSampleRepository } from '../../src/domains/truth/truth-sample.repository.js';
import type { SampleOutcome, Stratum } from '../../src/domains/truth/sample-plan.js';
import { StatusReadings } from '../../src/api/status/status.service.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { setBudgetTime } from '../support/clock.js';
import { Config } from '../../src/config/config.js';
import { addDomain, addInState } from '../support/domains.js';
import { startScriptedRegistry } from '../support/registry.js';
import { lifecycleOn } from '../support/lifecycle.js';

const PATH = '/api/v1/status';
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
const DAY = 86_400;
const EMPTY = { waiting: 0, oldest: null, precision: 'exact', ends_at: null };

describe(`GET ${PATH}`, () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await startTestApp();
    setBudgetTime(test.app, new Date());
  });
  afterEach(() => test.close());

  const sample = (stratum: Stratum, outcome: SampleOutcome, wayback: number, at: Date) =>
    new TruthSampleRepository(test.database).add(
      { domain: 'sampled.com.au', wayback, droppedAt: null, offeredSince: at },
      stratum,
      outcome,
      at,
    );

  /** So many samples, evenly over some hours before now. */
  const samples = (
    {
      stratum = 'all',
      droppedDays = null,
      taken = 0,
      of,
    }: {
      stratum?: Stratum;
      droppedDays?: number | null;
      taken?: number;
      of: number;
    },
    { from, to }: { from: number; to: number },
  ) =>
    test.database.query(
      `INSERT INTO truth_sample (domain, stratum, wayback, dropped_at, offered_since, asked_at, outcome)
       SELECT 'sampled.com.au', $1, 20, at - make_interval(secs => $2::float8), at, at,
              CASE WHEN place < $3::int THEN 'taken' ELSE 'free' END
         FROM generate_series(0, $4::int - 1) AS place,
              LATERAL (SELECT $5::timestamptz
                         - make_interval(secs => 3600 * ($6::int + ($7::int - $6::int) * (place + 0.5) / $4::int)) AS at) AS moment`,
      [stratum, droppedDays && droppedDays * DAY, taken, of, new Date(), to, from],
    );

  describe('200', () => {
    it('says null of everything that is not known yet, and 0 only of what was counted', async () => {
      const { body } = await test.caller().get(PATH).expect(200);
      expect(body).toMatchObject({
        ok: true,
        truth: { days: 30, offers: { sampled: 0, taken: 0, unknown: 0, share: null, low: null, high: null } },
        offers: { available: 0, stale: 0, stale_share: null },
        confirmation: { days: 7, confirmed: 0, p50_seconds: null, p95_seconds: null },
        queues: {
          purge: EMPTY,
          confirmation: EMPTY,
          retry: EMPTY,
          recheck: EMPTY,
          unconfirmed: EMPTY,
          drops: EMPTY,
          repeat: EMPTY,
          backlog: EMPTY,
        },
        lists: [],
        registries: [{ source: 'sandbox', breaker: 'closed', canary: 'unknown', canary_at: null }],
        writes_stopped: null,
        rates: { threshold: null },
      });
    });

    it('says how many offers of the last 30 days were false, with their interval', async () => {
      for (let offer = 0; offer < 19; offer += 1) await sample('all', 'free', 20, ago(DAY));
      await sample('all', 'taken', 5_000, ago(DAY));
      await sample('all', 'unknown', 0, ago(DAY));
      await sample('all', 'taken', 20, ago(31 * DAY));
      await sample('top_100', 'free', 90_000, ago(DAY));
      const { truth } = (await test.caller().get(PATH).expect(200)).body;
      expect(truth.offers).toMatchObject({ sampled: 20, taken: 1, unknown: 1, share: 0.05 });
      expect(truth.offers.low).toBeCloseTo(0.0089, 4);
      expect(truth.offers.high).toBeCloseTo(0.2361, 4);
      expect(truth.by_band).toContainEqual(
        expect.objectContaining({ score_from: 1_000, score_to: 9_999, sampled: 1, taken: 1 }),
      );
      expect(truth.by_rank).toEqual([
        expect.objectContaining({ top: 100, sampled: 1, taken: 0, share: 0 }),
        expect.objectContaining({ top: 1_000, sampled: 0, share: null }),
        expect.objectContaining({ top: 10_000, sampled: 0, share: null }),
      ]);
    });

    it('tells what was false lately apart from what was false weeks ago, by age and among the first 100', async () => {
      const [lastDay, weeksBefore] = [
        { from: 24, to: 0 },
        { from: 720, to: 168 },
      ];
      await samples({ of: 100, taken: 1, droppedDays: 3 }, lastDay);
      await samples({ of: 20, taken: 2, droppedDays: 0.5 }, lastDay);
      await samples({ of: 400, taken: 40 }, weeksBefore);
      await samples({ stratum: 'top_100', of: 60, taken: 3 }, lastDay);
      const { truth } = (await test.caller().get(PATH).expect(200)).body;
      const [day, week, month] = truth.windows;
      expect(truth.windows.map(({ hours }: { hours: number }) => hours)).toEqual([24, 168, 720]);
      expect(day).toMatchObject({ sampled_hours: 24, offers: { sampled: 120, taken: 3 } });
      expect(week.offers).toEqual(day.offers);
      expect(month).toMatchObject({ sampled_hours: 576, offers: { sampled: 520, taken: 43 } });
      // Each six hours weigh the same: 24 hours of the day, 552 of the weeks before.
      expect(month.offers.share).toBeCloseTo((24 * day.offers.share + 552 * 0.1) / 576, 2);
      expect(day.offers.share).toBeCloseTo(3 / 120, 2);
      expect(day.offers.low).toBeLessThan(0.01);
      expect(day.offers.high).toBeGreaterThan(0.06);
      const ages = day.by_age.map((one: { age_from_days: number }) => one.age_from_days);
      expect(ages).toEqual([0, 1, 7, 30, 365, null]);
      expect(day.by_age[0]).toMatchObject({ age_to_days: 1, sampled: 20, taken: 2, share: null });
      expect(day.by_age[0].high).toBeGreaterThan(0.3);
      expect(day.by_age[1]).toMatchObject({ age_to_days: 7, sampled: 100, taken: 1 });
      expect(month.by_age[5]).toMatchObject({ sampled: 400, taken: 40 });
      expect(day.by_age[5]).toMatchObject({ sampled: 0, share: null, low: null, high: null });
      expect(day.first_100).toMatchObject({ sampled: 60, taken: 3 });
      expect(day.first_100.share).toBeCloseTo(0.05, 2);
    });

    it('says that more offers are false than in the 30 days before, here, on the page and as a metric', async () => {
      const [lastDay, daysBefore] = [
        { from: 24, to: 0 },
        { from: 744, to: 24 },
      ];
      await samples({ of: 700, taken: 35 }, lastDay);
      await samples({ of: 3_000, taken: 30 }, daysBefore);
      await samples({ stratum: 'top_100', of: 100, taken: 2 }, lastDay);
      await samples({ stratum: 'top_100', of: 900, taken: 9 }, daysBefore);
      const { truth } = (await test.caller().get(PATH).expect(200)).body;
      expect(truth.changes).toEqual([
        {
          ...{ of: 'offers', change: 'rise', chance: expect.any(Number) },
          ...{ day_sampled: 700, day_taken: 35, day_expected: 7, before_sampled: 3_000, before_taken: 30 },
        },
        expect.objectContaining({ of: 'first_100', change: 'none' }),
        expect.objectContaining({ of: 'rechecks', change: 'too_few' }),
      ]);
      expect(truth.changes[0].chance).toBeLessThan(1e-6);
      expect(truth.changes[1].chance).toBeGreaterThan(0.05);
      const page = await test.caller().get('/status').set('Accept', 'text/html').expect(200);
      expect(page.text).toContain(
        'More listed names are taken than usual: 35 of 700 in the last 24 hours, where about 7 were expected.',
      );
      expect(page.text).toContain(
        'Of 700 offers that we re-checked in the last 24 hours, 35 had been taken.',
      );
      expect(page.text).toContain('More names are taken than usual');
      expect(page.text).toContain('too few to tell<br><small>0 sampled');
      const readings = await test.app.get(StatusReadings).read();
      expect(readings).toContainEqual({ gauge: 'false_offers_change', label: 'offers', value: 1 });
      expect(readings).toContainEqual({ gauge: 'false_offers_change', label: 'first_100', value: 0 });
      expect(readings).toContainEqual(
        expect.objectContaining({ gauge: 'false_offers_window_share', label: '24' }),
      );
    });

    it('notices by re-checks that names are taken twice as fast, which the sample is too small for', async () => {
      const stored = new FreshnessRepository(test.database);
      const rechecks = (hoursAgo: number, asked: number, taken: number) =>
        test.database.query(
          `INSERT INTO recheck_hour VALUES (date_trunc('hour', now(), 'UTC') - make_interval(hours => $1), $2, $3, $4)`,
          [hoursAgo, asked, taken, asked / 100],
        );
      for (let day = 1; day <= 20; day += 1) await rechecks(24 * day + 1, 4_000, day % 2 ? 36 : 48);
      await rechecks(1, 4_000, 82);
      await stored.addRecheck(true, 0.01, new Date());
      const { truth } = (await test.caller().get(PATH).expect(200)).body;
      expect(truth.changes[2]).toMatchObject({
        ...{ of: 'rechecks', change: 'rise', before_sampled: 80_000, before_taken: 840 },
        ...{ day_sampled: 4_001, day_taken: 83, day_expected: 42 },
      });
      const page = await test.caller().get('/status').set('Accept', 'text/html').expect(200);
      expect(page.text).toContain(
        'When checked again, more offers are taken than usual: 83 of 4,001 in the last 24 hours, where about 42 were',
      );
      const readings = await test.app.get(StatusReadings).read();
      expect(readings).toContainEqual({ gauge: 'false_offers_change', label: 'rechecks', value: 1 });
    });

    it('calls no few samples a change', async () => {
      await samples({ of: 49, taken: 49 }, { from: 24, to: 0 });
      await samples({ of: 3_000 }, { from: 744, to: 24 });
      const { truth } = (await test.caller().get(PATH).expect(200)).body;
      expect(truth.changes[0]).toMatchObject({ change: 'too_few', chance: null, day_sampled: 49 });
      expect(truth.windows[0].offers).toMatchObject({ sampled: 49, taken: 49, share: null });
      const readings = await test.app.get(StatusReadings).read();
      expect(readings).toContainEqual({ gauge: 'false_offers_change', label: 'offers', value: null });
    });

    it('says how long names waited from their purge until they were confirmed', async () => {
      const purgedAt = ago(2 * DAY);
      for (const [place, seconds] of [60, 120, 600].entries()) {
        const domain = `waited-${place}.com.au`;
        await test.database.query(
          `INSERT INTO domain (domain, name, tld, state, list_kind, purge_at, news_until)
           VALUES ($1, $2, 'com.au', 'purged', 'deleted', $3, $3::timestamptz + interval '7 days')`,
          [domain, `waited-${place}`, purgedAt],
        );
        await lifecycleOn(test.database).observeAnswer(domain, {
          state: 'available',
          source: 'rdap',
          checkedAt: new Date(purgedAt.getTime() + seconds * 1_000),
          registeredAt: null,
        });
      }
      const { confirmation } = (await test.caller().get(PATH).expect(200)).body;
      expect(confirmation).toMatchObject({ confirmed: 3 });
      expect(confirmation.p50_seconds).toBeCloseTo(120, 0);
      expect(confirmation.p95_seconds).toBeCloseTo(552, 0);
    });

    it('says what waits, and since when', async () => {
      const [purge, due] = [ago(3_600), ago(7_200)];
      await test.database.query(
        `INSERT INTO domain (domain, name, tld, state, list_kind, purge_at)
         VALUES ('listed.com.au', 'listed', 'com.au', 'listed', 'deleted', $1),
                ('purged.com.au', 'purged', 'com.au', 'purged', 'deleted', $1)`,
        [purge],
      );
      const offered = await addDomain(test.database);
      await test.database.query('INSERT INTO recheck (domain, ask_at, checked_at) VALUES ($1, $2, $2)', [
        offered,
        due,
      ]);
      const { queues } = (await test.caller().get(PATH).expect(200)).body;
      const one = { waiting: 1, precision: 'exact' };
      expect(queues.purge).toEqual({ ...one, oldest: purge.toISOString(), ends_at: null });
      expect(queues.confirmation).toMatchObject({ ...one, oldest: purge.toISOString() });
      expect(queues.drops).toEqual(queues.confirmation);
      expect(queues.recheck).toMatchObject({ ...one, oldest: due.toISOString() });
      expect(queues.backlog).toEqual(EMPTY);
    });

    describe('when each queue is expected to be empty', () => {
      const waits = async () => {
        await addInState(test.database, [{ domain: 'unconfirmed.com.au', state: 'unconfirmed' }]);
        await test.database.query(
          `INSERT INTO domain (domain, name, tld, state, list_kind, purge_at)
           VALUES ('fresh.com.au', 'fresh', 'com.au', 'purged', 'deleted', $1),
                  ('older.com.au', 'older', 'com.au', 'purged', 'deleted', $2)`,
          [ago(3_600), ago(3 * DAY)],
        );
        return test.caller();
      };
      const sees = async (cursor: object) => {
        const caller = await waits();
        await test.database.query(`INSERT INTO work_kind (kind) VALUES ('questions') ON CONFLICT DO NOTHING`);
        await test.database.query(
          `INSERT INTO work (kind, key, due_at, cursor) VALUES ('questions', '', now() + interval '1 day', $1)
           ON CONFLICT (kind, key) DO UPDATE SET cursor = excluded.cursor`,
          [JSON.stringify(cursor)],
        );
        return (await caller.get(PATH).expect(200)).body;
      };
      const seconds = (as_of: string, end: string) => (Date.parse(end) - Date.parse(as_of)) / 1_000;

      it('is told by the configured pace before one is measured', async () => {
        const { queues, as_of } = (await (await waits()).get(PATH).expect(200)).body;
        expect([queues.drops.waiting, queues.backlog.waiting]).toEqual([1, 2]);
        const pace = test.app.get(Config).registry.ratePerSecond;
        const drops = seconds(as_of, queues.drops.ends_at);
        expect(drops).toBeCloseTo(1.02 / 0.97 / pace, 1);
        expect(seconds(as_of, queues.backlog.ends_at)).toBeCloseTo(drops + 4 / pace, 1);
        expect(queues.unconfirmed.ends_at).toBe(queues.backlog.ends_at);
        expect(queues.confirmation).toMatchObject({ waiting: 2, ends_at: queues.backlog.ends_at });
      });

      /** The count of a job that asks about a name in 100 seconds. */
      const slow = () => {
        const [run_at, hour_at] = [ago(60), ago(1_800)].map((at) => at.toISOString());
        return {
          ...{ moved_at: run_at, run_at, run_asked: 1, is_busy: true, hour_at },
          ...{ asked: 10, busy_s: 1_000, former_asked: 0, former_busy_s: 0 },
        };
      };

      it('is told by the pace of the last hour, also on the status page', async () => {
        const { queues, as_of } = await sees(slow());
        expect(seconds(as_of, queues.drops.ends_at)).toBeCloseTo(1.02 / 0.97 / 0.01, 1);
        const { text } = await test.caller().get('/status').set('Accept', 'text/html').expect(200);
        expect(text).toContain('<dt>Just dropped</dt><dd>1</dd>');
        expect(text).toContain('<dt>First check</dt><dd>2</dd>');
        expect(text).toContain('<dt>Due again</dt><dd>0</dd>');
        expect(text).toMatch(/Clear <time[^>]*>in \d+ min<\/time>/);
      });

      it('is not known in an outage', async () => {
        const { queues } = await sees({ moved_at: ago(7_200).toISOString() });
        expect(queues.drops).toMatchObject({ waiting: 1, ends_at: null });
        expect(queues.backlog).toMatchObject({ waiting: 2, ends_at: null });
      });

      it('is not known while the registry is left alone after failures', async () => {
        await test.database.query(
          `INSERT INTO registry_health (source, address, open_until)
           VALUES ('rdap', 'https://rdap.example/', now() + interval '1 minute')`,
        );
        const { queues } = (await (await waits()).get(PATH).expect(200)).body;
        expect(queues.drops).toMatchObject({ waiting: 1, ends_at: null });
        expect(queues.backlog).toMatchObject({ waiting: 2, ends_at: null });
      });
    });

    it('says which share is not offered for want of an answer', async () => {
      for (let name = 0; name < 4; name += 1) await addDomain(test.database);
      const stale = await addDomain(test.database);
      await test.database.query('INSERT INTO recheck (domain, ask_at, checked_at) VALUES ($1, now(), $2)', [
        stale,
        ago(130 * DAY),
      ]);
      await test.database.query('UPDATE domain SET checked_at = $2 WHERE domain = $1', [
        stale,
        ago(130 * DAY),
      ]);
      await lifecycleOn(test.database).observeStale(new Date(), 10);
      const { offers } = (await test.caller().get(PATH).expect(200)).body;
      expect(offers).toEqual({ available: 4, stale: 1, stale_share: 0.2 });
    });

    it('says that and why no answers are written', async () => {
      await test.database.query(
        `UPDATE lifecycle_guard SET writes_stopped_at = '2026-11-20T03:04:05Z', reason = 'too many flips'`,
      );
      const { writes_stopped } = (await test.caller().get(PATH).expect(200)).body;
      expect(writes_stopped).toEqual({ at: '2026-11-20T03:04:05.000Z', reason: 'too many flips' });
    });

    it('publishes the table of rates: what is believed, and on what evidence', async () => {
      await new FreshnessRepository(test.database).addEvidence(
        [{ cell: 0, exposureDays: 90, taken: 9 }],
        new Date(),
      );
      await test.database.query(
        'INSERT INTO freshness_threshold (steady, current, adjusted_at) VALUES (0.04, 0.05, now())',
      );
      const { rates } = (await test.caller().get(PATH).expect(200)).body;
      expect(rates.threshold).toBe(0.05);
      expect(rates.cells).toHaveLength(126);
      const [first, second] = rates.cells;
      expect(first).toMatchObject({ age_from_days: 0, age_to_days: 1, score_from: 10_000, score_to: null });
      expect(first).toMatchObject({ exposure_days: 90, taken: 9 });
      expect(first.rate_per_day).toBeGreaterThan(first.prior_per_day);
      expect(first.low_per_day).toBeLessThan(first.rate_per_day);
      expect(first.high_per_day).toBeGreaterThan(first.rate_per_day);
      expect(second).toMatchObject({ exposure_days: 0, rate_per_day: second.prior_per_day });
      expect(rates.cells.at(-1)).toMatchObject({ age_from_days: 1_024, age_to_days: null, score_from: 0 });
    });

    it('draws the rates as a chart, with its figures as text', async () => {
      await new FreshnessRepository(test.database).addEvidence(
        [{ cell: 0, exposureDays: 90, taken: 9 }],
        new Date(),
      );
      const caller = test.caller();
      const { body, headers } = await caller.get(`${PATH}/rates.svg`).expect(200);
      const text = String(body);
      expect(headers['content-type']).toBe('image/svg+xml; charset=utf-8');
      expect(headers['cache-control']).toBe('public, max-age=60');
      expect(text).toMatch(/^<svg [^>]*role="img" aria-labelledby="title description">/);
      expect(text).toMatch(
        /<desc id="description">Score 10,000 or more: [\d.]+% \([\d.]+% to [\d.]+%\) on the first day,/,
      );
      expect(text).toContain('9 taken in 90 days');
      expect(text).toMatch(/As of [-\d]{10} \d\d:\d\d AEST/);
      expect(text.match(/nothing seen yet<\/text>/g)).toHaveLength(5);
      expect(text.match(/class="(interval|prior|believed)" d="M/g)).toHaveLength(3 * 6 + 2);
      expect(text.match(/<circle class="seen"/g)).toHaveLength(1 + 1);
      expect(text).not.toMatch(/NaN|undefined|Infinity/);
      await caller.get(`${PATH}/rates.svg`).set('If-None-Match', String(headers.etag)).expect(304);
      const refused = await caller.get(`${PATH}/rates.svg?band=1`).expect(400);
      expect(refused.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(refused.body.error.code).toBe('invalid_parameter');
    });

    it('is gathered once a minute, may be kept for as long, and costs nothing', async () => {
      const caller = test.caller();
      const first = await caller.get(PATH).expect(200);
      await addDomain(test.database);
      const second = await caller.get(PATH).expect(200);
      expect(second.body).toEqual(first.body);
      expect(first.headers['cache-control']).toBe('public, max-age=60');
      await caller.get(PATH).set('If-None-Match', String(first.headers.etag)).expect(304);
      const { body } = await caller.get('/v1/suggest').expect(200);
      expect(body.rate.remaining).toBe(5 - body.count);
    });
  });

  describe('400', () => {
    it('refuses a parameter that it does not know', async () => {
      const { body } = await test.caller().get(`${PATH}?days=3`).expect(400);
      expect(body.error.code).toBe('invalid_parameter');
    });
  });
});

describe('how the upstreams are doing', () => {
  it('says of a list when it was last imported, and what came of the last look', async () => {
    const test = await startTestApp({
      LIST_DELETED_URLS: 'http://127.0.0.1:1/deleted.csv',
      LIST_EXPIRED_URLS: 'http://127.0.0.1:1/expired.csv',
    });
    await test.database.query(
      `INSERT INTO list_fetch (address, kind, started_at, finished_at, outcome, detail)
       VALUES ('http://127.0.0.1:1/deleted.csv', 'deleted', $1, $1, 'imported', NULL),
              ('http://127.0.0.1:1/deleted.csv', 'deleted', $2, $2, 'alarm', 'half of it is gone')`,
      [ago(7_200), ago(3_600)],
    );
    const { lists } = (await test.caller().get(PATH).expect(200)).body;
    expect(lists).toEqual([
      {
        kind: 'deleted',
        last_imported_at: expect.any(String),
        age_seconds: expect.any(Number),
        last_asked_at: expect.any(String),
        last_outcome: 'alarm',
      },
      { kind: 'expired', last_imported_at: null, age_seconds: null, last_asked_at: null, last_outcome: null },
    ]);
    expect(lists[0].age_seconds).toBeGreaterThanOrEqual(7_200);
    expect(lists[0].age_seconds).toBeLessThan(7_500);
    expect(JSON.stringify(lists)).not.toContain('127.0.0.1');
    await test.close();
  });

  it('says how the registry is doing, and when it was last seen well', async () => {
    const registry = await startScriptedRegistry();
    const test = await startTestApp({ REGISTRY_RDAP_URL: registry.url, REGISTRY_SOURCE: 'sandbox' });
    await test.caller().get('/v1/domains/check?domain=coffeecart.com.au').expect(200);
    await test.database.query(
      `UPDATE registry_health SET canary = 'failed', canary_at = '2026-11-20T03:04:05Z'`,
    );
    await test.database.query(
      `INSERT INTO registry_pause (source, until) VALUES ('sandbox', '2199-01-01T00:00:00Z')`,
    );
    const { registries } = (await test.caller().get(PATH).expect(200)).body;
    expect(registries).toEqual([
      {
        source: 'sandbox',
        breaker: 'closed',
        paused_until: '2199-01-01T00:00:00.000Z',
        canary: 'failed',
        canary_at: '2026-11-20T03:04:05.000Z',
        last_answered_at: expect.any(String),
      },
    ]);
    await test.close();
    await registry.close();
  });

  it('says how the archive is doing, and how many names wait for it', async () => {
    const test = await startTestApp({ ARCHIVE_CDX_URL: 'http://127.0.0.1:1/cdx' });
    await addDomain(test.database);
    const { archive, queues, as_of } = (await test.caller().get(PATH).expect(200)).body;
    expect(archive).toEqual({
      source: 'archive',
      resting_until: null,
      failures_in_row: 0,
      last_answered_at: null,
    });
    expect(queues.archive).toEqual({
      waiting: 1,
      oldest: null,
      precision: 'exact',
      ends_at: expect.any(String),
    });
    // One of 20 a minute.
    expect(Date.parse(queues.archive.ends_at) - Date.parse(as_of)).toBe(3_000);
    await test.close();
  });

  it('says null of an archive that nobody asks', async () => {
    const test = await startTestApp({ ARCHIVE_CDX_URL: 'off' });
    const { archive, queues } = (await test.caller().get(PATH).expect(200)).body;
    expect(archive.source).toBeNull();
    expect(queues.archive).toEqual({ waiting: null, oldest: null, precision: null, ends_at: null });
    await test.close();
  });
});
