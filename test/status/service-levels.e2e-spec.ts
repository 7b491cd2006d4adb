import { BUCKETS, bucketOf } from '../../src/observe/objectives.js';
import { RequestCounts } from '../../src/observe/request-counts.js';
import type { ServiceLevelDto } from '../../src/observe/service-levels.module.js';
import { ServiceMinuteRepository } from '../../src/observe/service-minute.repository.js';
import { Clock } from '../../src/db/database.js';
import { dayInPurgeZone } from '../../src/domains/schema/calendar-date.js';
import { ServiceDaysReader } from '../../src/web/facts/service-days.js';
import { addKey, WITH_EXPORTS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDomain, settle } from '../support/domains.js';

const PATH = '/api/v1/status/report';
// Older minutes are deleted, so it is the last whole month.
const TODAY = new Date();
const BEGIN = Date.UTC(TODAY.getUTCFullYear(), TODAY.getUTCMonth() - 1);
const MONTH = new Date(BEGIN).toISOString().slice(0, 7);
const MINUTES = (Date.UTC(TODAY.getUTCFullYear(), TODAY.getUTCMonth()) - BEGIN) / 60_000;
/** Minutes from the first that was counted. */
const COUNTED = MINUTES - 100;

let test: TestApp;
let bearer: string;
beforeAll(async () => {
  test = await startTestApp(WITH_EXPORTS);
  ({ bearer } = await addKey(test.database, { tier: 'firehose' }));
});
afterAll(() => test.close());

const minuteAt = (minutes: number) => new Date(BEGIN + minutes * 60_000);

async function reportOf(month: string): Promise<Record<string, ServiceLevelDto>> {
  const { body } = await test.caller().get(`${PATH}?month=${month}`).set('Authorization', bearer).expect(200);
  return Object.fromEntries(body.objectives.map((one: ServiceLevelDto) => [one.indicator, one]));
}

describe('requests', () => {
  it('are counted by door and operation, and added to the minute of all instances', async () => {
    const counts = test.app.get(RequestCounts);
    await counts.write();
    await test.database.query('DELETE FROM service_minute');
    for (let asked = 0; asked < 3; asked += 1) {
      await test.caller().get('/v1/suggest').expect(200);
      await test.caller().get('/livez').expect(200);
      await test.caller().get('/v1/domains/check?domain=nonsense').expect(400);
      await counts.write();
    }
    const rows = await test.database.query(
      `SELECT subject, sum(requests)::int AS requests, sum(failures)::int AS failures,
              sum((SELECT sum(n) FROM unnest(durations) AS n))::int AS timed
         FROM service_minute GROUP BY subject ORDER BY subject`,
    );
    expect(rows).toEqual([
      { subject: 'door:v1', requests: 6, failures: 0, timed: null },
      { subject: 'instance', requests: 0, failures: 0, timed: null },
      { subject: 'operation:check', requests: 3, failures: 0, timed: 3 },
      { subject: 'operation:suggest', requests: 3, failures: 0, timed: 3 },
    ]);
  });

  it('that fail for a fault of ours are counted as such', async () => {
    await test.database.query('DELETE FROM service_minute');
    await test.database.query('ALTER TABLE dataset RENAME TO away');
    await test.caller().get('/v1/stats').expect(500);
    await test.database.query('ALTER TABLE away RENAME TO dataset');
    await test.app.get(RequestCounts).write();
    const rows = await test.database.query(
      `SELECT requests, failures FROM service_minute WHERE subject = 'door:v1'`,
    );
    expect(rows).toEqual([{ requests: 1, failures: 1 }]);
  });
});

describe(`GET ${PATH} of a service that has only just begun`, () => {
  it.each([
    ['has counted nothing', []],
    ['has counted in this minute', [new Date()]],
  ])('says that nothing is measured where it %s', async (_, minutes) => {
    await test.database.query('DELETE FROM service_minute');
    await new ServiceMinuteRepository(test.database).add(
      minutes.map((minute) => ({ minute, subject: 'instance', requests: 0, failures: 0, durations: [] })),
    );
    const levels = await reportOf(new Date().toISOString().slice(0, 7));
    const nothing = { observations: 0, measured: null, met: null, error_budget_left: null };
    expect(levels['availability.v1']).toMatchObject(nothing);
  });
});

describe(`GET ${PATH}`, () => {
  beforeAll(async () => {
    const durations = Array.from({ length: BUCKETS }, () => 0);
    durations[bucketOf(10)] = 995;
    durations[bucketOf(400)] = 5;
    const count = (at: number, subject: string, requests: number, failures: number, took: number[] = []) => ({
      minute: minuteAt(at),
      subject,
      requests,
      failures,
      durations: took,
    });
    // From the first minute that was ever counted nobody was there in 10 of COUNTED.
    const present = Array.from({ length: COUNTED - 10 }, (_, place) => count(100 + place, 'instance', 0, 0));
    await new ServiceMinuteRepository(test.database).add([
      ...present,
      count(200, 'door:v1', 100, 6),
      count(201, 'door:v1', 100, 5),
      count(202, 'operation:suggest', 1_000, 0, durations),
    ]);
  });

  it('200: says what was promised, what was measured, and what is left of the error budget', async () => {
    const levels = await reportOf(MONTH);
    const share = (COUNTED - 11) / COUNTED;
    expect(levels['availability.v1']).toMatchObject({ target: 0.999, observations: COUNTED, met: true });
    expect(levels['availability.v1']?.measured).toBeCloseTo(share, 10);
    expect(levels['availability.v1']?.error_budget_left).toBeCloseTo(1 - 11 / (COUNTED / 1_000), 6);
    expect(levels['availability.mcp']?.measured).toBeCloseTo((COUNTED - 10) / COUNTED, 10);
    expect(levels['latency.suggest']).toMatchObject({
      threshold: 300,
      unit: 'ms',
      observations: 1_000,
      measured: 0.995,
      met: true,
      p50: 10,
      p95: 10,
      p99: 10,
    });
    expect(levels['latency.suggest']?.error_budget_left).toBeCloseTo(0.5, 6);
    expect(levels['latency.check']).toMatchObject({ observations: 0, measured: null, met: null, p99: null });
    expect(levels['delay.feed']).toMatchObject({ observations: 0, measured: null });
  });

  it('200: says how long events took from purge to feed, to webhook and to diff', async () => {
    const now = new Date();
    const month = now.toISOString().slice(0, 7);
    const at = new Date(Math.max(Date.parse(`${month}-01T00:00:00Z`), now.getTime() - 600_000));
    const domain = await addDomain(test.database, { available: false });
    await settle(test.database, domain, true, at);
    await test.database.query(`UPDATE domain SET purge_at = $2 WHERE domain = $1`, [
      domain,
      new Date(at.getTime() - 1_000),
    ]);
    const event = '(SELECT max(number) FROM domain_event)';
    const later = `(SELECT occurred_at + interval '30 s' FROM domain_event ORDER BY number DESC LIMIT 1)`;
    await test.database.query(
      `INSERT INTO webhook_delivery (webhook_id, type, events, status, attempted_at)
       VALUES (gen_random_uuid(), 'domain.event', ARRAY[${event}], 'delivered', ${later})`,
    );
    await test.database.query(
      `INSERT INTO export (id, kind, made_at, schema_version, base, first_event, last_event, rows, files, finished_at)
       VALUES ('diff-20261122T050000Z', 'diff', now(), 1, 'snapshot', 1, ${event}, 0, '[]', ${later})`,
    );
    const levels = await reportOf(month);
    for (const [delay, most] of [
      ['delay.feed', 10],
      ['delay.webhook', 31],
      ['delay.diff', 31],
    ] as const) {
      expect(levels[delay]).toMatchObject({ unit: 's', observations: 1, measured: 1, met: true });
      expect(levels[delay]?.p95).toBeLessThanOrEqual(most);
    }
  });

  it('200: the same as CSV, and the last 30 days in the status, for everybody', async () => {
    const { text, headers } = await test
      .caller()
      .get(`${PATH}.csv?month=${MONTH}`)
      .set('Authorization', bearer)
      .expect(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    const [names, ...lines] = text.trim().split('\n');
    expect(names).toBe(
      'month,indicator,target,threshold,unit,observations,measured,met,error_budget_left,p50,p95,p99',
    );
    expect(lines).toContain(`${MONTH},latency.suggest,0.99,300,ms,1000,0.995,true,0.5,10,10,10`);
    const { body } = await test.caller().get('/api/v1/status').expect(200);
    expect(body.service_levels.days).toBe(30);
    expect(body.service_levels.objectives.map((one: ServiceLevelDto) => one.indicator)).toEqual(
      lines.map((line) => line.split(',')[1]),
    );
    const { measured } = body.service_levels.objectives.find(
      ({ indicator }: ServiceLevelDto) => indicator === 'availability.pages',
    ) as ServiceLevelDto;
    const page = await test.caller().get('/status').set('Accept', 'text/html').expect(200);
    expect(Number(measured)).toBeGreaterThan(0);
    expect(page.text).toMatch(/<p class="big">[\d.]+%<\/p><p>of the minutes of the last \d+ days/);
  });

  it('400, 401, 403: refuses what is no month, and tiers without exports', async () => {
    await test.caller().get(`${PATH}?month=2026-13`).set('Authorization', bearer).expect(400);
    await test.caller().get(PATH).expect(401);
    const pro = await addKey(test.database, { tier: 'pro' });
    await test.caller().get(PATH).set('Authorization', pro.bearer).expect(403);
  });
});

describe('the last 90 days of the status page', () => {
  it('are those that were counted: whole, with an outage, and before the first not measured', async () => {
    const now = new Date();
    const day = (back: number) => dayInPurgeZone(now, -back);
    const minutesOf = (back: number, from: number, to: number) =>
      Array.from(
        { length: to - from },
        (_, place) => new Date(Date.parse(`${day(back)}T00:00:00+10:00`) + (from + place) * 60_000),
      );
    const counted = [
      // The first minute ever is in the middle of a day.
      ...minutesOf(4, 720, 1_440),
      // Nobody was there on the third day back.
      ...minutesOf(2, 0, 1_440),
      ...minutesOf(1, 0, 1_430),
    ];
    await test.database.query('DELETE FROM service_minute');
    const add = (minutes: readonly Date[], subject: string, failures: number) =>
      test.app
        .get(ServiceMinuteRepository)
        .add(minutes.map((minute) => ({ minute, subject, requests: 10, failures, durations: [] })));
    await add(counted, 'instance', 0);
    await add(minutesOf(2, 0, 72), 'door:pages', 5);
    const reader = new ServiceDaysReader(test.app.get(ServiceMinuteRepository), test.app.get(Clock));
    const { days, measuredDays } = await reader.read();
    expect(days).toHaveLength(90);
    const byDay = Object.fromEntries(days.map((one) => [one.day, one.good]));
    expect([5, 4, 3, 2].map((back) => byDay[day(back)])).toEqual([null, 1, 0, 0.95]);
    expect(byDay[day(1)]).toBeCloseTo(1_430 / 1_440);
    expect(measuredDays).toBe(5);
  });
});
