import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Admission } from '../../src/access/admission.js';
import { HashingSemaphore } from '../../src/accounts/attempt-limit.js';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { addKey } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import {
  type Answer,
  arrivals,
  ask,
  ENVIRONMENT,
  PATH,
  startBusyApp,
  waitingIn,
  whileBusy,
} from '../support/busy.js';
import { addDomain } from '../support/domains.js';
import { freePort, ROOT, until } from '../support/processes.js';
import { type AccountsApp, newSession, signedInVisitor, startAccountsApp } from '../support/visitor.js';

/** The shipped balancer before one instance; the two others are away. */
async function startBalancer(instance: string) {
  const port = await freePort();
  const away = '127.0.0.1:9';
  const child = spawn('haproxy', ['-db', '-f', join(ROOT, 'deploy/haproxy.cfg')], {
    env: {
      ...{ PATH: process.env.PATH, LISTEN: `127.0.0.1:${port}` },
      ...{ INSTANCE_1: new URL(instance).host, INSTANCE_2: away, INSTANCE_3: away },
    },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await until('it answers', async () => (await ask(url, '/livez', {}).answer)?.status === 200);
  return {
    url,
    async close() {
      child.kill();
      await ended;
    },
  };
}

const withBalancer = spawnSync('haproxy', ['-v']).error === undefined ? it : it.skip;

describe('a service that is busy', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await startBusyApp();
  });
  afterEach(() => test.close());

  it('lets requests wait for a moment, paid ones go first, and refuses the rest at once', async () => {
    const key = await addKey(test.database, { tier: 'starter' });
    // From now on its tier is known without a query.
    await test.caller().get('/v1/stats').set('Authorization', key.bearer).expect(200);
    const order: string[] = [];
    const free = await whileBusy(test, async () => {
      const all = arrivals(test, 300);
      const sent = Array.from({ length: 300 }, (_, place) =>
        ask(test.url, PATH, { 'X-Forwarded-For': `198.${18 + (place >> 8)}.${place & 255}.201` }),
      );
      const refused: Answer[] = [];
      for (const { answer } of sent)
        void answer.then((one) => {
          if (one?.status === 200) order.push('free');
          else if (one) refused.push(one);
        });
      await all;
      await until('those that are refused are told so', () => refused.length >= 40);
      for (const one of refused) {
        expect(one).toMatchObject({
          status: 503,
          headers: { 'retry-after': '1', 'cache-control': 'no-store' },
        });
        const { error } = JSON.parse(one.body) as { error: { code: string; request_id: string } };
        expect(error).toMatchObject({ code: 'overloaded', request_id: one.headers['x-request-id'] });
      }
      const paid = arrivals(test, 1);
      const { answer } = ask(test.url, PATH, { Authorization: key.bearer });
      void answer.then((one) => one?.status === 200 && order.push('paid'));
      await paid;
      for (const path of ['/livez', '/readyz/?at=now'])
        expect((await ask(test.url, path, {}).answer)?.status).toBe(200);
      expect((await ask(test.url, '/livez/nothing', {}).answer)?.status).toBe(503);
      return sent;
    });
    const statuses = await Promise.all(free.map(async ({ answer }) => (await answer)?.status));
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    // Readings of the dataset wait for the lock as well.
    const metrics = await ask(test.url, '/metrics', {
      Authorization: `Bearer ${ENVIRONMENT.METRICS_TOKEN}`,
    }).answer;
    expect(metrics?.body).toMatch(/bowerbird_requests_refused_total\{line="free"\} \d+/);
    expect(metrics?.body).toContain('bowerbird_requests_waiting{line="paid"} 0');
    await until('the paid one is answered', () => order.includes('paid'));
    // One free request may have been taken in just before it.
    expect(order.indexOf('paid')).toBeLessThanOrEqual(2);
    expect(test.log.filter((line) => line.includes('Overloaded: ')).length).toBeGreaterThan(0);
  });

  it('says so in answers while many wait, and not to the last of them', async () => {
    const seen = await whileBusy(test, async () => {
      const all = arrivals(test, 200);
      const sent = Array.from({ length: 200 }, (_, place) =>
        ask(test.url, PATH, { 'X-Forwarded-For': `198.18.${place}.230` }),
      );
      await all;
      return sent;
    });
    const answers = await Promise.all(seen.map(({ answer }) => answer));
    expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([200]));
    const told = answers.map((answer) => answer?.headers['x-overloaded']);
    expect(new Set(told)).toEqual(new Set(['free', undefined]));
  });

  it('cuts off a connection that sends many requests, refused as they are, without reading', async () => {
    const waiting = await whileBusy(test, async () => {
      const all = arrivals(test, 300);
      const sent = Array.from({ length: 300 }, (_, place) =>
        ask(test.url, PATH, { 'X-Forwarded-For': `198.${18 + (place >> 8)}.${place & 255}.220` }),
      );
      await all;
      const socket = connect(Number(new URL(test.url).port), '127.0.0.1');
      let text = '';
      socket.on('error', () => undefined).on('data', (piece: Buffer) => (text += piece.toString()));
      const ended = once(socket, 'close');
      socket.write(`GET ${PATH} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(400));
      await ended;
      expect(text.split('HTTP/1.1 ').length - 1).toBeLessThanOrEqual(8);
      expect(text).not.toContain(' 200 ');
      return sent;
    });
    for (const { answer } of waiting) await answer;
  });

  it('refuses after all what has waited for too long', async () => {
    const waiting = await whileBusy(test, async () => {
      const arrived = arrivals(test, 2);
      const sent = [1, 2].map((place) => ask(test.url, PATH, { 'X-Forwarded-For': `198.18.210.${place}` }));
      await arrived;
      test.app.get(Admission).nowMs = () => 1_000;
      return sent;
    });
    for (const { answer } of waiting)
      expect(await answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await test.caller().get(PATH).expect(200);
  });

  withBalancer('HAProxy refuses callers without a key while the line is full, and nobody else', async () => {
    const key = await addKey(test.database, { tier: 'starter' });
    await test.caller().get('/v1/stats').set('Authorization', key.bearer).expect(200);
    const balancer = await startBalancer(test.url);
    const waiting = await whileBusy(test, async () => {
      const all = arrivals(test, 300);
      const sent = Array.from({ length: 300 }, (_, place) =>
        ask(test.url, PATH, { 'X-Forwarded-For': `198.${18 + (place >> 8)}.${place & 255}.240` }),
      );
      await all;
      const refused = await until('HAProxy refuses', async () => {
        const answer = await ask(balancer.url, PATH, {}).answer;
        // A second, or what is left of five after it has come again eight times.
        const wait = expect.stringMatching(/^[1-5]$/) as unknown;
        expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': wait } });
        expect(answer?.headers).not.toHaveProperty('x-overloaded');
        const { error } = JSON.parse(answer?.body ?? '') as { error: { request_id: string } };
        return error.request_id === 'balancer' && error;
      });
      expect(refused).toMatchObject({ code: 'overloaded', message: ERROR_CODES.overloaded.meaning });
      for (const [name, value] of [
        ['Authorization', key.bearer],
        ['Cookie', 'bowerbird.session_token=unknown'],
      ] as const) {
        const arrived = arrivals(test, 1);
        sent.push(ask(balancer.url, PATH, { [name]: value }));
        await arrived;
      }
      for (const path of ['/livez', '/readyz'])
        expect((await ask(balancer.url, path, {}).answer)?.status).toBe(200);
      return sent;
    });
    const statuses = await Promise.all(waiting.map(async ({ answer }) => (await answer)?.status));
    expect(statuses[300]).toBe(200);
    await until('callers are let in', async () => (await ask(balancer.url, PATH, {}).answer)?.status === 200);
    await balancer.close();
  });

  it('refuses it also while nothing in work ends', async () => {
    await whileBusy(test, async () => {
      const arrived = arrivals(test, 1);
      const { answer } = ask(test.url, PATH, { 'X-Forwarded-For': '198.18.212.1' });
      await arrived;
      test.app.get(Admission).nowMs = () => 1_000;
      expect(await answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    });
  });

  it('does not work for a caller who hung up while it waited', async () => {
    const path = '/api/v1/domains/given-up.com.au';
    await whileBusy(test, async () => {
      const arrived = arrivals(test, 1);
      const { hangUp } = ask(test.url, path, {});
      await arrived;
      const next = once(test.app.getHttpServer(), 'request');
      hangUp();
      // It arrives after the service has seen the other go.
      ask(test.url, PATH, {});
      await next;
    });
    await test.caller().get('/v1/stats').expect(200);
    expect(test.log.filter((line) => line.includes(path))).toEqual([]);
  });
});

describe('a paying caller whom this process has not seen', () => {
  let test: AccountsApp;
  beforeAll(async () => {
    test = await startAccountsApp();
    await addDomain(test.database, { domain: 'in-work.com.au' });
  });
  afterAll(() => test.close());

  /** Which line it waits in, at an instance that starts now. */
  const lineOf = async (headers: Record<string, string>) => {
    const again = await startTestApp({ ...ENVIRONMENT, DATABASE_URL: test.databaseUrl });
    again.app.get(Admission).nowMs = () => 0;
    const waiting = await whileBusy(again, async () => {
      const arrived = arrivals(again, 1);
      const { answer } = ask(again.url, PATH, headers);
      await arrived;
      return { answer, paid: await waitingIn(again, 'paid'), free: await waitingIn(again, 'free') };
    });
    await waiting.answer;
    await again.close();
    const { paid, free } = waiting;
    return { paid, free };
  };

  it('waits before free ones, by the key', async () => {
    const { bearer } = await addKey(test.database, { tier: 'starter' });
    expect(await lineOf({ Authorization: bearer })).toEqual({ paid: 1, free: 0 });
  });

  it('waits before free ones, by the session', async () => {
    const { email } = await signedInVisitor(test);
    await test.database.query("UPDATE account SET tier = 'starter' WHERE email = $1", [email]);
    expect(await lineOf({ Cookie: await newSession(test, email) })).toEqual({ paid: 1, free: 0 });
  });

  it('waits as a free one with a key that was revoked, or of a free tier', async () => {
    const { bearer } = await addKey(test.database, { tier: 'member' });
    const revoked = await addKey(test.database, { tier: 'starter' });
    await test.database.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [revoked.id]);
    for (const one of [bearer, revoked.bearer])
      expect(await lineOf({ Authorization: one })).toEqual({ paid: 0, free: 1 });
  });
});

it('callers whose password waits to be checked keep nobody out', async () => {
  const test = await startTestApp(ENVIRONMENT);
  let end: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (end = resolve));
  const hashing = [1, 2].map(() => test.app.get(HashingSemaphore).run(() => held));
  const arrived = arrivals(test, 1);
  const form = { email: 'nobody@example.com', password: 'not the password' };
  const signIn = test.caller().post('/sign-in').type('form').send(form).expect(401);
  const signedIn = signIn.then(() => true);
  await arrived;
  expect((await ask(test.url, '/v1/stats', {}).answer)?.status).toBe(200);
  end();
  await Promise.all([signedIn, ...hashing]);
  await test.close();
});

it('a service that stops answers those who wait', async () => {
  const test = await startBusyApp();
  let stopped: Promise<void> | undefined;
  const waiting = await whileBusy(test, async () => {
    const arrived = arrivals(test, 3);
    const sent = [1, 2, 3].map((place) => ask(test.url, PATH, { 'X-Forwarded-For': `198.18.220.${place}` }));
    await arrived;
    stopped = test.close();
    return sent;
  });
  for (const { answer } of waiting) expect((await answer)?.status).toBe(200);
  await stopped;
});

it('ADMISSION=observe refuses nobody, and says whom it would have refused', async () => {
  const test = await startBusyApp({ ...ENVIRONMENT, ADMISSION: 'observe' });
  const sent = await whileBusy(test, async () => {
    const all = arrivals(test, 300);
    const many = Array.from({ length: 300 }, (_, place) =>
      ask(test.url, PATH, { 'X-Forwarded-For': `198.${18 + (place >> 8)}.${place & 255}.230` }),
    );
    await all;
    return many;
  });
  const statuses = await Promise.all(sent.map(async ({ answer }) => (await answer)?.status));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(test.log.filter((line) => line.includes('would have been refused')).length).toBeGreaterThan(0);
  await test.close();
});
