import { Logger } from '@nestjs/common';
import {
  found,
  freshName,
  NOT_FOUND,
  type Reply,
  openRegistryStage,
  type RegistryStage,
  waitingForTurn,
} from '../support/registry.js';
import { until } from '../support/processes.js';

let test: RegistryStage;
let warn: jest.SpyInstance;
let log: jest.SpyInstance;
beforeAll(async () => {
  test = await openRegistryStage();
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.database.query('DELETE FROM registry_health');
  warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
});
afterEach(() => jest.restoreAllMocks());

const OPEN_MS = 60_000;
/** What callers are told while it is open, less the time that a busy machine took. */
const OPEN = expect.stringMatching(/^registry_unavailable (60|5\d)$/);
const PROBED_BY_ANOTHER = expect.stringMatching(/^registry_unavailable (30|2\d)$/);
const FAULT: Reply = { status: 500 };

/** An instance whose breaker opens after three failures. */
const lookUps = (environment: Record<string, string> = {}) => {
  const { registry } = test.instance({
    REGISTRY_BREAKER_FAILURES: '3',
    REGISTRY_BREAKER_OPEN_MS: String(OPEN_MS),
    ...environment,
  });
  return () =>
    registry.lookUp(freshName()).then(
      (answer) => answer.state,
      (error: { code: string; headers: Record<string, string> }) =>
        `${error.code} ${error.headers['Retry-After']}`,
    );
};

/** One after the other. */
async function times(count: number, lookUp: () => Promise<string>): Promise<string[]> {
  const outcomes: string[] = [];
  while (outcomes.length < count) outcomes.push(await lookUp());
  return outcomes;
}

/** Time passes, until the breaker that is open stays so for this long: which it reads from PostgreSQL's clock. */
async function passTimeUntil(leftMs: number): Promise<void> {
  await test.database.query(
    `UPDATE registry_health SET open_until = clock_timestamp() + make_interval(secs => $1::float8 / 1000)
      WHERE open_until IS NOT NULL`,
    [leftMs],
  );
}

describe('the circuit breaker', () => {
  it('opens after failures in a row, asks nobody while open, probes once, and closes', async () => {
    const lookUp = lookUps();
    const first = test.rdap.asked.length;
    test.rdap.reply(FAULT);
    for (const outcome of await times(3, lookUp)) expect(outcome).toBe('registry_unavailable 5');
    expect(await lookUp()).toEqual(OPEN);
    await passTimeUntil(40_000);
    expect(await lookUp()).toMatch(/^registry_unavailable (40|3\d)$/);
    expect(test.rdap.asked).toHaveLength(first + 3);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('left alone'));

    test.rdap.reply(NOT_FOUND);
    await passTimeUntil(0);
    expect(await lookUp()).toBe('available');
    expect(await lookUp()).toBe('available');
    expect(log).toHaveBeenCalledWith(expect.stringContaining('answers again'));
  });

  it.each([-365, 365])('is as long open when the clock of the machine is set by %d days', async (days) => {
    const lookUp = lookUps();
    test.rdap.reply(FAULT);
    await times(3, lookUp);
    const machine = Date.now() + days * 86_400_000;
    jest.spyOn(Date, 'now').mockReturnValue(machine);
    await passTimeUntil(40_000);
    expect(await lookUp()).toMatch(/^registry_unavailable (40|3\d)$/);
    test.rdap.reply(NOT_FOUND);
    await passTimeUntil(0);
    expect(await lookUp()).toBe('available');
  });

  it('opens again at once when the probe fails', async () => {
    const lookUp = lookUps();
    test.rdap.reply(FAULT);
    await times(3, lookUp);
    await passTimeUntil(0);
    const asked = test.rdap.asked.length;
    expect(await lookUp()).toBe('registry_unavailable 5');
    expect(await lookUp()).toEqual(OPEN);
    expect(test.rdap.asked).toHaveLength(asked + 1);
  });

  it('lets one probe through, however many ask', async () => {
    const lookUp = lookUps();
    test.rdap.reply(FAULT);
    await times(3, lookUp);
    await passTimeUntil(0);
    const asked = test.rdap.asked.length;
    let release = (): void => undefined;
    test.rdap.reply((_request, response) => {
      release = () =>
        void response.writeHead(404, { 'Content-Type': 'application/rdap+json' }).end('{"errorCode":404}');
    });
    const probe = lookUp();
    await test.rdap.received(asked + 1);
    const others = await Promise.all(Array.from({ length: 20 }, () => lookUp()));
    expect(others).toEqual(others.map(() => PROBED_BY_ANOTHER));
    release();
    expect(await probe).toBe('available');
    expect(test.rdap.asked).toHaveLength(asked + 1);
  });

  it('opens for all instances, lets one probe of all through, and closes for all', async () => {
    const [one, other] = [lookUps(), lookUps()];
    test.rdap.reply(FAULT);
    await times(3, one);
    const asked = test.rdap.asked.length;
    expect(await other()).toEqual(OPEN);
    expect(test.rdap.asked).toHaveLength(asked);

    await passTimeUntil(0);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, place) => (place % 2 ? one() : other())),
    );
    expect(test.rdap.asked).toHaveLength(asked + 1);
    expect(outcomes.filter((outcome) => outcome === 'registry_unavailable 5')).toHaveLength(1);
    for (const lookUp of [one, other]) expect(await lookUp()).toEqual(OPEN);

    await passTimeUntil(0);
    test.rdap.reply(NOT_FOUND);
    expect(await other()).toBe('available');
    expect(await one()).toBe('available');
    test.rdap.reply(FAULT);
    // Neither has a failure on its account from before.
    for (const lookUp of [one, other])
      for (const outcome of await times(2, lookUp)) expect(outcome).toBe('registry_unavailable 5');
    expect(test.rdap.asked).toHaveLength(asked + 7);
  });

  it('has another one probe when the process that did was killed', async () => {
    const [killed, other] = [lookUps(), lookUps({ REGISTRY_TIMEOUT_MS: '60000' })];
    test.rdap.reply(FAULT);
    await times(3, killed);
    await passTimeUntil(0);
    let release = (): void => undefined;
    test.rdap.reply((_request, response) => {
      release = () => void response.writeHead(500).end();
    });
    const asked = test.rdap.asked.length;
    const probe = killed();
    await test.rdap.received(asked + 1);
    expect(await other()).toEqual(PROBED_BY_ANOTHER);
    test.rdap.reply(NOT_FOUND);
    // The time that a probe may take has passed.
    await passTimeUntil(0);
    expect(await other()).toBe('available');
    release();
    await probe;
  });

  it('closes when the probe shows that the service works, though it judges no such name', async () => {
    const lookUp = lookUps();
    test.rdap.reply(FAULT);
    await times(3, lookUp);
    await passTimeUntil(0);
    test.rdap.reply({ status: 501, body: { errorCode: 501 } });
    for (const outcome of await times(2, lookUp)) expect(outcome).toBe('registry_unavailable 5');
  });

  it('also keeps back a question that was already waiting for its turn', async () => {
    await test.database.query(`UPDATE registry_pace SET full_at = now() - interval '1 day'`);
    const lookUp = lookUps({
      REGISTRY_BREAKER_FAILURES: '1',
      REGISTRY_RATE_PER_SECOND: '1',
      REGISTRY_BURST: '1',
    });
    // The second waits for a second, and meanwhile the breaker opens.
    let fail = (): void => undefined;
    test.rdap.reply((_request, response) => {
      fail = () => void response.writeHead(500).end();
    });
    const asked = test.rdap.asked.length;
    const first = lookUp();
    await test.rdap.received(asked + 1);
    const second = lookUp();
    await until('the second is in the line', async () => (await waitingForTurn(test.database)) === 1);
    fail();
    expect(await first).toBe('registry_unavailable 5');
    expect(await second).toEqual(OPEN);
    expect(test.rdap.asked).toHaveLength(asked + 1);
  });

  it('counts failures in a row only', async () => {
    const lookUp = lookUps();
    for (const reply of [FAULT, FAULT, NOT_FOUND, FAULT, FAULT, NOT_FOUND]) {
      test.rdap.reply(reply);
      await lookUp();
    }
    expect(await lookUp()).toBe('available');
  });

  it.each<[string, Reply]>([
    ['timeouts', () => undefined],
    ['resets', (request) => request.socket.resetAndDestroy()],
    ['403', { status: 403 }],
    ['HTML', { status: 200, body: '<h1>Welcome</h1>' }],
    ['another name', found('another-name.com.au')],
  ])('counts %s', async (_what, reply) => {
    const lookUp = lookUps({ REGISTRY_TIMEOUT_MS: '200' });
    test.rdap.reply(reply);
    await times(3, lookUp);
    const asked = test.rdap.asked.length;
    expect(await lookUp()).toEqual(OPEN);
    expect(test.rdap.asked).toHaveLength(asked);
  });

  it('does not blame a service that refuses to judge a name', async () => {
    const lookUp = lookUps();
    test.rdap.reply({ status: 501, body: { errorCode: 501 } });
    for (const outcome of await times(4, lookUp)) expect(outcome).toBe('registry_unavailable 5');
    test.rdap.reply(NOT_FOUND);
    expect(await lookUp()).toBe('available');
  });

  it('does not count the questions that the pace refused', async () => {
    const lookUp = lookUps({
      REGISTRY_RATE_PER_SECOND: '0.01',
      REGISTRY_BURST: '1',
      REGISTRY_MAX_WAIT_MS: '0',
    });
    test.rdap.reply(NOT_FOUND);
    await test.database.query(`UPDATE registry_pace SET full_at = now() - interval '1 day'`);
    expect(await lookUp()).toBe('available');
    for (const outcome of await times(5, lookUp)) expect(outcome).toMatch(/^registry_unavailable (100|9\d)$/);
    await test.database.query(`UPDATE registry_pace SET full_at = now() - interval '1 day'`);
    expect(await lookUp()).toBe('available');
  });
});

describe('readHealth', () => {
  const setUp = (environment: Record<string, string> = {}) =>
    test.instance({
      REGISTRY_RDAP_URL: `${test.rdap.url}health/`,
      REGISTRY_BREAKER_FAILURES: '1',
      ...environment,
    }).registry;
  const reading = async () => (await setUp().readHealth())[0];

  it('says how a service is, on whatever instance it was seen', async () => {
    expect(await reading()).toEqual({
      source: 'rdap',
      breaker: 'closed',
      pausedUntil: null,
      canary: 'unknown',
      canaryAt: null,
      lastAnsweredAt: null,
    });
    test.rdap.reply(NOT_FOUND);
    await setUp().lookUp(freshName());
    expect(await reading()).toMatchObject({ breaker: 'closed', lastAnsweredAt: expect.any(Date) });
    test.rdap.reply({ status: 503, headers: { 'Retry-After': '600' } });
    await expect(setUp().lookUp(freshName())).rejects.toThrow();
    expect(await reading()).toMatchObject({ breaker: 'open', pausedUntil: expect.any(Date) });
    await test.database.query('DELETE FROM registry_pause');
    await test.database.query('UPDATE registry_health SET open_until = now() WHERE open_until IS NOT NULL');
    expect(await reading()).toMatchObject({ breaker: 'probing', pausedUntil: null });
    test.rdap.reply(NOT_FOUND);
    await setUp().lookUp(freshName());
    expect(await reading()).toMatchObject({ breaker: 'closed' });
  });

  it('names the services in the order in which they are asked', async () => {
    const registry = setUp({ REGISTRY_AVAILABILITY_SERVICE: 'availability.example:43' });
    expect((await registry.readHealth()).map(({ source }) => source)).toEqual([
      'rdap',
      'availability_service',
    ]);
  });
});
