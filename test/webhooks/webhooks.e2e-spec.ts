import { addKey, WITH_KEYS, WITH_WEBHOOKS } from '../support/accounts.js';
import { startTestApp } from '../support/app.js';
import { whileNothingIsNoted } from '../support/database.js';
import { importVouched } from '../support/import.js';
import { until } from '../support/processes.js';
import { useWebhooks } from '../support/webhook-owner.js';
import { WebhookPurge } from '../../src/notify/webhooks/webhooks.module.js';
import { WebhookRepository } from '../../src/notify/webhooks/webhook.repository.js';
import { openSecret, resealSecret } from '../../src/validation/sealing.js';

const hooks = useWebhooks();
const { owner, receivedAt, drop } = hooks;
/** An address that nothing is ever delivered to. */
const quiet = (url: string) => ({ url, min_wayback: 2_000_000_000 });
const ANY_CHANGE = { description: 'Mine' };

describe('a subscription', () => {
  it('is made, listed, read, changed and removed', async () => {
    const who = await owner();
    const { body, headers } = await who
      .call('post', '/api/v1/webhooks', {
        url: 'https://example.com/hook',
        tld: ['com.au'],
        q: 'cafe',
        max_length: 12,
      })
      .expect(201);
    expect(headers.location).toBe(`/api/v1/webhooks/${body.webhook.id}`);
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(body.webhook).toEqual({
      id: expect.any(String),
      url: 'https://example.com/hook',
      description: '',
      events: ['domain.dropped'],
      watched_only: false,
      tld: ['com.au'],
      q: 'cafe',
      mode: 'contains',
      min_wayback: 0,
      min_length: null,
      max_length: 12,
      batch_size: 1,
      enabled: true,
      disabled_reason: null,
      host_proven: false,
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
    const { id } = await who.subscribe(quiet(`${hooks.receiver.url}/forms`));
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
    await hooks.test.caller().get('/api/v1/webhooks').expect(401);
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

  it('a webhook is there with its key or not at all, and removing it frees the key', async () => {
    const who = await owner();
    const { database } = hooks.test;
    const send = () =>
      who.call('post', '/api/v1/webhooks', quiet('https://example.com/')).set('Idempotency-Key', 'whole');
    // As when its process is killed between the two.
    await database.query(`
      CREATE FUNCTION refuse_key() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'no more room'; END $$;
      CREATE TRIGGER refuse_key BEFORE INSERT ON idempotent_request FOR EACH ROW EXECUTE FUNCTION refuse_key()`);
    try {
      await send().expect(500);
      const { id } = await who.subscribe();
      await who.call('post', `/api/v1/webhooks/${id}/test`).set('Idempotency-Key', 'whole').expect(500);
      expect(await who.logOf(id)).toEqual([]);
      await who.call('delete', `/api/v1/webhooks/${id}`).expect(204);
    } finally {
      await database.query('DROP FUNCTION refuse_key CASCADE');
    }
    expect((await who.call('get', '/api/v1/webhooks')).body.results).toEqual([]);
    const { body: first } = await send().expect(201);
    expect((await send().expect(201)).body).toEqual(first);
    await who.call('delete', `/api/v1/webhooks/${first.webhook.id}`).expect(204);
    expect((await send().expect(201)).body.webhook.id).not.toBe(first.webhook.id);
  });

  it('a new secret is one for each key, and is told until it is replaced', async () => {
    const who = await owner();
    const { id } = await who.subscribe();
    const rotate = (key: string) =>
      who.call('post', `/api/v1/webhooks/${id}/rotate-secret`).set('Idempotency-Key', key);
    const [first, again] = [await rotate('one').expect(200), await rotate('one').expect(200)];
    expect(again.body).toEqual(first.body);
    expect((await rotate('two').expect(200)).body.secret).not.toBe(first.body.secret);
    expect((await rotate('one').expect(409)).body.error.message).toContain('replaced since');
  });

  it('is changed and removed as the version that If-Match names, or not at all', async () => {
    const who = await owner();
    const { id } = await who.subscribe();
    const path = `/api/v1/webhooks/${id}`;
    const before = await who.call('get', path).expect(200);
    const tag = String(before.headers.etag);
    const change = (description: string, ifMatch: string) =>
      who.call('patch', path, { description }).set('If-Match', ifMatch);
    await change('one', '"another"').expect(412);
    const at = await Promise.all(['two', 'three'].map((words) => change(words, tag)));
    expect(at.map(({ status }) => status).sort()).toEqual([200, 412]);
    await who.call('delete', path).set('If-Match', tag).expect(412);
    await who.call('delete', path).set('If-Match', '*').expect(204);
  });

  it('the same holds for a test and a replay, which say where their log is', async () => {
    const who = await owner();
    const { id } = await who.subscribe({ events: ['domain.dropped'] });
    const log = `/api/v1/webhooks/${id}/deliveries`;
    const send = (what: string, body: object, key: string) =>
      who.call('post', `/api/v1/webhooks/${id}/${what}`, body).set('Idempotency-Key', key);
    const [first, again] = [await send('test', {}, 'test-1'), await send('test', {}, 'test-1')];
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.body.delivery.id).toBe(first.body.delivery.id);
    expect([first.headers.location, again.headers.location]).toEqual([log, log]);
    expect(await who.logOf(id)).toHaveLength(1);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const replayed = await send('replay', { since }, 'replay-1').expect(202);
    expect((await send('replay', { since }, 'replay-1').expect(202)).body).toEqual(replayed.body);
    expect(replayed.headers.location).toBe(log);
    await send('replay', { since: new Date().toISOString() }, 'replay-1').expect(409);
    expect((await send('test', {}, 'replay-1').expect(409)).headers).not.toHaveProperty('location');
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
    await hooks.test.database.query(`UPDATE webhook SET url = 'http://example.com/' WHERE id = $1`, [id]);
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
    [{ url: 'https://example.com', tld: null }, 'tld must be a list'],
    [{ url: 'https://example.com', tld: 'com.au' }, 'tld must be a list'],
    [{ url: 'https://example.com', events: 'domain.dropped' }, 'events must be a list'],
    [{ url: 'https://example.com', description: null }, 'description must be text'],
    [{ url: 'https://example.com', description: 5 }, 'description must be text'],
    [[], 'The body must be one object, not a list'],
    [[{ url: 'https://example.com' }], 'The body must be one object, not a list'],
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

  it.each(['url', 'tld', 'events', 'q', 'another'])(
    'refuses lists within lists as %s, however deep, by its name',
    async (name) => {
      const who = await owner();
      for (const depth of [5, 1500, 3000]) {
        const nested = `{"${name}":${'['.repeat(depth)}${']'.repeat(depth)}}`;
        const { body } = await who.call('post', '/api/v1/webhooks').type('json').send(nested).expect(400);
        expect(body.error).toMatchObject({
          code: 'invalid_parameter',
          message: `${name} holds lists or objects more than 4 deep`,
        });
      }
    },
  );
});

describe('the secret', () => {
  it('is told although the audit log takes no entry, of which there is an error line', async () => {
    const who = await owner();
    const { database } = hooks.test;
    const { body: made } = await whileNothingIsNoted(database, async () =>
      who.call('post', '/api/v1/webhooks', quiet('https://example.com/unnoted')).expect(201),
    );
    const path = `/api/v1/webhooks/${made.webhook.id}`;
    const { body: rotated } = await whileNothingIsNoted(database, async () =>
      who.call('post', `${path}/rotate-secret`).expect(200),
    );
    for (const { secret } of [made, rotated]) expect(secret).toMatch(/^whsec_/);
    expect(rotated.webhook.id).toBe(made.webhook.id);
    const lines = hooks.test.log.filter((line) => line.includes(who.accountId));
    for (const action of ['webhook.create', 'webhook.rotate'])
      expect(lines).toContainEqual(expect.stringContaining(`Not in the audit log: ${action} by account`));
  });

  it('is replaced; for a day both sign, then the new one alone', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'rotated' });
    const { body } = await who.call('post', `/api/v1/webhooks/${id}/rotate-secret`).expect(200);
    await drop('rotated-one.com.au');
    // The receiver still has the old one.
    const first = await until('one', () => receivedAt(path)[0]);
    expect(first.signatures).toHaveLength(2);
    hooks.receiver.secrets.set(path, body.secret);
    await endOverlap(id);
    await drop('rotated-two.com.au');
    const second = await until('two', () => receivedAt(path)[1]);
    expect(second.signatures).toHaveLength(1);
    expect(hooks.receiver.refused.filter((line) => line.startsWith(path))).toEqual([]);
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
    await hooks.test.app.get(WebhookPurge).run();
    const [left] = await hooks.test.database.query('SELECT earlier_secrets FROM webhook WHERE id = $1', [id]);
    expect(left).toEqual({ earlier_secrets: [] });
    await rotate().expect(200);
  });

  it('that leaked signs nothing more, nor does any before it', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'leaked' });
    const rotate = (rotation?: object) => who.call('post', `/api/v1/webhooks/${id}/rotate-secret`, rotation);
    for (const wrong of [-1, 86_401, 1.5, '0', null])
      expect((await rotate({ overlap_seconds: wrong }).expect(400)).body.error.message).toBe(
        'overlap_seconds must be a whole number from 0 to 86400',
      );
    for (let earlier = 0; earlier < 3; earlier += 1) await rotate({ overlap_seconds: 3_600 }).expect(200);
    await rotate().expect(409);
    const { body } = await rotate({ overlap_seconds: 0 }).expect(200);
    hooks.receiver.secrets.set(path, body.secret);
    await drop('leaked.com.au');
    expect((await until('it', () => receivedAt(path)[0])).signatures).toHaveLength(1);
    // A short overlap ends those before it as well.
    await rotate().expect(200);
    await rotate({ overlap_seconds: 60 }).expect(200);
    const [left] = await hooks.test.database.query(
      `SELECT bool_and(ends <= now() + interval '1 minute') AS soon FROM webhook, unnest(earlier_until) AS ends
        WHERE id = $1`,
      [id],
    );
    expect(left).toEqual({ soon: true });
  });

  const endOverlap = (id: string) =>
    hooks.test.database.query(
      'UPDATE webhook SET earlier_until = array_fill(now(), ARRAY[cardinality(earlier_until)]) WHERE id = $1',
      [id],
    );

  it('that cannot be opened any more is said, and a rotation helps', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'lost-key' });
    // As after the operator lost the key.
    await hooks.test.database.query(
      `UPDATE webhook SET secret = decode(repeat('ab', 80), 'hex') WHERE id = $1`,
      [id],
    );
    await drop('lost-key-one.com.au');
    const logged = await who.settled(id, ({ status }) => status === 'failed');
    expect(logged.problem).toBe('the secret cannot be read any more: rotate it');
    const { body } = await who.call('post', `/api/v1/webhooks/${id}/rotate-secret`).expect(200);
    hooks.receiver.secrets.set(path, body.secret);
    const again = await who
      .call('post', `/api/v1/webhooks/${id}/deliveries/${logged.id}/redeliver`)
      .expect(202);
    expect(again.body.delivery).toMatchObject({ status: 'pending', problem: null });
    const received = await until('it', () => receivedAt(path)[0]);
    expect(received.signatures).toHaveLength(1);
  });

  it('is sealed anew with another key of the operator, as are the earlier ones that still sign', async () => {
    const who = await owner();
    const { id } = await who.subscribe({});
    for (let earlier = 0; earlier < 2; earlier += 1)
      await who.call('post', `/api/v1/webhooks/${id}/rotate-secret`).expect(200);
    const { app, database } = hooks.test;
    const webhooks = app.get(WebhookRepository);
    const { WEBHOOK_SECRET_KEY: last } = WITH_WEBHOOKS;
    const next = Buffer.alloc(32, 9).toString('base64');
    const opened = async (key: string) => {
      const [row] = await database.query<{ secrets: Buffer[] }>(
        'SELECT secret || earlier_secrets AS secrets FROM webhook WHERE id = $1',
        [id],
      );
      return row?.secrets.map((sealed) => openSecret(sealed, id, [key]));
    };
    const before = await opened(last);
    expect(new Set(before).size).toBe(3);
    expect(before).not.toContain(null);
    const reseal = (...keys: string[]) =>
      webhooks.resealSecrets((sealed, webhook) => resealSecret(sealed, webhook, keys));
    const count = await reseal(next, last);
    expect(count).toBeGreaterThanOrEqual(3);
    expect(await opened(next)).toEqual(before);
    expect(await reseal(next, last)).toBe(0);
    expect(await reseal(last, next)).toBe(count);
    expect(await opened(last)).toEqual(before);
  });

  it('is stored sealed, and stands in no log', async () => {
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'sealed' });
    await who.call('post', `/api/v1/webhooks/${id}/test`).expect(202);
    await until('the test', () => receivedAt(path)[0]);
    const secret = hooks.receiver.secrets.get(path)?.replace('whsec_', '') ?? '';
    const [row] = await hooks.test.database.query<{ secret: Buffer; stored: string }>(
      `SELECT secret, webhook::text AS stored FROM webhook WHERE id = $1`,
      [id],
    );
    // As the text that it is shown as, and as the bytes that this stands for.
    for (const form of [Buffer.from(secret), Buffer.from(secret, 'base64')])
      expect(row?.secret.includes(form)).toBe(false);
    expect(row?.stored).not.toContain(secret);
    expect(hooks.test.log.join('\n')).not.toContain(secret);
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
      await importVouched(plain.database, 'domain\nquiet.com.au\n');
      await plain.caller().get('/v1/suggest').expect(200);
      expect(plain.log.filter((line) => /"level":[456]0/.test(line))).toEqual([]);
    } finally {
      await plain.close();
    }
  });
});
