import { Logger } from '@nestjs/common';
import { ApiError } from '../../src/errors/api-error.js';
import { cancellable, fenced, RequestReads } from '../../src/db/scope.js';
import { TurnRepository } from '../../src/registry/turn.repository.js';
import {
  freshName,
  startAvailabilityService,
  openRegistryStage,
  type RegistryStage,
  waitingForTurn,
} from '../support/registry.js';
import { addDomain } from '../support/domains.js';
import { until } from '../support/processes.js';
import { LOST_FENCE } from '../support/lost-fence.js';

const RDAP = { source: 'rdap', address: 'https://rdap.example/' } as const;

let test: RegistryStage;
beforeAll(async () => {
  test = await openRegistryStage();
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.database.query(`UPDATE registry_pace SET full_at = now() - interval '1 day', line = '{}'`);
  await test.database.query('DELETE FROM registry_pause');
});

describe('the pace', () => {
  it('hands each turn out once, whoever asks at the same time on whichever instance', async () => {
    const instances = [new TurnRepository(test.database), new TurnRepository(test.database)];
    const pace = { ratePerSecond: 0.1, burst: 2, maxWaitMs: 60_000 };
    const now = new Date();
    // A turn every 10 s, two at once, and nobody waits longer than 60 s: two have theirs, six wait, and the rest is sent away.
    const turns = await Promise.all(
      Array.from({ length: 20 }, async (_, place) =>
        instances[place % 2]?.takeTurn(RDAP, pace, () => ({
          wish: { id: String(place), by: 'service', maxWaitMs: pace.maxWaitMs },
          now,
        })),
      ),
    );
    const inTens = (wanted: (turn: (typeof turns)[number]) => boolean | undefined) =>
      turns
        .filter(wanted)
        .map((turn) => Math.round((turn?.waitMs ?? 0) / 10_000))
        .sort();
    expect(inTens((turn) => turn?.granted)).toEqual([0, 0]);
    expect(inTens((turn) => typeof turn?.retryMs === 'number')).toEqual([1, 2, 3, 4, 5, 6]);
    expect(inTens((turn) => turn?.granted === false && turn.retryMs === null)).toEqual(Array(12).fill(7));
    expect(await waitingForTurn(test.database)).toBe(6);
  });

  it('looks at the clock when a turn is drawn, however long others of the instance are in front', async () => {
    const turns = new TurnRepository(test.database);
    const pace = { ratePerSecond: 10, burst: 5, maxWaitMs: 60_000 };
    const drawn: string[] = [];
    const take = (id: string) =>
      turns.takeTurn(RDAP, pace, () => {
        drawn.push(id);
        return { wish: { id, by: 'service', maxWaitMs: pace.maxWaitMs }, now: new Date() };
      });
    const both = await test.database.transaction(async (transaction) => {
      await transaction.query('SELECT FROM registry_pace FOR UPDATE');
      const taken = [take('first'), take('second')];
      await until('the first one waits for the row', async () => {
        const rows = await test.database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });
      expect(drawn).toEqual(['first']);
      return taken;
    });
    await Promise.all(both);
    expect(drawn).toEqual(['first', 'second']);
  });

  it('refuses a caller without time left at its turn to draw, and asks the database nothing for it', async () => {
    const turns = new TurnRepository(test.database);
    const pace = { ratePerSecond: 10, burst: 5, maxWaitMs: 5_000 };
    const late = { id: 'late', by: 'service', maxWaitMs: -1 } as const;
    await test.database.transaction(async (transaction) => {
      await transaction.query('LOCK TABLE registry_pace IN ACCESS EXCLUSIVE MODE');
      expect(await turns.takeTurn(RDAP, pace, () => ({ wish: late, now: new Date() }))).toMatchObject({
        granted: false,
        waitMs: 5_000,
        retryMs: null,
      });
    });
  });

  it('lets nobody fail with one in front whose run lost its lease, or who hung up', async () => {
    const turns = new TurnRepository(test.database);
    const pace = { ratePerSecond: 10, burst: 5, maxWaitMs: 60_000 };
    const take = (id: string) =>
      turns.takeTurn(RDAP, pace, () => ({
        wish: { id, by: 'service', maxWaitMs: pace.maxWaitMs },
        now: new Date(),
      }));
    const lost = fenced(LOST_FENCE, () => take('lost'));
    const request = new RequestReads(performance.now() + 600_000);
    request.end(true);
    const gone = cancellable(request, () => take('gone'));
    const behind = take('behind');
    await Promise.all([
      expect(lost).rejects.toThrow('the work has gone to another process'),
      expect(gone).rejects.toThrow('hung up'),
      expect(behind).resolves.toMatchObject({ granted: true }),
    ]);
  });

  it('keeps a fifth of the turns for the queues while callers of another instance want them all', async () => {
    const [callers, jobs] = [new TurnRepository(test.database), new TurnRepository(test.database)];
    const pace = { ratePerSecond: 0.5, burst: 3, maxWaitMs: 60_000 };
    const by = { id: 'account:flood', tier: { keyRequired: true } };
    const begin = Date.now();
    const given = { callers: 0, queues: 0 };
    let places = ['first', 'second', 'third'];
    let dueAt = begin;
    for (let at = begin; at < begin + 120_000; at += 1_000) {
      const now = new Date(at);
      for (const id of places) {
        const wish = { id, by, maxWaitMs: pace.maxWaitMs };
        const { granted } = await callers.takeTurn(RDAP, pace, () => ({ wish, now }));
        if (!granted) continue;
        given.callers += 1;
        places = places.map((place) => (place === id ? `${id} again` : place));
      }
      if (dueAt > at) continue;
      const wish = { id: 'queues', by: 'queues', maxWaitMs: 0 } as const;
      const { granted, waitMs } = await jobs.takeTurn(RDAP, pace, () => ({ wish, now }));
      if (granted) given.queues += 1;
      dueAt = at + waitMs;
    }
    // Sixty turns, and three in the bucket.
    expect(given.queues).toBeGreaterThanOrEqual(10);
    expect(given.queues).toBeLessThanOrEqual(13);
    expect(given.callers + given.queues).toBeGreaterThanOrEqual(60);
  });

  it('is one pace for two instances', async () => {
    const pace = { REGISTRY_RATE_PER_SECOND: '10', REGISTRY_BURST: '2' };
    const instances = [test.instance(pace), test.instance(pace)];
    const asked = test.rdap.asked.length;
    const began = performance.now();
    await Promise.all(
      [0, 1, 2, 3, 4, 5, 6, 7].map((turn) => instances[turn % 2]?.registry.lookUp(freshName())),
    );
    const times = test.rdap.askedAtMs.slice(asked).map((time) => time - began);
    expect(times).toHaveLength(8);
    // Two at once, then one every 100 ms: a question can be late, but the n-th is never early.
    times.forEach((time, place) => expect(time).toBeGreaterThanOrEqual(Math.max(0, place - 1) * 100 - 5));
  });

  it('has a name asked about once, though two instances were given turns for it', async () => {
    const pace = { REGISTRY_RATE_PER_SECOND: '0.5', REGISTRY_BURST: '1' };
    const domain = freshName();
    let answer = (): void => undefined;
    test.rdap.reply((_request, response) => {
      answer = () =>
        void response.writeHead(404, { 'Content-Type': 'application/rdap+json' }).end('{"errorCode":404}');
    }, domain.domain);
    const asked = test.rdap.asked.length;
    const first = test.instance(pace).registry.lookUp(domain);
    await test.rdap.received(asked + 1);
    const second = test.instance(pace).registry.lookUp(domain);
    await until('the second waits for its turn', async () => (await waitingForTurn(test.database)) > 0);
    answer();
    expect(await first).toMatchObject({ state: 'available', cached: false });
    expect(await second).toEqual({ ...(await first), cached: true });
    expect(test.rdap.asked.slice(asked)).toEqual([domain.domain]);
  });

  it('has a name asked about anew by who asks afresh, also when the turn was waited for', async () => {
    const { registry } = test.instance({ REGISTRY_RATE_PER_SECOND: '5', REGISTRY_BURST: '1' });
    const domain = freshName();
    const asked = test.rdap.asked.length;
    await registry.lookUp(domain);
    expect(await registry.lookUp(domain, { afresh: true })).toMatchObject({ cached: false });
    expect(test.rdap.asked.slice(asked)).toEqual([domain.domain, domain.domain]);
  });

  it('refuses what would wait too long, and says truly when to return', async () => {
    const { registry } = test.instance({
      REGISTRY_RATE_PER_SECOND: '0.01',
      REGISTRY_BURST: '1',
      REGISTRY_MAX_WAIT_MS: '0',
    });
    await registry.lookUp(freshName());
    const asked = test.rdap.asked.length;
    await expect(registry.lookUp(freshName())).rejects.toMatchObject({
      code: 'registry_unavailable',
      headers: { 'Retry-After': expect.stringMatching(/^(100|9\d)$/) },
    });
    expect(test.rdap.asked).toHaveLength(asked);
    await test.database.query(`UPDATE registry_pace SET full_at = full_at - interval '100 s'`);
    expect(await registry.lookUp(freshName())).toMatchObject({ state: 'available' });
  });

  it('recovers when the row lies further ahead than it can', async () => {
    await test.database.query(`UPDATE registry_pace SET full_at = now() + interval '10 years'`);
    const { registry } = test.instance({
      REGISTRY_RATE_PER_SECOND: '100',
      REGISTRY_BURST: '1',
      REGISTRY_MAX_WAIT_MS: '50',
    });
    expect(await registry.lookUp(freshName())).toMatchObject({ state: 'available' });
  });
});

describe('a job', () => {
  const paced = (burst: string) =>
    test.instance({ REGISTRY_RATE_PER_SECOND: '0.01', REGISTRY_BURST: burst, REGISTRY_MAX_WAIT_MS: '0' })
      .registry;

  it('takes a turn that it does not have to wait for, and leaves one for a caller', async () => {
    const registry = paced('2');
    const begunAt = performance.now();
    expect(await registry.askInBackground(freshName())).toMatchObject({
      answered: true,
      answer: { state: 'available', cached: false },
      outcome: { known: false },
    });
    const asked = test.rdap.asked.length;
    const refused = await registry.askInBackground(freshName());
    expect(refused).toMatchObject({ answered: false, reason: 'no_turn' });
    // The turn that the first one took comes back after 100 s, and not before.
    const { retryAfterSeconds } = refused as { retryAfterSeconds: number };
    expect(retryAfterSeconds).toBeLessThan(100);
    expect(retryAfterSeconds).toBeGreaterThan(99 - (performance.now() - begunAt) / 1_000);
    expect(Number.isInteger(retryAfterSeconds)).toBe(false);
    expect(test.rdap.asked).toHaveLength(asked);
    expect(await registry.lookUp(freshName())).toMatchObject({ state: 'available' });
  });

  it('takes the one turn that the bucket holds, and callers wait for one', async () => {
    const registry = paced('1');
    expect(await registry.askInBackground(freshName())).toMatchObject({ answered: true });
    expect(await registry.askInBackground(freshName())).toMatchObject({ reason: 'no_turn' });
    const left = await registry.lookUp(freshName()).catch((error: ApiError) => error.retryAfterSeconds);
    expect(left).toBeLessThanOrEqual(100);
  });

  it('that gives up takes no caller with it', async () => {
    const registry = paced('2');
    await registry.askInBackground(freshName());
    const domain = freshName();
    const [job, caller] = await Promise.all([registry.askInBackground(domain), registry.lookUp(domain)]);
    expect(job).toMatchObject({ answered: false, reason: 'no_turn' });
    expect(caller).toMatchObject({ state: 'available', cached: false });
  });

  it('asks once with a caller, and asks anew where an answer is kept', async () => {
    const registry = paced('10');
    const domain = freshName();
    const asked = test.rdap.asked.length;
    await Promise.all([registry.lookUp(domain), registry.askInBackground(domain)]);
    expect(test.rdap.asked).toHaveLength(asked + 1);
    expect(await registry.askInBackground(domain)).toMatchObject({ answer: { cached: false } });
    expect(test.rdap.asked).toHaveLength(asked + 2);
  });

  it('is told when the dataset could not take the answer', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const domain = freshName();
    await addDomain(test.database, { domain: domain.domain });
    await test.database.transaction(async (importing) => {
      await importing.query('SELECT FROM domain WHERE domain = $1 FOR UPDATE', [domain.domain]);
      expect(await paced('10').askInBackground(domain)).toMatchObject({
        answered: false,
        reason: 'not_written',
      });
    });
    warn.mockRestore();
  });
});

describe('a pause', () => {
  let warn: jest.SpyInstance;
  beforeEach(() => {
    warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterEach(() => warn.mockRestore());

  it.each([
    ['429 with Retry-After', { status: 429, headers: { 'Retry-After': '30' } }, '30'],
    ['429 without', { status: 429 }, '10'],
    ['429 with a time of no sense', { status: 429, headers: { 'Retry-After': 'soon' } }, '10'],
    ['429 for a year', { status: 429, headers: { 'Retry-After': '31536000' } }, '3600'],
    ['503 with Retry-After', { status: 503, headers: { 'Retry-After': '30' } }, '30'],
    ['a limit told inside a 200', { status: 200, body: { notices: [{ title: 'Rate limit' }] } }, '10'],
  ])('asked for by a %s holds for all instances', async (_what, reply, seconds) => {
    const domain = freshName();
    test.rdap.reply(reply, domain.domain);
    const begunAt = performance.now();
    await expect(test.instance({}).registry.lookUp(domain)).rejects.toMatchObject({
      headers: { 'Retry-After': seconds },
    });
    const asked = test.rdap.asked.length;
    const later = test.instance({}).registry.lookUp(freshName());
    await expect(later).rejects.toMatchObject({ code: 'registry_unavailable' });
    const left = await later.catch((error: ApiError) => Number(error.headers['Retry-After']));
    expect(left).toBeLessThanOrEqual(Number(seconds));
    expect(left).toBeGreaterThan(Number(seconds) - (performance.now() - begunAt) / 1_000 - 1);
    expect(test.rdap.asked).toHaveLength(asked);
    await test.database.query(`UPDATE registry_pause SET until = now() - interval '1 minute'`);
    expect(await test.instance({}).registry.lookUp(freshName())).toMatchObject({ state: 'available' });
  });

  it('of no time is a second, so that nobody is told to come back at once', async () => {
    const domain = freshName();
    test.rdap.reply({ status: 429, headers: { 'Retry-After': '0' } }, domain.domain);
    await expect(test.instance({}).registry.lookUp(domain)).rejects.toMatchObject({
      headers: { 'Retry-After': '1' },
    });
  });

  it('is not asked for by a plain failure', async () => {
    const domain = freshName();
    test.rdap.reply({ status: 500 }, domain.domain);
    const { registry } = test.instance({});
    await expect(registry.lookUp(domain)).rejects.toMatchObject({ code: 'registry_unavailable' });
    expect(await registry.lookUp(freshName())).toMatchObject({ state: 'available' });
  });

  it('is kept by a question that was already waiting for its turn', async () => {
    const { registry } = test.instance({ REGISTRY_RATE_PER_SECOND: '1', REGISTRY_BURST: '1' });
    const limited = freshName();
    let tellLimit = (): void => undefined;
    test.rdap.reply((_request, response) => {
      tellLimit = () => void response.writeHead(429, { 'Retry-After': '30' }).end();
    }, limited.domain);
    const asked = test.rdap.asked.length;
    const first = registry.lookUp(limited);
    await test.rdap.received(asked + 1);
    const second = registry.lookUp(freshName());
    await Promise.all([
      expect(first).rejects.toMatchObject({ headers: { 'Retry-After': '30' } }),
      expect(second).rejects.toMatchObject({
        headers: { 'Retry-After': expect.stringMatching(/^(2\d|30)$/) },
      }),
      until('another waits for its turn', async () => (await waitingForTurn(test.database)) > 0).then(() =>
        tellLimit(),
      ),
    ]);
    expect(test.rdap.asked).toHaveLength(asked + 1);
  });

  it('of RDAP leaves the availability service open', async () => {
    const service = await startAvailabilityService((socket) => socket.end('Not Available\r\n'));
    const { registry } = test.instance({ REGISTRY_AVAILABILITY_SERVICE: service.address });
    const domain = freshName();
    test.rdap.reply({ status: 429, headers: { 'Retry-After': '30' } }, domain.domain);
    expect(await registry.lookUp(domain)).toMatchObject({ source: 'availability_service' });
    const asked = test.rdap.asked.length;
    expect(await registry.lookUp(freshName())).toMatchObject({ source: 'availability_service' });
    expect(test.rdap.asked).toHaveLength(asked);
    await service.close();
  });
});
