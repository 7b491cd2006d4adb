import { Logger } from '@nestjs/common';
import type { NoAnswerReason } from '../../src/registry/answer.js';
import { startTestApp } from '../support/app.js';
import {
  found,
  freshName,
  fullAt,
  NOT_FOUND,
  type Reply,
  openRegistryStage,
  type RegistryStage,
} from '../support/registry.js';

const CANARIES = ['google.com.au', 'auda.org.au'];
const UNAVAILABLE = { code: 'registry_unavailable', headers: { 'Retry-After': '15' } };

let test: RegistryStage;
let error: jest.SpyInstance;
beforeEach(async () => {
  test = await openRegistryStage();
  for (const name of CANARIES) test.rdap.reply(found(name), name);
  error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  jest.spyOn(Logger.prototype, 'warn').mockImplementation();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await test.close();
});

const start = (environment: Record<string, string> = {}) =>
  test.instance({
    REGISTRY_CANARIES: CANARIES.join(','),
    ...environment,
  }).registry;
const lose = (reply: Reply = NOT_FOUND) => CANARIES.forEach((name) => test.rdap.reply(reply, name));
const passTime = (minutes: number) =>
  test.database.query(`UPDATE registry_health SET canary_at = canary_at - make_interval(mins => $1)`, [
    minutes,
  ]);
const canaryOf = async (registry: ReturnType<typeof start>) => (await registry.readHealth())[0]?.canary;

describe('names that are surely registered', () => {
  it('are asked before the first answer is believed, once for all who wait', async () => {
    const registry = start();
    const domains = [freshName(), freshName()];
    for (const answer of await Promise.all(domains.map((domain) => registry.lookUp(domain))))
      expect(answer.state).toBe('available');
    expect(test.rdap.asked.slice(0, 2)).toEqual(CANARIES);
    expect(test.rdap.asked).toHaveLength(4);
    expect(await canaryOf(registry)).toBe('ok');
  });

  it('and are not found: nothing that the registry says is believed, kept or written down', async () => {
    lose();
    const registry = start();
    await expect(registry.lookUp(freshName())).rejects.toMatchObject(UNAVAILABLE);
    await expect(registry.lookUp(freshName(), { afresh: true })).rejects.toMatchObject(UNAVAILABLE);
    expect(await registry.askInBackground(freshName())).toEqual({
      answered: false,
      reason: 'not_trusted' satisfies NoAnswerReason,
      retryAfterSeconds: 15,
    });
    expect(test.rdap.asked).toEqual(['google.com.au']);
    expect(await canaryOf(registry)).toBe('failed');
    expect(error).toHaveBeenCalledWith(expect.stringContaining('google.com.au'));
    expect(await test.database.query('SELECT FROM registry_answer')).toEqual([]);
  });

  it.each<[string, Reply]>([
    ['reserved', { status: 404, body: { errorCode: 404, title: 'Reserved' } }],
    ['declined', { status: 400, body: { errorCode: 400 } }],
    ['a page', { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<h1>Welcome</h1>' }],
    ['a 404 of somebody else', { status: 404, headers: { 'Content-Type': 'text/html' }, body: 'nginx' }],
  ])('fail the registry when it answers %s', async (_what, reply) => {
    lose(reply);
    const registry = start();
    await expect(registry.lookUp(freshName())).rejects.toMatchObject(UNAVAILABLE);
    expect(await canaryOf(registry)).toBe('failed');
  });

  it.each<[string, Reply]>([
    ['a fault', { status: 500 }],
    ['a limit', { status: 429 }],
    ['a reset', (request) => request.socket.resetAndDestroy()],
  ])('say nothing when the answer is %s: nobody knows, and nobody is believed', async (_what, reply) => {
    lose(reply);
    const registry = start();
    await expect(registry.lookUp(freshName())).rejects.toMatchObject({ code: 'registry_unavailable' });
    expect(await canaryOf(registry)).toBe('unknown');
    expect(error).not.toHaveBeenCalled();
  });

  it('are asked every few minutes; what was said since the last time goes when they are lost', async () => {
    const registry = start();
    const domain = freshName();
    await registry.lookUp(domain);
    lose();
    await registry.watchCanaries();
    expect(await registry.lookUp(domain)).toMatchObject({ cached: true });
    await passTime(5);
    await registry.watchCanaries();
    await expect(registry.lookUp(domain)).rejects.toMatchObject(UNAVAILABLE);
    await expect(start().lookUp(domain)).rejects.toMatchObject(UNAVAILABLE);
  });

  it('that are found again make the registry believed again, after a minute', async () => {
    lose();
    const registry = start();
    await expect(registry.lookUp(freshName())).rejects.toMatchObject(UNAVAILABLE);
    for (const name of CANARIES) test.rdap.reply(found(name, 'server hold', 'pending delete'), name);
    await registry.watchCanaries();
    await expect(registry.lookUp(freshName())).rejects.toMatchObject(UNAVAILABLE);
    await passTime(1);
    await registry.watchCanaries();
    expect(await registry.lookUp(freshName())).toMatchObject({ state: 'available' });
  });

  it('are asked by one instance for all; an older round than a quarter of an hour is none', async () => {
    const [first, second] = [start(), start()];
    await first.watchCanaries();
    await second.watchCanaries();
    const asked = test.rdap.asked.length;
    await passTime(5);
    await first.watchCanaries();
    await second.watchCanaries();
    expect(test.rdap.asked).toHaveLength(asked + 2);
    await passTime(16);
    lose({ status: 500 });
    await expect(second.lookUp(freshName())).rejects.toMatchObject({ code: 'registry_unavailable' });
  });

  it('fail the instance with a wrong address, and not the others', async () => {
    const right = start();
    await right.lookUp(freshName());
    const wrong = start({ REGISTRY_RDAP_URL: `${test.rdap.url}elsewhere/` });
    await expect(wrong.lookUp(freshName())).rejects.toMatchObject(UNAVAILABLE);
    expect(await canaryOf(wrong)).toBe('failed');
    expect(await canaryOf(right)).toBe('ok');
    expect(await right.lookUp(freshName())).toMatchObject({ state: 'available' });
  });

  it('are not waited for by a job', async () => {
    const registry = start();
    expect(await registry.askInBackground(freshName())).toMatchObject({ reason: 'not_trusted' });
    expect(test.rdap.asked).toEqual([]);
    await registry.watchCanaries();
    expect(await registry.askInBackground(freshName())).toMatchObject({ answered: true });
  });

  it('take a turn each', async () => {
    await test.database.query(`UPDATE registry_pace SET full_at = now() - interval '1 day'`);
    const registry = start({
      REGISTRY_RATE_PER_SECOND: '0.01',
      REGISTRY_BURST: '2',
      REGISTRY_MAX_WAIT_MS: '0',
    });
    const before = Date.now() / 1000;
    await registry.watchCanaries();
    expect(Math.round((await fullAt(test.database)) - before)).toBeGreaterThanOrEqual(200);
    await expect(registry.lookUp(freshName())).rejects.toMatchObject({ code: 'registry_unavailable' });
    expect(test.rdap.asked).toEqual(CANARIES);
  });
});

describe('a service with the sandbox registry', () => {
  const check = async (environment: Record<string, string>) => {
    const app = await startTestApp({ REGISTRY_CANARIES: CANARIES.join(','), ...environment });
    try {
      const { status, body } = await app.caller().get('/v1/domains/check?domain=sandbox-available.com.au');
      return { status, body };
    } finally {
      await app.close();
    }
  };

  it('finds its canaries when it starts', async () => {
    expect(await check({})).toMatchObject({ status: 200, body: { available: true } });
  });

  it('believes nothing behind an address without its path', async () => {
    expect(await check({ REGISTRY_RDAP_URL: test.rdap.url })).toMatchObject({ status: 200 });
    lose();
    const { status, body } = await check({ REGISTRY_RDAP_URL: test.rdap.url });
    expect([status, body.error.code]).toEqual([503, 'registry_unavailable']);
  });
});
