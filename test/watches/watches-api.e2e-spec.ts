import { IdempotentRequestRepository } from '../../src/access/idempotent-request.repository.js';
import { NotificationMatcher } from '../../src/notify/watches/notification-matcher.js';
import { until } from '../support/processes.js';
import { nameOf, useWebhooks, type WebhookOwner } from '../support/webhook-owner.js';

const PATH = '/api/v1/watches';
const hooks = useWebhooks();
const { owner, receivedAt, drop } = hooks;

async function matched(): Promise<void> {
  await until('all events are matched', async () => {
    await hooks.test.app.get(NotificationMatcher).handOver(new Date());
    const [row] = await hooks.test.database.query<{ done: boolean }>(
      'SELECT (SELECT last_event FROM watch_outbox) = last_event AS done FROM dataset',
    );
    return row?.done;
  });
}
const namesAt = (path: string) => receivedAt(path).map(nameOf).sort();
const arrivedAt = (path: string, count: number) =>
  until('the deliveries', () => (receivedAt(path).length >= count ? namesAt(path) : undefined));

describe('/api/v1/watches', () => {
  it('adds, lists and removes what an account watches', async () => {
    const who = await owner();
    const { body } = await who
      .call('post', PATH, { domain: 'Api-Watched.COM.AU', on: ['dropped', 'confirmed'] })
      .expect(201);
    expect(body).toEqual({
      ok: true,
      watch: {
        id: expect.any(String),
        domain: 'api-watched.com.au',
        search: null,
        on: ['dropped', 'confirmed'],
        told: true,
        created_at: expect.any(String),
      },
    });
    const again = await who.call('post', PATH, { domain: 'api-watched.com.au' }).expect(201);
    expect(again.body.watch).toEqual({
      ...body.watch,
      on: ['listed', 'dropped', 'confirmed', 'gone'],
    });
    const search = await who.call('post', PATH, { search: 'sort=length&q=cafe&tld=com.au' }).expect(201);
    expect(search.body.watch).toMatchObject({ domain: null, search: 'q=cafe&tld=com.au', on: ['confirmed'] });
    const list = await who.call('get', PATH).expect(200);
    expect(list.body).toEqual({
      ok: true,
      results: [again.body.watch, search.body.watch],
      has_more: false,
      next_cursor: null,
      max_names: 1_000,
      max_searches: 1_000,
    });
    await who.call('delete', `${PATH}/${body.watch.id}`).expect(204);
    await who.call('delete', `${PATH}/${body.watch.id}`).expect(404);
    expect((await who.call('get', PATH).expect(200)).body.results).toEqual([search.body.watch]);
  });

  it('says where a watch is, reads it there, and knows those of the account alone', async () => {
    const who = await owner();
    const other = await owner();
    const { body, headers } = await who.call('post', PATH, { domain: 'at-its-place.com.au' }).expect(201);
    const place = String(headers.location);
    expect(place).toBe(`${PATH}/${body.watch.id}`);
    const read = await who.call('get', place).expect(200);
    expect(read.body).toEqual(body);
    const stale = await who.call('delete', place).set('If-Match', '"another"').expect(412);
    expect(stale.body.error.code).toBe('bad_request');
    expect((await other.call('get', place).expect(404)).body.error.code).toBe('not_found');
    await who.call('get', `${PATH}/nothing`).expect(400);
    await who.call('delete', place).set('If-Match', String(read.headers.etag)).expect(204);
    await who.call('get', place).expect(404);
  });

  it('a request with an Idempotency-Key makes one watch, until that is removed', async () => {
    const who = await owner();
    const send = (body: object, key = 'watch-1') => who.call('post', PATH, body).set('Idempotency-Key', key);
    const name = { domain: 'sent-twice.com.au', on: ['dropped'] };
    const first = await send(name).expect(201);
    // Changed since: the answer is the watch as it is now, and the first request is not done again.
    await who.call('post', PATH, { ...name, on: ['gone'] }).expect(201);
    const again = await send(name).expect(201);
    expect(again.body.watch).toEqual({ ...first.body.watch, on: ['gone'] });
    expect(again.headers.location).toBe(first.headers.location);
    const other = await send({ domain: 'another.com.au' }).expect(409);
    expect(other.body.error.code).toBe('idempotency_conflict');
    await who.call('delete', String(first.headers.location)).expect(204);
    const anew = await send(name).expect(201);
    expect(anew.body.watch.id).not.toBe(first.body.watch.id);
    // A request that failed frees its key, and another account has keys of its own.
    await send({ domain: 'no name' }, 'watch-2').expect(400);
    await send({ domain: 'a-name.com.au' }, 'watch-2').expect(201);
    const stranger = await owner();
    await stranger
      .call('post', PATH, { domain: 'mine.com.au' })
      .set('Idempotency-Key', 'watch-1')
      .expect(201);
    await send(name, 'a b').expect(400);
  });

  it('a key is kept for a day, and one whose request made nothing is free at once', async () => {
    const who = await owner();
    const { database } = hooks.test;
    const send = () =>
      who.call('post', PATH, { domain: 'made-once.com.au' }).set('Idempotency-Key', 'made-once');
    // As when its process is killed before the end.
    await database.query(`
      CREATE FUNCTION refuse_reference() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'no more room'; END $$;
      CREATE TRIGGER refuse_reference BEFORE INSERT ON idempotent_request
        FOR EACH ROW EXECUTE FUNCTION refuse_reference()`);
    try {
      await send().expect(500);
    } finally {
      await database.query('DROP FUNCTION refuse_reference CASCADE');
    }
    expect((await who.call('get', PATH).expect(200)).body.results).toEqual([]);
    await send().expect(201);
    const kept = () => database.query(`SELECT FROM idempotent_request WHERE key = 'made-once'`);
    const age = (hours: number) =>
      database.query(
        `UPDATE idempotent_request SET begun_at = now() - make_interval(hours => $1) WHERE key = 'made-once'`,
        [hours],
      );
    await age(23);
    await hooks.test.app.get(IdempotentRequestRepository).deleteOld();
    expect(await kept()).toHaveLength(1);
    await age(25);
    await who
      .call('post', PATH, { domain: 'another-day.com.au' })
      .set('Idempotency-Key', 'made-once')
      .expect(201);
    await age(25);
    await hooks.test.app.get(IdempotentRequestRepository).deleteOld();
    expect(await kept()).toEqual([]);
  });

  it('lists in pages, each watch once, whichever goes meanwhile', async () => {
    const who = await owner();
    const made: object[] = [];
    for (const body of [
      { domain: 'page-1.au' },
      { domain: 'page-2.au' },
      { domain: 'page-3.au' },
      { search: 'q=pagea' },
      { search: 'q=pageb' },
    ])
      made.push((await who.call('post', PATH, body).expect(201)).body.watch);
    const [one, two, three, four, five] = made;
    const first = (await who.call('get', `${PATH}?limit=2`).expect(200)).body;
    expect([first.results, first.has_more]).toEqual([[three, two], true]);
    await who.call('delete', `${PATH}/${first.results[1].id}`).expect(204);
    const second = (await who.call('get', `${PATH}?limit=2&cursor=${first.next_cursor}`).expect(200)).body;
    expect([second.results, second.has_more]).toEqual([[one, five], true]);
    const third = (await who.call('get', `${PATH}?limit=2&cursor=${second.next_cursor}`).expect(200)).body;
    expect(third).toMatchObject({ results: [four], has_more: false, next_cursor: null });
    await (await owner()).call('get', `${PATH}?cursor=${first.next_cursor}`).expect(400);
    await who.call('get', `${PATH}?limit=101`).expect(400);
  });

  it.each([
    ['neither', {}, 400, 'invalid_parameter'],
    ['both', { domain: 'a.com.au', search: 'q=abc' }, 400, 'invalid_parameter'],
    ['no name', { domain: 'example.com' }, 400, 'domain_suffix_unsupported'],
    ['nothing to be told', { domain: 'a.com.au', on: [] }, 400, 'invalid_parameter'],
    ['every name', { search: 'sort=length' }, 400, 'invalid_parameter'],
    ['another field', { domain: 'a.com.au', mail: true }, 400, 'invalid_parameter'],
  ])('refuses %s', async (_, body, status, code) => {
    const answer = await (await owner()).call('post', PATH, body).expect(status);
    expect(answer.body.error.code).toBe(code);
  });

  it('is for keys that may, and holds as much as the tier has room for', async () => {
    await hooks.test.caller().get(PATH).expect(401);
    const reader = await owner({ scopes: ['read'] });
    expect((await reader.call('get', PATH).expect(403)).body.error.code).toBe('scope_required');
    const member = await owner({ tier: 'member' });
    for (let count = 1; count <= 10; count += 1)
      await member.call('post', PATH, { domain: `room-${count}.au` }).expect(201);
    const { body } = await member.call('post', PATH, { domain: 'room-11.au' }).expect(409);
    expect(body.error.code).toBe('limit_reached');
    const stranger = await owner();
    const [{ id }] = (await member.call('get', PATH).expect(200)).body.results;
    await stranger.call('delete', `${PATH}/${id}`).expect(404);
  });
});

describe('a webhook of what is watched', () => {
  const watch = async (who: WebhookOwner, ...bodies: object[]) => {
    for (const body of bodies) await who.call('post', PATH, body).expect(201);
  };

  it('is told of that alone, once, as far as its other filters go', async () => {
    const [who, other] = [await owner(), await owner()];
    const all = { watched_only: true, events: ['domain.dropped', 'domain.listed', 'domain.purged'] };
    const watched = await who.subscribe(all);
    const narrow = await who.subscribe({ ...all, tld: ['net.au'] });
    const usual = await who.subscribe();
    const others = await other.subscribe(all);
    await watch(who, { domain: 'hooked-one.com.au' }, { search: 'q=hooked&tld=net.au' });
    await watch(other, { domain: 'hooked-other.com.au', on: ['listed'] });
    await drop('hooked-one.com.au', 'hooked-two.net.au', 'hooked-other.com.au');
    await matched();
    expect(await arrivedAt(watched.path, 2)).toEqual(['hooked-one.com.au', 'hooked-two.net.au']);
    expect(await arrivedAt(narrow.path, 1)).toEqual(['hooked-two.net.au']);
    expect(await arrivedAt(usual.path, 3)).toHaveLength(3);
    expect(await other.logOf(others.id)).toEqual([]);
    const { body } = await who
      .call('post', `/api/v1/webhooks/${watched.id}/replay`, { since: '2026-01-01T00:00:00Z' })
      .expect(202);
    expect(body.deliveries).toBe(2);
    expect(await arrivedAt(watched.path, 4)).toHaveLength(4);
  });

  it('gets many deliveries in many transactions, of which none is large', async () => {
    const who = await owner();
    const { id } = await who.subscribe({ watched_only: true, events: ['domain.dropped'] });
    await watch(who, { search: 'q=manifold&tld=com.au' });
    // More than an account may have, and nobody delivers to them meanwhile.
    await hooks.test.database.query(`UPDATE webhook SET not_before = '2100-01-01' WHERE id = $1`, [id]);
    await hooks.test.database.query(
      `INSERT INTO webhook (account_id, url, description, event_types, suffixes, mode, min_wayback, batch_size, secret, enabled, after_event, watched_only, not_before)
       SELECT account_id, url, description, event_types, suffixes, mode, min_wayback, batch_size, secret, enabled, after_event, watched_only, not_before
         FROM webhook, generate_series(1, 99) WHERE id = $1`,
      [id],
    );
    await drop(...Array.from({ length: 300 }, (_, place) => `manifold-${place}.com.au`));
    await matched();
    const batches = await hooks.test.database.query<{ made: number }>(
      `SELECT count(*)::int AS made FROM webhook_delivery JOIN webhook ON webhook.id = webhook_id
        WHERE account_id = $1 GROUP BY webhook_delivery.created_at ORDER BY made DESC`,
      [who.accountId],
    );
    expect(batches.reduce((sum, { made }) => sum + made, 0)).toBe(30_000);
    // With the notices it is 20,000, and no more than those of one event beyond it.
    expect(batches[0]?.made).toBeLessThanOrEqual(20_000);
    await hooks.test.database.query('DELETE FROM webhook WHERE account_id = $1', [who.accountId]);
  });

  it('is told of all that a watch can tell of, unless it asks for less, and asks for nothing else', async () => {
    const who = await owner();
    const { id } = await who.subscribe({ watched_only: true });
    const path = `/api/v1/webhooks/${id}`;
    const { body } = await who.call('get', path).expect(200);
    expect([...body.webhook.events].sort()).toEqual([
      'domain.delisted',
      'domain.dropped',
      'domain.listed',
      'domain.purged',
      'domain.rescued',
      'domain.taken',
    ]);
    const url = `${hooks.receiver.url}/unwatched`;
    const events = ['domain.dropped', 'domain.removed'];
    const refused = [
      await who.call('post', '/api/v1/webhooks', { url, watched_only: true, events }).expect(400),
      await who.call('patch', path, { events }).expect(400),
    ];
    for (const answer of refused)
      expect(answer.body.error.message).toBe(
        'events must not have domain.removed with watched_only: no watch tells of it',
      );
  });

  it('that becomes one is told of what is watched from then on', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'becomes' });
    await watch(who, { domain: 'becomes-one.com.au' });
    await drop('becomes-none.com.au');
    expect(await arrivedAt(path, 1)).toEqual(['becomes-none.com.au']);
    await who.call('patch', `/api/v1/webhooks/${id}`, { watched_only: true }).expect(200);
    await drop('becomes-one.com.au', 'becomes-nothing.com.au');
    await matched();
    expect(await arrivedAt(path, 2)).toEqual(['becomes-none.com.au', 'becomes-one.com.au']);
    expect(await who.logOf(id)).toHaveLength(2);
  });

  it('waits for nothing where the tier has no webhooks any more', async () => {
    const who = await owner();
    const { id } = await who.subscribe({ watched_only: true });
    await watch(who, { domain: 'lowered-one.com.au' });
    await hooks.test.database.query(`UPDATE account SET tier = 'member' WHERE id = $1`, [who.accountId]);
    await drop('lowered-one.com.au');
    await matched();
    const made = await hooks.test.database.query('SELECT FROM webhook_delivery WHERE webhook_id = $1', [id]);
    expect(made).toHaveLength(0);
  });
});
