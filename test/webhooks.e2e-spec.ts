import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { addKey, type KeySeed, WITH_KEYS, WITH_WEBHOOKS } from './support/accounts.js';
import { startTestApp, type TestApp } from './support/app.js';
import { importText } from './support/import.js';
import { until } from './support/processes.js';
import {
  addOwner,
  dropNames,
  type Logged,
  receivedAt as receivedBy,
  type WebhookOwner,
} from './support/webhook-owner.js';
import { type Receiver, startReceiver } from './support/webhook-receiver.js';
import { ADVISORY_LOCKS } from '../src/database/advisory-locks.js';
import { DomainRepository } from '../src/domains/domain.repository.js';
import { WebhookOutbox } from '../src/webhooks/events/webhook-outbox.js';
import { WebhookPurge } from '../src/webhooks/deliveries/webhook-purge.js';

const QUICKLY = {
  ...WITH_WEBHOOKS,
  WEBHOOK_TIMEOUT_MS: '1000',
  WEBHOOK_RETRY_SECONDS: '0,0.01,0.01',
  TIERS: JSON.stringify({ pro: { requestsPerMinute: 100_000 } }),
};
/** An address that nothing is ever delivered to. */
const quiet = (url: string) => ({ url, min_wayback: 2_000_000_000 });
const ANY_CHANGE = { description: 'Mine' };

let test: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  test = await startTestApp(QUICKLY);
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await test.close();
});
beforeEach(() => {
  receiver.mode = 'fine';
});

const owner = (seed: Partial<KeySeed> = {}) => addOwner(test, receiver, seed);
const receivedAt = (path: string) => receivedBy(receiver, path);
const drop = (...names: string[]) => dropNames(test, ...names);
const settled = (who: WebhookOwner, id: string, isSo: (one: Logged) => boolean) => who.settled(id, isSo);
/** Nobody waits for a retry. */
async function retryNow(id: string): Promise<void> {
  await test.database.query('UPDATE webhook_delivery SET due_at = now() WHERE webhook_id = $1', [id]);
  await test.database.query('UPDATE webhook SET not_before = NULL WHERE id = $1', [id]);
}

describe('a subscription', () => {
  it('is made, listed, read, changed and removed', async () => {
    const who = await owner();
    const { body } = await who
      .call('post', '/api/v1/webhooks', {
        url: 'https://example.com/hook',
        tld: ['com.au'],
        q: 'cafe',
        max_length: 12,
      })
      .expect(201);
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(body.webhook).toEqual({
      id: expect.any(String),
      url: 'https://example.com/hook',
      description: '',
      events: ['domain.dropped'],
      tld: ['com.au'],
      q: 'cafe',
      mode: 'contains',
      min_wayback: 0,
      min_length: null,
      max_length: 12,
      batch_size: 1,
      enabled: true,
      disabled_reason: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const path = `/api/v1/webhooks/${body.webhook.id}`;
    const changed = await who
      .call('patch', path, { q: null, enabled: false, description: 'Quiet' })
      .expect(200);
    expect(changed.body.webhook).toMatchObject({
      q: null,
      enabled: false,
      description: 'Quiet',
      tld: ['com.au'],
    });
    expect((await who.call('get', path).expect(200)).body).toEqual({
      ok: true,
      webhook: changed.body.webhook,
    });
    expect((await who.call('get', '/api/v1/webhooks').expect(200)).body.results).toHaveLength(1);
    await who.call('delete', path).expect(204);
    await who.call('get', path).expect(404);
  });

  it('changes of different things at the same moment are both made', async () => {
    const who = await owner();
    const { id } = await who.subscribe({ q: 'both' });
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([
        who.call('patch', `/api/v1/webhooks/${id}`, { description: `round ${round}` }).expect(200),
        who.call('patch', `/api/v1/webhooks/${id}`, { min_wayback: round }).expect(200),
      ]);
      const { body } = await who.call('get', `/api/v1/webhooks/${id}`).expect(200);
      expect(body.webhook).toMatchObject({ description: `round ${round}`, min_wayback: round });
    }
  });

  it('a body that is not JSON is refused, and changes nothing', async () => {
    const who = await owner();
    const { id } = await who.subscribe(quiet(`${receiver.url}/forms`));
    const { body } = await who
      .call('patch', `/api/v1/webhooks/${id}`)
      .type('form')
      .send('enabled=false')
      .expect(415);
    expect(body.error.message).toContain('application/json');
    expect((await who.call('get', `/api/v1/webhooks/${id}`)).body.webhook.enabled).toBe(true);
  });

  it('belongs to its account: for others it is not there', async () => {
    const who = await owner();
    const { id } = await who.subscribe();
    const other = await owner();
    await other.call('get', `/api/v1/webhooks/${id}`).expect(404);
    await other.call('patch', `/api/v1/webhooks/${id}`, ANY_CHANGE).expect(404);
    await other.call('delete', `/api/v1/webhooks/${id}`).expect(404);
    await other.call('post', `/api/v1/webhooks/${id}/test`).expect(404);
    await other.call('post', `/api/v1/webhooks/${id}/rotate-secret`).expect(404);
    await other.call('get', `/api/v1/webhooks/${id}/deliveries`).expect(404);
    await other.call('post', `/api/v1/webhooks/${id}/replay?since=${new Date().toISOString()}`).expect(404);
  });

  it('needs the tier and the scope', async () => {
    const starter = await owner({ tier: 'starter' });
    const { body } = await starter.call('get', '/api/v1/webhooks').expect(403);
    expect(body.error).toMatchObject({ code: 'tier_required', message: expect.stringContaining('pro') });
    const reader = await owner({ scopes: ['read'] });
    expect((await reader.call('get', '/api/v1/webhooks').expect(403)).body.error.code).toBe('scope_required');
    await test.caller().get('/api/v1/webhooks').expect(401);
  });

  it('an account has twenty at most, also when they are made at the same moment', async () => {
    const who = await owner();
    const answers = await Promise.all(
      Array.from({ length: 23 }, () => who.call('post', '/api/v1/webhooks', quiet('https://example.com/'))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(20).fill(201),
      ...Array(3).fill(409),
    ]);
  });

  it('the same request with the same Idempotency-Key makes it once', async () => {
    const who = await owner();
    const send = (url: string) =>
      who.call('post', '/api/v1/webhooks', quiet(url)).set('Idempotency-Key', 'order-66');
    const answers = await Promise.all(Array.from({ length: 6 }, () => send('https://example.com/once')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => `${body.webhook.id} ${body.secret}`)).size).toBe(1);
    expect((await who.call('get', '/api/v1/webhooks')).body.results).toHaveLength(1);
    const other = await send('https://example.com/twice').expect(409);
    expect(other.body.error.code).toBe('idempotency_conflict');
    // A secret is shown once: the next one is not shown by repeating the request that showed the first.
    await who.call('post', `/api/v1/webhooks/${answers[0]?.body.webhook.id}/rotate-secret`).expect(200);
    const late = await send('https://example.com/once').expect(409);
    expect(late.body.error).toMatchObject({
      code: 'idempotency_conflict',
      message: expect.stringContaining('replaced'),
    });
  });

  it('an address is kept as it is called', async () => {
    const who = await owner();
    const { body } = await who
      .call('post', '/api/v1/webhooks', quiet('HTTPS://Example.COM:443/a b'.replace(' ', '')))
      .expect(201);
    expect(body.webhook.url).toBe('https://example.com/ab');
  });

  it('one whose address is not allowed any more can be changed, and moved', async () => {
    const who = await owner();
    const { id } = await who.subscribe(quiet('https://example.com/'));
    await test.database.query(`UPDATE webhook SET url = 'http://example.com/' WHERE id = $1`, [id]);
    const change = (changes: object) => who.call('patch', `/api/v1/webhooks/${id}`, changes);
    await change(ANY_CHANGE).expect(200);
    await change({ url: 'http://example.com/' }).expect(400);
    await change({ url: 'https://example.com/' }).expect(200);
  });

  it.each([
    [{}, 'url must be an address'],
    [{ url: 'nonsense' }, 'url must be a whole address'],
    [{ url: 'https://example.com/a b' }, 'url must not hold spaces or control characters'],
    [{ url: 'https://example.com/\0' }, 'url must not hold spaces or control characters'],
    [{ url: 'ftp://example.com' }, 'url must begin with https://'],
    [{ url: 'https://user:word@example.com' }, 'url must not hold a user name'],
    [{ url: `https://example.com/${'a'.repeat(2100)}` }, 'url must have at most 2048 characters'],
    [{ url: `https://example.com/${'é'.repeat(400)}` }, 'url must have at most 2048 characters'],
    [{ url: 'https://example.com', events: [] }, 'events must name one event'],
    [{ url: 'https://example.com', events: ['domain.sold'] }, 'events must be of domain.dropped'],
    [{ url: 'https://example.com', tld: ['com'] }, 'tld must be of com.au'],
    [{ url: 'https://example.com', q: 'Cafe' }, 'q must be 1 to 64 characters'],
    [{ url: 'https://example.com', batch_size: 101 }, 'batch_size must be a whole number from 1 to 100'],
    [{ url: 'https://example.com', min_length: 9, max_length: 8 }, 'min_length must not be greater'],
    [{ url: 'https://example.com', enabled: null }, 'enabled must be true or false'],
    [{ url: 'https://example.com', tld: null }, 'tld must be'],
    [{ url: 'https://example.com', enabled: 'yes' }, 'enabled must be true or false'],
    [{ url: 'https://example.com', description: 'a\0b' }, 'description must not hold a null character'],
    [{ url: 'https://example.com', secret: 'whsec_mine' }, 'secret is not a parameter here'],
  ])('refuses %j', async (settings, message) => {
    const who = await owner();
    const { body } = await who.call('post', '/api/v1/webhooks', settings).expect(400);
    expect(body.error).toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining(message),
    });
  });
});

describe('a delivery', () => {
  it('tells of a drop, signed, with the whole record', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'told' });
    await drop('told-of.com.au', 'not-of.com.au');
    const { body, id: message } = await until('the delivery', () => receivedAt(path)[0]);
    expect(body).toEqual({
      type: 'domain.dropped',
      timestamp: expect.stringMatching(/Z$/),
      data: expect.objectContaining({
        domain: 'told-of.com.au',
        wayback: 5,
        hyphens: 1,
        archive: expect.any(Object),
      }),
    });
    const logged = await settled(who, id, ({ status }) => status === 'delivered');
    expect(message).toBe(`msg_${logged.id}`);
    expect(logged).toMatchObject({
      attempts: 1,
      response_status: 200,
      response_text: 'thank you',
      next_attempt_at: null,
    });
    expect(receivedAt(path)).toHaveLength(1);
  });

  it('comes of every kind that was asked for, and of no other', async () => {
    const who = await owner();
    const both = await who.subscribe({ events: ['domain.dropped', 'domain.taken'], q: 'kinds' });
    const taken = await who.subscribe({ events: ['domain.taken'], q: 'kinds' });
    await drop('kinds.com.au');
    await test.app.get(DomainRepository).recordAvailability('kinds.com.au', false, new Date());
    await until('both', () => receivedAt(both.path).length === 2 && receivedAt(taken.path).length === 1);
    expect(receivedAt(taken.path)[0]?.body.type).toBe('domain.taken');
  });

  it.each([
    [{ tld: ['net.au'] }, ['filter.net.au']],
    [{ q: 'fil', mode: 'prefix' }, ['filter.com.au', 'filter.net.au', 'filtering-long.com.au']],
    [{ q: 'ong', mode: 'suffix' }, ['filtering-long.com.au']],
    [{ min_length: 7 }, ['filtering-long.com.au']],
    [{ max_length: 6, q: 'filter' }, ['filter.com.au', 'filter.net.au']],
    [{ min_wayback: 6 }, []],
  ])('obeys the filter %j', async (filter, expected) => {
    const who = await owner();
    const { path } = await who.subscribe(filter);
    // The last one is for everybody here, and tells that the others have been looked at.
    const rest = await who.subscribe({ q: 'the-last' });
    await test.database.query('DELETE FROM domain');
    await drop('filter.com.au', 'filter.net.au', 'filtering-long.com.au');
    await drop('the-last-of-all.asn.au');
    await until('the last', () => receivedAt(rest.path).length === 1);
    await until('the rest', () => receivedAt(path).filter(isMeant).length >= expected.length);
    expect(receivedAt(path).filter(isMeant).map(nameOf).sort()).toEqual([...expected].sort());
  });

  it('is owed from the moment a webhook is made, whatever is written at that moment', async () => {
    const who = await owner();
    const dropped: string[] = [];
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        const name = `owed-${dropped.length}.com.au`;
        await drop(name);
        dropped.push(name);
      }
    })();
    const hooks: { path: string; from: number }[] = [];
    while (hooks.length < 20) {
      const { path } = await who.subscribe({ q: 'owed-' });
      // The one that is being written may have been before it.
      hooks.push({ path, from: dropped.length + 1 });
    }
    isOver = true;
    await writing;
    await drop('owed-last.com.au');
    for (const { path, from } of hooks) {
      const names = () => receivedAt(path).map(nameOf);
      await until('the last', () => names().includes('owed-last.com.au'));
      expect(names()).toEqual(expect.arrayContaining(dropped.slice(from)));
    }
  });

  it('says nothing of names that the operator withholds', async () => {
    const who = await owner();
    const { path } = await who.subscribe({ q: 'withheld' });
    await importText(test.database, 'domain,hidden\nwithheld-one.com.au,true\nwithheld-two.com.au,false\n');
    await until('the delivery', () => receivedAt(path)[0]);
    expect(receivedAt(path).map(nameOf)).toEqual(['withheld-two.com.au']);
  });

  it('holds many events when that is asked for', async () => {
    const who = await owner();
    const { path } = await who.subscribe({ q: 'batch', batch_size: 100 });
    await drop(...Array.from({ length: 230 }, (_, place) => `batch-${place}.com.au`));
    await until('three deliveries', () => receivedAt(path).length === 3);
    expect(
      receivedAt(path)
        .map(({ body }) => (body.data as unknown[]).length)
        .sort(),
    ).toEqual([100, 100, 30]);
  });

  it('says in every attempt what it said in the first, whatever is set by then', async () => {
    receiver.mode = 'busy';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'settled', batch_size: 100 });
    await drop(...Array.from({ length: 30 }, (_, place) => `settled-${place}.com.au`));
    await settled(who, id, ({ attempts }) => attempts === 1);
    await who.call('patch', `/api/v1/webhooks/${id}`, { batch_size: 1 }).expect(200);
    receiver.mode = 'fine';
    await retryNow(id);
    await settled(who, id, ({ status }) => status === 'delivered');
    expect(receivedAt(path).map(({ body }) => (body.data as unknown[]).length)).toEqual([30, 30]);
  });

  it('is made once for each event, whoever hands it over', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'race-' });
    const outbox = test.app.get(WebhookOutbox);
    for (let round = 0; round < 10; round += 1)
      await Promise.all([
        ...Array.from({ length: 4 }, () => outbox.handOver()),
        drop(`race-${round}.com.au`),
        ...Array.from({ length: 4 }, () => outbox.handOver()),
      ]);
    await until('all', () => new Set(receivedAt(path).map(nameOf)).size === 10);
    const twice = await test.database.query(
      `SELECT event FROM webhook_delivery, unnest(events) AS event WHERE webhook_id = $1 GROUP BY event HAVING count(*) > 1`,
      [id],
    );
    expect(twice).toEqual([]);
  });

  it('is given up when its webhook is switched off, and not made when it is on again', async () => {
    receiver.mode = 'busy';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'given-up' });
    await drop('given-up-one.com.au');
    await settled(who, id, ({ attempts }) => attempts === 1);
    await who.call('patch', `/api/v1/webhooks/${id}`, { enabled: false }).expect(200);
    expect(await who.logOf(id)).toEqual([
      expect.objectContaining({
        status: 'failed',
        problem: 'the webhook was switched off',
        next_attempt_at: null,
      }),
    ]);
    receiver.mode = 'fine';
    await who.call('patch', `/api/v1/webhooks/${id}`, { enabled: true }).expect(200);
    await drop('given-up-two.com.au');
    await until('the second', () => receivedAt(path).some((one) => nameOf(one) === 'given-up-two.com.au'));
    expect(receivedAt(path).map(nameOf)).toEqual(['given-up-one.com.au', 'given-up-two.com.au']);
  });

  it('waits while the account is of a tier without webhooks', async () => {
    receiver.mode = 'busy';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'downgraded' });
    await drop('downgraded.com.au');
    await settled(who, id, ({ attempts }) => attempts === 1);
    receiver.mode = 'fine';
    await test.database.query(`UPDATE account SET tier = 'starter' WHERE id = $1`, [who.accountId]);
    await retryNow(id);
    // Whoever comes after it is served, so the queue has gone past it.
    const other = await owner();
    const later = await other.subscribe({ q: 'later' });
    await drop('later.com.au');
    await until('the other', () => receivedAt(later.path)[0]);
    expect(receivedAt(path)).toHaveLength(1);
    await test.database.query(`UPDATE account SET tier = 'pro' WHERE id = $1`, [who.accountId]);
    await until('it', () => receivedAt(path).length === 2);
  });

  it('that its owner asks for once more while the last attempt is under way is made once more', async () => {
    receiver.mode = 'silent';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'once-more' });
    await drop('once-more.com.au');
    const { id: message } = await until('the last attempt', () => receivedAt(path)[2]);
    receiver.mode = 'fine';
    const delivery = message.replace('msg_', '');
    await who.call('post', `/api/v1/webhooks/${id}/deliveries/${delivery}/redeliver`).expect(202);
    await settled(who, id, ({ status }) => status === 'delivered');
  });

  it('of a name that is withheld by then is no fault of the receiver', async () => {
    receiver.mode = 'busy';
    const who = await owner();
    const { id } = await who.subscribe({ q: 'hidden-later' });
    await drop('hidden-later.com.au');
    await settled(who, id, ({ attempts }) => attempts === 1);
    await test.database.query(`UPDATE domain SET hidden = true WHERE domain = 'hidden-later.com.au'`);
    await test.database.query('UPDATE webhook SET failing_since = NULL WHERE id = $1', [id]);
    await retryNow(id);
    const logged = await settled(who, id, ({ status }) => status === 'failed');
    expect(logged.problem).toBe('the operator withholds the names of it');
    const [row] = await test.database.query('SELECT failing_since FROM webhook WHERE id = $1', [id]);
    expect(row).toEqual({ failing_since: null });
  });

  it('goes to the address that is set by now', async () => {
    receiver.mode = 'slow';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'moving' });
    const secret = receiver.secrets.get(path) ?? '';
    await drop(...Array.from({ length: 60 }, (_, place) => `moving-${place}.com.au`));
    await until('some', () => receivedAt(path).length > 4);
    receiver.secrets.set('/moved', secret);
    await who.call('patch', `/api/v1/webhooks/${id}`, { url: `${receiver.url}/moved` }).expect(200);
    const before = receivedAt(path).length;
    await until('all', () => receivedAt(path).length + receivedAt('/moved').length === 60);
    // Four are under way at a time, and four more may have been taken up.
    expect(receivedAt(path).length).toBeLessThanOrEqual(before + 8);
  });

  it('is made by a rolled back import for nobody', async () => {
    const who = await owner();
    const { path } = await who.subscribe({ q: 'undone' });
    await test.database
      .transaction(async (transaction) => {
        await transaction.query(
          `INSERT INTO domain_event (number, type, domain, occurred_at) SELECT last_event + 1, 'domain.dropped', 'undone.com.au', now() FROM dataset`,
        );
        throw new Error('undo');
      })
      .catch(() => undefined);
    await drop('undone-not.com.au');
    await until('the delivery', () => receivedAt(path)[0]);
    expect(receivedAt(path).map(nameOf)).toEqual(['undone-not.com.au']);
  });

  it('of a test comes on request', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe();
    const { body } = await who.call('post', `/api/v1/webhooks/${id}/test`).expect(202);
    expect(body.delivery).toMatchObject({ type: 'webhook.test', status: 'pending', attempts: 0 });
    const received = await until('the test', () => receivedAt(path)[0]);
    expect(received.body).toMatchObject({ type: 'webhook.test', data: { webhook_id: id } });
  });
});

const nameOf = ({ body }: { body: { data: unknown } }) => (body.data as { domain: string }).domain;
const isMeant = (one: { body: { data: unknown } }) => nameOf(one).startsWith('filter');

describe('a receiver', () => {
  it.each([
    ['failing', { response_status: 500, problem: null }],
    ['redirecting', { response_status: 307, problem: null }],
    ['resetting', { response_status: null, problem: expect.stringContaining('socket hang up') }],
    ['silent', { response_status: null, response_text: null, problem: 'no answer within 1000 ms' }],
  ] as const)('that is %s is asked three times, with one id, and then no more', async (mode, expected) => {
    receiver.mode = mode;
    const who = await owner();
    const { id, path } = await who.subscribe({ q: mode });
    await drop(`${mode}.com.au`);
    const logged = await settled(who, id, ({ status }) => status === 'failed');
    expect(logged).toMatchObject({ attempts: 3, next_attempt_at: null, ...expected });
    expect(receivedAt(path)).toHaveLength(3);
    expect(new Set(receivedAt(path).map((one) => one.id)).size).toBe(1);
    expect(receiver.received.filter((one) => one.path === '/elsewhere')).toEqual([]);
  });

  it('that is fine again gets what it missed', async () => {
    receiver.mode = 'busy';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'recovers' });
    await drop('recovers.com.au');
    await settled(who, id, ({ attempts }) => attempts === 1);
    receiver.mode = 'fine';
    await retryNow(id);
    const logged = await settled(who, id, ({ status }) => status !== 'pending');
    expect(logged).toMatchObject({ status: 'delivered', attempts: 2, response_status: 200, problem: null });
    expect(new Set(receivedAt(path).map((one) => one.id)).size).toBe(1);
    const [row] = await test.database.query('SELECT failing_since FROM webhook WHERE id = $1', [id]);
    expect(row).toEqual({ failing_since: null });
  });

  it('that talks without end is heard for a kilobyte', async () => {
    receiver.mode = 'talkative';
    const who = await owner();
    const { id } = await who.subscribe({ q: 'talk' });
    await drop('talk.com.au');
    const logged = await settled(who, id, ({ status }) => status === 'delivered');
    expect(logged.response_text).toBe('x'.repeat(1024));
  });

  it('that says that all is well, and does not end, is believed', async () => {
    receiver.mode = 'trailing off';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'trailing' });
    await drop('trailing.com.au');
    const logged = await settled(who, id, ({ attempts }) => attempts === 1);
    expect(logged).toMatchObject({
      status: 'delivered',
      response_status: 200,
      response_text: 'well',
      problem: null,
    });
    expect(receivedAt(path)).toHaveLength(1);
  });

  it('that is gone switches its webhook off, and the owner is told', async () => {
    receiver.mode = 'gone';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'leaving' });
    await drop('leaving.com.au');
    const webhook = await until('it is off', async () => {
      const { body } = await who.call('get', `/api/v1/webhooks/${id}`);
      return body.webhook.enabled ? undefined : body.webhook;
    });
    expect(webhook.disabled_reason).toContain('410');
    expect(receivedAt(path)).toHaveLength(1);
    await until('the mail', () =>
      test.log.some((line) => line.includes('A webhook of yours was switched off')),
    );
    await who.call('post', `/api/v1/webhooks/${id}/test`).expect(409);
    const again = await who.call('patch', `/api/v1/webhooks/${id}`, { enabled: true }).expect(200);
    expect(again.body.webhook).toMatchObject({ enabled: true, disabled_reason: null });
  });

  it('that is busy is left alone for as long as it asks, by all that waits for it', async () => {
    receiver.mode = 'busy';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'busy' });
    await drop(...Array.from({ length: 20 }, (_, place) => `busy-${place}.com.au`));
    await settled(who, id, ({ attempts }) => attempts === 1);
    // Whoever comes after it is served, so the queue has gone past it.
    const later = await who.subscribe({ q: 'after-it' });
    await drop('after-it.com.au');
    await until('the other', () => receivedAt(later.path)[0]);
    // As many as were under way when it asked.
    expect(receivedAt(path).length).toBeLessThanOrEqual(4);
    for (const { status, next_attempt_at } of await who.logOf(id)) {
      expect(status).toBe('pending');
      expect(Date.parse(next_attempt_at ?? '') - Date.now()).toBeGreaterThan(3_500_000);
    }
    receiver.mode = 'fine';
    // Another address has not asked for anything.
    receiver.secrets.set('/idle', receiver.secrets.get(path) ?? '');
    await who.call('patch', `/api/v1/webhooks/${id}`, { url: `${receiver.url}/idle` }).expect(200);
    await until('the rest', () => receivedAt('/idle').length === 20 - receivedAt(path).length);
  });

  it('that only failed for five days is given up, and the owner is told', async () => {
    receiver.mode = 'failing';
    const who = await owner();
    const { id } = await who.subscribe({ q: 'hopeless' });
    await test.database.query(
      `UPDATE webhook SET failing_since = now() - interval '5 days 1 minute' WHERE id = $1`,
      [id],
    );
    const mails = () =>
      test.log.filter((line) => line.includes('nothing could be delivered for 5 days')).length;
    const before = mails();
    await drop('hopeless.com.au');
    await until(
      'it is off',
      async () => !(await who.call('get', `/api/v1/webhooks/${id}`)).body.webhook.enabled,
    );
    await until('the mail', () => mails() > before);
  });

  it('that never answers holds nobody else up', async () => {
    const who = await owner();
    const slow = await who.subscribe({ q: 'jam' });
    await test.database.query(`UPDATE webhook SET url = $2 WHERE id = $1`, [slow.id, `${silent.url}/silent`]);
    const quick = await who.subscribe({ q: 'jam' });
    await drop(...Array.from({ length: 10 }, (_, place) => `jam-${place}.com.au`));
    await until('all of the quick one', () => receivedAt(quick.path).length === 10);
    // The slow one was asked four times at once, and sits on all of them.
    expect(silent.refused).toHaveLength(4);
  });

  it('that is slow holds up none but the slow', async () => {
    const owners = await Promise.all(Array.from({ length: 3 }, () => owner()));
    const slow = await Promise.all(
      owners.flatMap((who) => Array.from({ length: 20 }, () => who.subscribe({ q: 'crowd' }))),
    );
    await test.database.query(`UPDATE webhook SET url = $2, is_slow = true WHERE id = ANY ($1)`, [
      slow.map(({ id }) => id),
      `${silent.url}/crowd`,
    ]);
    const quick = await (await owner()).subscribe({ q: 'crowd' });
    const asked = silent.refused.length;
    await drop(...Array.from({ length: 10 }, (_, place) => `crowd-${place}.com.au`));
    await until('all of the quick one', () => receivedAt(quick.path).length === 10);
    // 48 of the 60 are served at a time, with four deliveries each, and none of these has been answered.
    expect(silent.refused.length - asked).toBeLessThanOrEqual(48 * 4);
    await Promise.all(
      owners.map(({ accountId }) => test.database.query('DELETE FROM account WHERE id = $1', [accountId])),
    );
  });

  let silent: Receiver;
  beforeAll(async () => {
    silent = await startReceiver();
    silent.mode = 'silent';
  });
  afterAll(() => silent.close());
});

describe('the secret', () => {
  it('is replaced; for a day both sign, then the new one alone', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'rotated' });
    const { body } = await who.call('post', `/api/v1/webhooks/${id}/rotate-secret`).expect(200);
    await drop('rotated-one.com.au');
    // The receiver still has the old one.
    const first = await until('one', () => receivedAt(path)[0]);
    expect(first.signatures).toHaveLength(2);
    receiver.secrets.set(path, body.secret);
    await endOverlap(id);
    await drop('rotated-two.com.au');
    const second = await until('two', () => receivedAt(path)[1]);
    expect(second.signatures).toHaveLength(1);
    expect(receiver.refused.filter((line) => line.startsWith(path))).toEqual([]);
  });

  it('that was replaced signs for its day, however often the next ones are replaced', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'rotating' });
    const rotate = () => who.call('post', `/api/v1/webhooks/${id}/rotate-secret`);
    const answers = await Promise.all(Array.from({ length: 5 }, rotate));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409, 409]);
    const { body } = await rotate().expect(409);
    expect(body.error).toMatchObject({
      code: 'limit_reached',
      message: expect.stringContaining('3 earlier secrets'),
    });
    await drop('rotating.com.au');
    // The receiver still has the first one.
    const received = await until('it', () => receivedAt(path)[0]);
    expect(received.signatures).toHaveLength(4);
    await endOverlap(id);
    await test.app.get(WebhookPurge).run();
    const [left] = await test.database.query('SELECT earlier_secrets FROM webhook WHERE id = $1', [id]);
    expect(left).toEqual({ earlier_secrets: [] });
    await rotate().expect(200);
  });

  const endOverlap = (id: string) =>
    test.database.query(
      'UPDATE webhook SET earlier_until = array_fill(now(), ARRAY[cardinality(earlier_until)]) WHERE id = $1',
      [id],
    );

  it('that cannot be opened any more is said, and a rotation helps', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'lost-key' });
    // As after the operator lost the key.
    await test.database.query(`UPDATE webhook SET secret = decode(repeat('ab', 80), 'hex') WHERE id = $1`, [
      id,
    ]);
    await drop('lost-key-one.com.au');
    const logged = await settled(who, id, ({ status }) => status === 'failed');
    expect(logged.problem).toBe('the secret cannot be read any more: rotate it');
    const { body } = await who.call('post', `/api/v1/webhooks/${id}/rotate-secret`).expect(200);
    receiver.secrets.set(path, body.secret);
    const again = await who
      .call('post', `/api/v1/webhooks/${id}/deliveries/${logged.id}/redeliver`)
      .expect(202);
    expect(again.body.delivery).toMatchObject({ status: 'pending', problem: null });
    const received = await until('it', () => receivedAt(path)[0]);
    expect(received.signatures).toHaveLength(1);
  });

  it('is stored sealed, and stands in no log', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'sealed' });
    await who.call('post', `/api/v1/webhooks/${id}/test`).expect(202);
    await until('the test', () => receivedAt(path)[0]);
    const secret = receiver.secrets.get(path)?.replace('whsec_', '') ?? '';
    const [row] = await test.database.query<{ secret: Buffer; stored: string }>(
      `SELECT secret, webhook::text AS stored FROM webhook WHERE id = $1`,
      [id],
    );
    // As the text that it is shown as, and as the bytes that this stands for.
    for (const form of [Buffer.from(secret), Buffer.from(secret, 'base64')])
      expect(row?.secret.includes(form)).toBe(false);
    expect(row?.stored).not.toContain(secret);
    expect(test.log.join('\n')).not.toContain(secret);
  });
});

describe('the log', () => {
  it('goes on page by page, and a delivery can be made again with its id', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'logged' });
    await drop(...Array.from({ length: 5 }, (_, place) => `logged-${place}.com.au`));
    await until('all', () => receivedAt(path).length === 5);
    const first = await who.call('get', `/api/v1/webhooks/${id}/deliveries?limit=3`).expect(200);
    const rest = await who
      .call('get', `/api/v1/webhooks/${id}/deliveries?limit=3&after=${first.body.results[2].id}`)
      .expect(200);
    expect([first.body.has_more, rest.body.has_more]).toEqual([true, false]);
    const ids = [...first.body.results, ...rest.body.results].map((one: Logged) => one.id);
    expect(new Set(ids).size).toBe(5);
    await until('all are written down', async () =>
      (await who.logOf(id)).every((one: Logged) => one.status === 'delivered'),
    );
    await who.call('post', `/api/v1/webhooks/${id}/deliveries/${ids[0]}/redeliver`).expect(202);
    await until('it again', () => receivedAt(path).filter((one) => one.id === `msg_${ids[0]}`).length === 2);
    const none = await who.call('get', `/api/v1/webhooks/${id}/deliveries?status=failed`).expect(200);
    expect(none.body.results).toEqual([]);
  });

  it('what has happened since a time is delivered again', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'replayed', enabled: false });
    const since = new Date().toISOString();
    await drop('replayed-1.com.au', 'replayed-2.com.au', 'other-1.com.au');
    await who.call('patch', `/api/v1/webhooks/${id}`, { enabled: true }).expect(200);
    const { body } = await who.call('post', `/api/v1/webhooks/${id}/replay?since=${since}`).expect(202);
    expect(body).toEqual({ ok: true, deliveries: 2, has_more: false, next_cursor: expect.any(String) });
    await until('both', () => receivedAt(path).length === 2);
    const next = await who
      .call('post', `/api/v1/webhooks/${id}/replay?cursor=${body.next_cursor}`)
      .expect(202);
    expect(next.body).toEqual({ ...body, deliveries: 0 });
    await who.call('post', `/api/v1/webhooks/${id}/replay`).expect(400);
  });

  it('a replay leaves to the queue what nobody has handed over yet', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'not-yet' });
    const since = new Date().toISOString();
    await drop('not-yet-1.com.au');
    await until('the first', () => receivedAt(path)[0]);
    await test.database.transaction(async (transaction) => {
      // As while no worker is there.
      await transaction.query('SELECT FROM webhook_outbox FOR UPDATE');
      await drop('not-yet-2.com.au');
      const { body } = await who.call('post', `/api/v1/webhooks/${id}/replay?since=${since}`).expect(202);
      expect(body).toMatchObject({ deliveries: 1, has_more: false });
    });
    await until('all', () => receivedAt(path).length === 3);
    expect(receivedAt(path).map(nameOf).sort()).toEqual([
      'not-yet-1.com.au',
      'not-yet-1.com.au',
      'not-yet-2.com.au',
    ]);
  });

  it('one replay of an account is under way at a time, and holds up no delivery', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'at-once' });
    const since = new Date().toISOString();
    const replay = () => who.call('post', `/api/v1/webhooks/${id}/replay?since=${since}`);
    await test.database.transaction(async (transaction) => {
      // As a replay of another webhook of the account does it.
      await transaction.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
        ADVISORY_LOCKS.replay,
        who.accountId,
      ]);
      const { body } = await replay().expect(409);
      expect(body.error).toMatchObject({
        code: 'limit_reached',
        message: expect.stringContaining('Another replay'),
      });
      await drop('at-once.com.au');
      await until('the delivery', () => receivedAt(path)[0]);
    });
    await replay().expect(202);
  });

  it('is kept for thirty days', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'old' });
    await drop('old-1.com.au');
    await until('it', () => receivedAt(path)[0]);
    await settled(who, id, ({ status }) => status === 'delivered');
    await test.database.query(
      `UPDATE webhook_delivery SET created_at = now() - interval '31 days' WHERE webhook_id = $1`,
      [id],
    );
    await test.app.get(WebhookPurge).run();
    expect(await who.logOf(id)).toEqual([]);
  });
});

describe('the contract', () => {
  it('describes what receivers are sent', async () => {
    const who = await owner();
    const events = ['domain.dropped', 'domain.taken'];
    const one = await who.subscribe({ q: 'described', events });
    const many = await who.subscribe({ q: 'described', events, batch_size: 2 });
    await drop('described.com.au');
    await test.app.get(DomainRepository).recordAvailability('described.com.au', false, new Date());
    await who.call('post', `/api/v1/webhooks/${one.id}/test`).expect(202);
    const bodies = () => [...receivedAt(one.path), ...receivedAt(many.path)].map(({ body }) => body);
    await until('all five', () => bodies().length === 5);

    const { body: document } = await test.caller().get('/api/v1/openapi.json').expect(200);
    const ajv = addFormats.default(new Ajv2020.default({ strict: false })).addSchema(document, 'document');
    for (const body of bodies()) {
      const name = body.type === 'webhook.test' ? 'TestDelivery' : 'EventDelivery';
      const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
      expect({ valid: validate(body), errors: validate.errors }).toEqual({ valid: true, errors: null });
    }
    expect(Object.keys(document.webhooks)).toEqual(['domain.event', 'webhook.test']);
  });
});

describe('without the flag', () => {
  it('there is no route', async () => {
    const plain = await startTestApp(WITH_KEYS);
    try {
      const key = await addKey(plain.database, { tier: 'pro', scopes: ['webhooks', 'read'] });
      await plain.caller().get('/api/v1/webhooks').set('Authorization', key.bearer).expect(404);
      // Whoever touched a table of webhooks would be told so.
      for (const table of ['webhook', 'webhook_delivery', 'webhook_outbox'])
        await plain.database.query(`ALTER TABLE ${table} RENAME TO ${table}_away`);
      await importText(plain.database, 'domain\nquiet.com.au\n');
      await plain.caller().get('/v1/suggest').expect(200);
      expect(plain.log.filter((line) => /"level":[456]0/.test(line))).toEqual([]);
    } finally {
      await plain.close();
    }
  });
});
