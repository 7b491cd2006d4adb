import fc from 'fast-check';
import { isSqlState, LOCK_NOT_AVAILABLE } from '../../src/errors/database-failure.js';
import { CubeCheck } from '../../src/domains/search/cube/cube.repository.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { countByHand, readCube } from '../support/cube-oracle.js';
import { addDomain, addDomains } from '../support/domains.js';
import { importText } from '../support/import.js';
import { startJobs, stateOf } from '../support/jobs.js';
import { lifecycleOn } from '../support/lifecycle.js';
import { runs } from '../support/runs.js';

const LIMIT_MS = 60_000;
const ONE_RUN = { kind: 'cube-check', key: '', cursor: null, failures: 0, isSlow: false };

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.close());

// Of few cells, so that names meet in them, and on both sides of months and bands.
const NAMES = ['reef.au', 'surf.com.au', 'x-9.org.au', 'x-1.org.au', 'a1b.net.au', 'c-d.id.au', 'wave.au'];
const anyName = fc.constantFrom(...NAMES);
const anyScore = fc.constantFrom(0, 1, 9, 10, 99, 100, 999, 1_000, 10_000);
const anyDay = fc.constantFrom('2026-09-30', '2026-10-01', '2026-10-31');
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 });
const anyTime = fc
  .integer({ min: 0, max: 60 })
  .map((day) => new Date(Date.parse('2026-11-01T00:00:00Z') + day * 86_400_000));

const anyRow = fc.record({
  domain: anyName,
  wayback: maybe(anyScore),
  day: maybe(anyDay),
  hidden: fc.constantFrom('', '', 'true', 'false'),
});
const anyAnswer = fc.record({
  kind: fc.constant('answer' as const),
  domain: anyName,
  state: fc.constantFrom('available', 'available', 'registered', 'pending_delete'),
  at: anyTime,
});
const anyNewScore = fc.record({
  kind: fc.constant('score' as const),
  domain: anyName,
  wayback: maybe(anyScore),
});
const anyStep = fc.oneof(
  fc.record({
    kind: fc.constantFrom('vouched' as const, 'named' as const, 'scores' as const),
    rows: fc.array(anyRow, { minLength: 1, maxLength: 8 }),
    at: anyTime,
    batchRows: fc.constantFrom(1, 3, 500),
  }),
  fc.record({
    kind: fc.constant('list' as const),
    rows: fc.array(anyRow, { minLength: 1, maxLength: 4 }),
    at: anyTime,
  }),
  anyAnswer,
  anyNewScore,
  fc.record({
    kind: fc.constant('together' as const),
    steps: fc.array(fc.oneof(anyAnswer, anyNewScore), { maxLength: 6 }),
  }),
  fc.record({ kind: fc.constantFrom('purges' as const, 'stale' as const), at: anyTime }),
);
type Step = typeof anyStep extends fc.Arbitrary<infer Found> ? Found : never;

class History {
  private readonly lifecycle = lifecycleOn(test.database, {
    OFFER_MAX_AGE_DAYS: '20',
    REGISTRY_SECOND_ANSWER_MINUTES: '0',
    REGISTRY_MAX_FLIPS_PER_HOUR: '1000000',
  });

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'vouched':
      case 'named':
      case 'scores':
        return this.importFile(step);
      case 'list': {
        const lines = step.rows.map(({ domain, day }) => `${day ?? '2026-11-01'},01:00:00,${domain}\n`);
        await importText(test.database, `Date,Eligible Purge Time,Domain Name\n${lines.join('')}`, {
          now: step.at,
        });
        return;
      }
      case 'together':
        await Promise.all(step.steps.map((one) => this.take(one).catch(ignoreLocked)));
        return;
      case 'answer': {
        const { domain, state, at } = step;
        await this.lifecycle.observeAnswer(domain, {
          state,
          source: 'rdap',
          checkedAt: at,
          registeredAt: null,
        });
        return;
      }
      case 'score':
        return this.lifecycle.observeScore(step.domain, {
          status: 'ok',
          wayback: step.wayback,
          firstCapture: null,
          lastCapture: null,
          captures: null,
        });
      case 'purges':
        await this.lifecycle.observePurges(step.at, 100);
        return;
      case 'stale':
        await this.lifecycle.scheduleRechecks('', 100);
        await this.lifecycle.observeStale(step.at, 3);
        return;
      default:
        return step satisfies never;
    }
  }

  private async importFile({
    kind,
    rows,
    at,
    batchRows,
  }: Extract<Step, { batchRows: number }>): Promise<void> {
    const names =
      kind === 'scores'
        ? `domain,wayback,hidden\n${rows.map(({ domain, wayback, hidden }) => `${domain},${wayback ?? ''},${hidden}\n`).join('')}`
        : `domain,wayback,first_seen,hidden\n${rows.map(({ domain, wayback, day, hidden }) => `${domain},${wayback ?? ''},${day ?? ''},${hidden}\n`).join('')}`;
    await importText(test.database, names, {
      now: at,
      ...(kind === 'vouched' && { vouch: { by: 'test', at } }),
      batchRows,
    });
  }
}

function ignoreLocked(error: unknown): void {
  if (!isSqlState(error, LOCK_NOT_AVAILABLE)) throw error;
}

async function empty(): Promise<void> {
  await test.database.query('TRUNCATE domain, domain_cube, domain_event, registry_answer, recheck');
  await test.database.query(
    'UPDATE dataset SET available_records = 0, last_event = 0, last_event_at = NULL, refreshed = NULL',
  );
}

const offered = (domain: string) => ({
  domain,
  wayback: 5,
  first_seen: '2026-11-01',
  available: true,
  hidden: false,
});

describe('the cube of counts', () => {
  it('counts what the table has, whatever has happened to it', async () => {
    let most = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 12 }), async (steps) => {
        await empty();
        // Whatever the history draws, there are names on offer in several cells, each in a month and in the sum of all.
        await addDomains(
          test.database,
          ['begun.com.au', 'be-gun.net.au', 'begun1.org.au', 'be.id.au'].map(offered),
        );
        const history = new History();
        for (const step of steps) {
          await history.take(step);
          const cells = await readCube(test.database);
          expect({ step, cells }).toEqual({ step, cells: await countByHand(test.database) });
          most = Math.max(most, cells.length);
        }
        expect(await new CubeCheck(test.database).findDrift(LIMIT_MS)).toBeNull();
      }),
      { numRuns: runs(12) },
    );
    expect(most).toBeGreaterThanOrEqual(8);
  });

  it('is compared with the table at night, and counted anew where it is wrong', async () => {
    await empty();
    for (const domain of ['one.com.au', 'two.com.au', 'three.com.au'])
      await addDomain(test.database, { domain });
    await test.database.query(`UPDATE domain SET hidden = true WHERE domain = 'two.com.au'`);
    await test.database.query(`UPDATE domain SET wayback = 10 WHERE domain = 'three.com.au'`);
    const check = new CubeCheck(test.database);
    // Two cells less one name, and one name between two cells; and the sums of each.
    expect(await check.findDrift(LIMIT_MS)).toEqual({ cells: 6, names: 6 });
    const jobs = await startJobs(test.url);
    try {
      const now = new Date('2026-11-20T17:00:00Z');
      await jobs.job('cube-check').run(ONE_RUN, now, new AbortController().signal, () => undefined);
      expect(await check.findDrift(LIMIT_MS)).toBeNull();
      expect(await readCube(test.database)).toEqual(await countByHand(test.database));
      await jobs.runAll(now);
      expect((await stateOf(test.database, 'cube-check'))?.nextDue).toEqual(new Date('2026-11-21T16:00:00Z'));
    } finally {
      await jobs.close();
    }
  });
});
