import { Agent, get } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { createApp } from '../../src/app/setup.js';
import { giveNotice } from '../../src/app/shutdown.js';
import { readConfig } from '../../src/config/read-config.js';
import { startTestApp } from '../support/app.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { compiledSources, run, until } from '../support/processes.js';

describe('a service that is told to stop', () => {
  it('answers what is under way, refuses what comes later, and lets nobody hold it up', async () => {
    const test = await startTestApp({ REGISTRY_TIMEOUT_MS: '1000' });
    const idle = connect(Number(new URL(test.url).port), '127.0.0.1');
    const ended = new Promise((resolve) => idle.once('close', resolve));
    const asked = test.registry.requests();
    const underWay = fetch(`${test.url}/v1/domains/check?domain=sandbox-slow.com.au`);
    // The request is under way for certain when its question has reached the registry.
    while (test.registry.requests() === asked) await new Promise(setImmediate);
    const closed = test.close();
    const answer = await underWay;
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { code: 'registry_unavailable' } });
    await closed;
    await ended;
    await expect(fetch(`${test.url}/v1/stats`)).rejects.toThrow();
  });

  it('says with the last answer of a connection that it ends, and works on nothing whose answer nobody can get', async () => {
    const test = await startTestApp({ REGISTRY_TIMEOUT_MS: '3000' });
    const port = Number(new URL(test.url).port);
    const idle = connect(port, '127.0.0.1');
    const isStopping = new Promise((resolve) => idle.once('close', resolve));
    const kept = connect(port, '127.0.0.1');
    let answers = '';
    kept.on('error', () => undefined);
    kept.on('data', (data) => (answers += String(data)));
    const ended = new Promise((resolve) => kept.once('close', resolve));
    const ask = (name: string) =>
      kept.write(`GET /v1/domains/check?domain=${name}.com.au HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const asked = test.registry.requests();
    ask('sandbox-slow');
    await until('it is under way', () => test.registry.requests() > asked);
    const closed = test.close();
    await isStopping;
    ask('sandbox-available');
    await ended;
    await closed;
    expect(answers.match(/^HTTP\/1.1 .*|^Connection: .*/gm)).toEqual([
      'HTTP/1.1 503 Service Unavailable',
      'Connection: close',
    ]);
    expect(test.registry.requests()).toBe(asked + 1);
  });

  it('loses no request of a balancer that looks at /readyz: it serves on until that has seen the notice', async () => {
    const test = await startTestApp({ TIERS: '{"demo":{"requestsPerMinute":1000000}}' });
    const agent = new Agent({ keepAlive: true });
    const statusOf = (path: string) => statusAt(`${test.url}${path}`, agent);
    let isReady = true;
    const statuses: number[] = [];
    const look = async () => {
      while (isReady) isReady = (await statusOf('/readyz')) === 200;
    };
    const send = async () => {
      while (isReady) statuses.push(await statusOf('/v1/stats'));
    };
    const load = Promise.all([look(), ...Array.from({ length: 20 }, send)]);
    await until('there is load', () => statuses.length > 200);
    const hurry = new AbortController();
    const notice = giveNotice(test.app, 600_000, hurry.signal);
    await load;
    // And of those who have not seen it yet, on connections that are not used again.
    const late = await fetch(`${test.url}/v1/stats`);
    expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
    hurry.abort();
    await notice;
    await test.close();
    expect(new Set(statuses)).toEqual(new Set([200]));
    await expect(fetch(`${test.url}/v1/stats`)).rejects.toThrow();
    agent.destroy();
  });

  it('cuts off, after the grace time, a request that does not end', async () => {
    const test = await startTestApp({ SHUTDOWN_GRACE_MS: '100', REGISTRY_TIMEOUT_MS: '60000' });
    const asked = test.registry.requests();
    const cut = fetch(`${test.url}/v1/domains/check?domain=sandbox-slow.com.au`).then(
      () => 'answered',
      () => 'cut off',
    );
    while (test.registry.requests() === asked) await new Promise(setImmediate);
    await test.close();
    expect(await cut).toBe('cut off');
  });
});

describe('a service that starts', () => {
  it.each([
    ['its port taken', '127.0.0.1', /PORT \d+ is taken/],
    // An address for documentation, which no machine has.
    ['its address elsewhere', '192.0.2.1', /HOST 192\.0\.2\.1 .*EADDRNOTAVAIL/],
  ])('finds %s: names the variable and leaves nothing running', async (_what, host, message) => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const url = await cloneTemplate();
    const compiled = await compiledSources();
    const service = run(join(compiled, 'dist/main.js'), [], {
      environment: { DATABASE_URL: url, HOST: host, PORT: String(port), LOG_LEVEL: 'silent' },
    });
    expect(await service.ended).toBe(1);
    expect(service.output()).toMatch(message);
    expect(service.output()).toMatch(/^Bowerbird could not start: .*\n$/);
    other.close();
    dropDatabase(url);
  });

  it('fails after it has opened the database: closes it, so that the process can end', async () => {
    const url = await cloneTemplate();
    const config = readConfig({ DATABASE_URL: url });
    const broken = { ...config, http: { ...config.http, trustProxy: ['nowhere'] } };
    await expect(createApp(broken, pino({ level: 'silent' }))).rejects.toThrow('nowhere');
    await until('the database has nobody left', async () => (await connectionsTo(url)) === 0);
    dropDatabase(url);
  });
});

describe('GET /readyz', () => {
  it('says whether requests can be served; /livez only that the process lives', async () => {
    const test = await startTestApp();
    await test.caller().get('/readyz').expect(200);
    await test.database.dataSource.destroy();
    await test.caller().get('/livez').expect(200);
    await test.app.close().catch(() => undefined);
    await test.registry.close();
  });
});

describe('browsers', () => {
  it('may call the API from any page and read what is left of the budget', async () => {
    const test = await startTestApp();
    const answer = await test.caller().get('/v1/suggest').set('Origin', 'https://example.org').expect(200);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-expose-headers']).toMatch(/RateLimit-Policy.*X-RateLimit-Reset/);
    const preflight = await test
      .caller()
      .options('/v1/stats')
      .set('Origin', 'https://example.org')
      .set('Access-Control-Request-Method', 'GET');
    expect(preflight.status).toBe(204);
    await test.close();
  });

  it('are held to the origins that the operator names', async () => {
    const test = await startTestApp({ CORS_ORIGINS: 'https://good.example' });
    const ask = (origin: string) => test.caller().get('/v1/stats').set('Origin', origin);
    expect((await ask('https://good.example')).headers['access-control-allow-origin']).toBe(
      'https://good.example',
    );
    expect((await ask('https://bad.example')).headers['access-control-allow-origin']).toBeUndefined();
    await test.close();
  });
});

async function connectionsTo(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ count: number }>(
    'SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await client.end();
  return rows[0]?.count ?? 0;
}

function statusAt(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    }).once('error', reject);
  });
}
