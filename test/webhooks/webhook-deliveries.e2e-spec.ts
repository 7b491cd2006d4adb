import { Lifecycle } from '../../src/domains/lifecycle/lifecycle.js';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { importVouched } from '../support/import.js';
import { until } from '../support/processes.js';
import { type Logged, nameOf, useWebhooks } from '../support/webhook-owner.js';
import { ADVISORY_LOCKS } from '../../src/config/product.js';
import { settle } from '../support/domains.js';
import { WebhookPurge } from '../../src/notify/webhooks/webhooks.module.js';
import { WebhookOutbox } from '../../src/notify/webhooks/webhook-outbox.repository.js';
import { FEED_TYPES } from '../../src/domains/schema/events.js';

const hooks = useWebhooks();
const { owner, receivedAt, drop, retryNow } = hooks;
/** For the worker to find them together, however small the batches are that a busy machine has an import write. */
const dropTogether = (...names: string[]) =>
  hooks.test.database.transaction(async (transaction) => {
    await transaction.query('SELECT FROM webhook_outbox FOR UPDATE');
    await drop(...names);
  });
const isMeant = (one: Parameters<typeof nameOf>[0]) => nameOf(one).startsWith('filter');

describe('a delivery', () => {
  it('tells of a drop, signed, with the whole record', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'told' });
    await drop('told-of.com.au', 'not-of.com.au');
    const { body, id: message } = await until('the delivery', () => receivedAt(path)[0]);
    expect(body).toEqual({
      type: 'domain.dropped',
      timestamp: expect.stringMatching(/Z$/),
      number: expect.any(Number),
      numbers: [body.number],
      data: expect.objectContaining({
        domain: 'told-of.com.au',
        wayback: 5,
        hyphens: 1,
        archive: expect.any(Object),
      }),
    });
    const [event] = await hooks.test.database.query<{ number: string }>(
      `SELECT number FROM domain_event WHERE domain = 'told-of.com.au'`,
    );
    expect(body.number).toBe(Number(event?.number));
    const logged = await who.settled(id, ({ status }) => status === 'delivered');
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
    await settle(hooks.test.database, 'kinds.com.au', false);
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
    await hooks.test.database.query('DELETE FROM domain');
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
    const made: { path: string; from: number }[] = [];
    while (made.length < 20) {
      const { path } = await who.subscribe({ q: 'owed-' });
      // The one that is being written may have been before it.
      made.push({ path, from: dropped.length + 1 });
    }
    isOver = true;
    await writing;
    await drop('owed-last.com.au');
    for (const { path, from } of made) {
      const names = () => receivedAt(path).map(nameOf);
      const owed = [...dropped.slice(from), 'owed-last.com.au'];
      await until('all', () => owed.every((name) => names().includes(name)));
    }
  });

  it('says nothing of names that the operator withholds', async () => {
    const who = await owner();
    const { path } = await who.subscribe({ q: 'withheld' });
    await importVouched(
      hooks.test.database,
      'domain,hidden\nwithheld-one.com.au,true\nwithheld-two.com.au,false\n',
    );
    await until('the delivery', () => receivedAt(path)[0]);
    expect(receivedAt(path).map(nameOf)).toEqual(['withheld-two.com.au']);
  });

  it('says that a name is to be left out of copies to who asked for it, whatever its score, and nothing else of it', async () => {
    const who = await owner();
    const copy = await who.subscribe({
      ...{ q: 'copied', min_wayback: 5, events: ['domain.dropped', 'domain.removed', 'domain.restored'] },
    });
    const others = await who.subscribe({ q: 'copied' });
    await drop('copied.com.au');
    await until('the drop', () => receivedAt(copy.path)[0] && receivedAt(others.path)[0]);
    const lifecycle = hooks.test.app.get(Lifecycle);
    await lifecycle.forget('copied.com.au', new Date(), async () => undefined);
    const [, removal] = await until('the removal', () =>
      receivedAt(copy.path).length === 2 ? receivedAt(copy.path) : undefined,
    );
    expect(removal?.body).toMatchObject({
      type: 'domain.removed',
      data: { domain: 'copied.com.au', wayback: 0, available: false, register_url: null },
    });
    await drop('copied-later.com.au');
    await until('what comes after it', () => receivedAt(others.path).length === 2);
    expect(receivedAt(others.path).map(({ body }) => body.type)).toEqual([
      'domain.dropped',
      'domain.dropped',
    ]);
  });

  it('holds many events when that is asked for', async () => {
    const who = await owner();
    const { path } = await who.subscribe({ q: 'batch', batch_size: 100 });
    await dropTogether(...Array.from({ length: 230 }, (_, place) => `batch-${place}.com.au`));
    await until('three deliveries', () => receivedAt(path).length === 3);
    expect(
      receivedAt(path)
        .map(({ body }) => (body.data as unknown[]).length)
        .sort(),
    ).toEqual([100, 100, 30]);
  });

  it('says in every attempt what it said in the first, whatever is set by then', async () => {
    hooks.receiver.mode = 'busy';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'settled', batch_size: 100 });
    await dropTogether(...Array.from({ length: 30 }, (_, place) => `settled-${place}.com.au`));
    await who.settled(id, ({ attempts }) => attempts === 1);
    await who.call('patch', `/api/v1/webhooks/${id}`, { batch_size: 1 }).expect(200);
    hooks.receiver.mode = 'fine';
    await retryNow(id);
    await who.settled(id, ({ status }) => status === 'delivered');
    expect(receivedAt(path).map(({ body }) => (body.data as unknown[]).length)).toEqual([30, 30]);
  });

  it('is made once for each event, whoever hands it over', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'race-' });
    const outbox = hooks.test.app.get(WebhookOutbox);
    for (let round = 0; round < 10; round += 1)
      await Promise.all([
        ...Array.from({ length: 4 }, () => outbox.handOver()),
        drop(`race-${round}.com.au`),
        ...Array.from({ length: 4 }, () => outbox.handOver()),
      ]);
    await until('all', () => new Set(receivedAt(path).map(nameOf)).size === 10);
    const twice = await hooks.test.database.query(
      `SELECT event FROM webhook_delivery, unnest(events) AS event WHERE webhook_id = $1 GROUP BY event HAVING count(*) > 1`,
      [id],
    );
    expect(twice).toEqual([]);
  });

  it('is given up when its webhook is switched off, and not made when it is on again', async () => {
    hooks.receiver.mode = 'busy';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'given-up' });
    await drop('given-up-one.com.au');
    await who.settled(id, ({ attempts }) => attempts === 1);
    await who.call('patch', `/api/v1/webhooks/${id}`, { enabled: false }).expect(200);
    expect(await who.logOf(id)).toEqual([
      expect.objectContaining({
        status: 'failed',
        problem: 'the webhook was switched off',
        next_attempt_at: null,
      }),
    ]);
    hooks.receiver.mode = 'fine';
    await who.call('patch', `/api/v1/webhooks/${id}`, { enabled: true }).expect(200);
    await drop('given-up-two.com.au');
    await until('the second', () => receivedAt(path).some((one) => nameOf(one) === 'given-up-two.com.au'));
    expect(receivedAt(path).map(nameOf)).toEqual(['given-up-one.com.au', 'given-up-two.com.au']);
  });

  it('waits while the account is of a tier without webhooks', async () => {
    hooks.receiver.mode = 'busy';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'downgraded' });
    await drop('downgraded.com.au');
    await who.settled(id, ({ attempts }) => attempts === 1);
    hooks.receiver.mode = 'fine';
    await hooks.test.database.query(`UPDATE account SET tier = 'starter' WHERE id = $1`, [who.accountId]);
    await retryNow(id);
    // Whoever comes after it is served, so the queue has gone past it.
    const other = await owner();
    const later = await other.subscribe({ q: 'later' });
    await drop('later.com.au');
    await until('the other', () => receivedAt(later.path)[0]);
    expect(receivedAt(path)).toHaveLength(1);
    await hooks.test.database.query(`UPDATE account SET tier = 'pro' WHERE id = $1`, [who.accountId]);
    await until('it', () => receivedAt(path).length === 2);
  });

  it('that its owner asks for once more while the last attempt is under way is made once more', async () => {
    hooks.receiver.mode = 'silent';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'once-more' });
    await drop('once-more.com.au');
    for (let attempt = 1; attempt < 3; attempt += 1) {
      await until('an attempt', () => receivedAt(path).length === attempt && hooks.receiver.waiting === 1);
      hooks.receiver.answerWaiting(500);
    }
    const { id: message } = await until('the last attempt', () => receivedAt(path)[2]);
    hooks.receiver.mode = 'fine';
    const delivery = message.replace('msg_', '');
    await who.call('post', `/api/v1/webhooks/${id}/deliveries/${delivery}/redeliver`).expect(202);
    hooks.receiver.answerWaiting(500);
    await who.settled(id, ({ status }) => status === 'delivered');
  });

  it('of a name that is withheld by then is no fault of the receiver', async () => {
    hooks.receiver.mode = 'busy';
    const who = await owner();
    const { id } = await who.subscribe({ q: 'hidden-later' });
    await drop('hidden-later.com.au');
    await who.settled(id, ({ attempts }) => attempts === 1);
    await hooks.test.database.query(`UPDATE domain SET hidden = true WHERE domain = 'hidden-later.com.au'`);
    await hooks.test.database.query('UPDATE webhook SET failing_since = NULL WHERE id = $1', [id]);
    await retryNow(id);
    const logged = await who.settled(id, ({ status }) => status === 'failed');
    expect(logged.problem).toBe('the operator withholds the names of it');
    const [row] = await hooks.test.database.query('SELECT failing_since FROM webhook WHERE id = $1', [id]);
    expect(row).toEqual({ failing_since: null });
  });

  it('goes to the address that is set by now', async () => {
    hooks.receiver.mode = 'slow';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'moving' });
    const secret = hooks.receiver.secrets.get(path) ?? '';
    await drop(...Array.from({ length: 60 }, (_, place) => `moving-${place}.com.au`));
    await until('some', () => receivedAt(path).length > 4);
    hooks.receiver.secrets.set('/moved', secret);
    await who.call('patch', `/api/v1/webhooks/${id}`, { url: `${hooks.receiver.url}/moved` }).expect(200);
    const before = receivedAt(path).length;
    await until('all', () => receivedAt(path).length + receivedAt('/moved').length === 60);
    // Four are under way at a time, and four more may have been taken up.
    expect(receivedAt(path).length).toBeLessThanOrEqual(before + 8);
  });

  it('is made by a rolled back import for nobody', async () => {
    const who = await owner();
    const { path } = await who.subscribe({ q: 'undone' });
    await hooks.test.database
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

describe('the log', () => {
  it('goes on page by page, and a delivery can be made again with its id', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'logged' });
    await drop(...Array.from({ length: 5 }, (_, place) => `logged-${place}.com.au`));
    await until('all', () => receivedAt(path).length === 5);
    const first = await who.call('get', `/api/v1/webhooks/${id}/deliveries?limit=3`).expect(200);
    const rest = await who
      .call('get', `/api/v1/webhooks/${id}/deliveries?limit=3&cursor=${first.body.next_cursor}`)
      .expect(200);
    expect([first.body.has_more, rest.body.has_more]).toEqual([true, false]);
    expect(rest.body.next_cursor).toBeNull();
    const byId = await who
      .call('get', `/api/v1/webhooks/${id}/deliveries?limit=3&after=${first.body.results[2].id}`)
      .expect(200);
    expect(byId.headers).toMatchObject({
      deprecation: '@1795305600',
      link: '<https://bowerbird.example/changelog>; rel="deprecation"; type="text/html"',
    });
    expect(rest.headers).not.toHaveProperty('deprecation');
    expect(byId.body.results.map((one: Logged) => one.id)).toEqual(
      rest.body.results.map((one: Logged) => one.id),
    );
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
    const { since: told, ...rest } = body;
    expect(told).toBe(since);
    expect(rest).toEqual({ ok: true, deliveries: 2, has_more: false, next_cursor: expect.any(String) });
    await until('both', () => receivedAt(path).length === 2);
    const next = await who
      .call('post', `/api/v1/webhooks/${id}/replay?cursor=${body.next_cursor}`)
      .expect(202);
    expect(next.body).toEqual({ ...rest, deliveries: 0 });
    await who.call('post', `/api/v1/webhooks/${id}/replay`).expect(400);
    const address = `/api/v1/webhooks/${id}/replay`;
    const inBody = await who.call('post', address, { since }).expect(202);
    expect(inBody.body).toEqual(body);
    expect((await who.call('post', address, { cursor: body.next_cursor }).expect(202)).body).toEqual(
      next.body,
    );
    await who.call('post', `${address}?since=${since}`, { cursor: body.next_cursor }).expect(400);
    await who.call('post', address).type('form').send('since=x').expect(415);
  });

  it('a cursor goes on by itself, with the status that it was made for, and in its own log only', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'by-cursor' });
    await drop(...Array.from({ length: 3 }, (_, place) => `by-cursor-${place}.com.au`));
    await until('all', () => receivedAt(path).length === 3);
    await until('all are written down', async () =>
      (await who.logOf(id)).every((one: Logged) => one.status === 'delivered'),
    );
    await who.call('post', `/api/v1/webhooks/${id}/test`).expect(202);
    const list = (query: string) => who.call('get', `/api/v1/webhooks/${id}/deliveries?${query}`);
    const first = await list('status=delivered&limit=2').expect(200);
    const cursor = first.body.next_cursor;
    const rest = await list(`limit=2&cursor=${cursor}`).expect(200);
    expect(rest.body.results[0]).toMatchObject({ type: 'domain.dropped', status: 'delivered' });
    await list(`status=delivered&cursor=${cursor}`).expect(200);
    for (const wrong of [
      `status=failed&cursor=${cursor}`,
      `cursor=${cursor}x`,
      `cursor=${cursor}&after=${id}`,
    ])
      expect((await list(wrong).expect(400)).body.error.code).toBe('invalid_parameter');
    const other = await who.subscribe();
    await who.call('get', `/api/v1/webhooks/${other.id}/deliveries?cursor=${cursor}`).expect(400);
  });

  it('a replay leaves to the queue what nobody has handed over yet', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'not-yet' });
    const since = new Date().toISOString();
    await drop('not-yet-1.com.au');
    await until('the first', () => receivedAt(path)[0]);
    await hooks.test.database.transaction(async (transaction) => {
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
    await hooks.test.database.transaction(async (transaction) => {
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
    await who.settled(id, ({ status }) => status === 'delivered');
    await hooks.test.database.query(
      `UPDATE webhook_delivery SET created_at = now() - interval '31 days' WHERE webhook_id = $1`,
      [id],
    );
    await hooks.test.app.get(WebhookPurge).run();
    expect(await who.logOf(id)).toEqual([]);
  });

  it('is kept for longer where a delivery was asked for again, until that has been tried', async () => {
    hooks.receiver.mode = 'busy';
    const who = await owner();
    const { id } = await who.subscribe({ q: 'once-again' });
    await drop('once-again.com.au');
    const { id: delivery } = await who.settled(id, ({ attempts }) => attempts === 1);
    const age = (column: string) =>
      hooks.test.database.query(
        `UPDATE webhook_delivery SET ${column} = now() - interval '31 days' WHERE webhook_id = $1`,
        [id],
      );
    await age('created_at');
    await who.call('post', `/api/v1/webhooks/${id}/deliveries/${delivery}/redeliver`).expect(202);
    await hooks.test.app.get(WebhookPurge).run();
    expect(await who.logOf(id)).toEqual([expect.objectContaining({ status: 'pending' })]);
    // Nobody has tried it for as long, as while the account is of a tier without webhooks.
    await age('due_at');
    await hooks.test.app.get(WebhookPurge).run();
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
    await settle(hooks.test.database, 'described.com.au', false);
    await who.call('post', `/api/v1/webhooks/${one.id}/test`).expect(202);
    const bodies = () => [...receivedAt(one.path), ...receivedAt(many.path)].map(({ body }) => body);
    await until('all five', () => bodies().length === 5);

    const { body: document } = await hooks.test.caller().get('/api/v1/openapi.json').expect(200);
    const ajv = addFormats.default(new Ajv2020.default({ strict: false })).addSchema(document, 'document');
    for (const body of bodies()) {
      const name = body.type === 'webhook.test' ? 'TestDelivery' : 'EventDelivery';
      const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
      expect({ valid: validate(body), errors: validate.errors }).toEqual({ valid: true, errors: null });
    }
    expect(Object.keys(document.webhooks)).toEqual([...FEED_TYPES, 'webhook.test', 'webhook.challenge']);
  });
});
