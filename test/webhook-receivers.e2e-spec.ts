import { WITH_WEBHOOKS } from './support/accounts.js';
import { startTestApp, type TestApp } from './support/app.js';
import { createTestDatabase } from './support/database.js';
import { until } from './support/processes.js';
import { addOwner, dropNames, receivedAt, type WebhookOwner } from './support/webhook-owner.js';
import { type Receiver, startReceiver } from './support/webhook-receiver.js';
import { WebhookPurge } from '../src/webhooks/deliveries/webhook-purge.js';

/** What a receiver has by default. */
const TIME_LIMIT_MS = 15_000;

let test: TestApp;
let receiver: Receiver;
let who: WebhookOwner;
beforeAll(async () => {
  test = await startTestApp({
    ...WITH_WEBHOOKS,
    WEBHOOK_RETRY_SECONDS: '0,0.01,0.01',
    TIERS: JSON.stringify({ pro: { requestsPerMinute: 100_000 } }),
  });
  receiver = await startReceiver();
  who = await addOwner(test, receiver);
});
afterAll(async () => {
  await receiver.close();
  await test.close();
});
beforeEach(() => {
  receiver.mode = 'fine';
});

const isOff = async (id: string) =>
  !(await who.call('get', `/api/v1/webhooks/${id}`).expect(200)).body.webhook.enabled;

describe('switching a webhook off', () => {
  it('gives up nothing that is delivered at that moment', async () => {
    receiver.mode = 'busy';
    const { id } = await who.subscribe({ q: 'photo-finish' });
    await dropNames(test, 'photo-finish.com.au');
    await who.settled(id, ({ attempts }) => attempts === 1);
    let switchingOff: Promise<unknown> = Promise.resolve();
    await test.database.transaction(async (transaction) => {
      await transaction.query(`UPDATE webhook_delivery SET status = 'delivered' WHERE webhook_id = $1`, [id]);
      switchingOff = who.call('patch', `/api/v1/webhooks/${id}`, { enabled: false }).expect(200);
      switchingOff.catch(() => undefined);
      await until('it waits for the delivery', async () => {
        const waiting = await test.database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      });
    });
    await switchingOff;
    expect(await who.logOf(id)).toEqual([expect.objectContaining({ status: 'delivered', problem: null })]);
  });

  it('tells the owner although giving up failed, which is made up for', async () => {
    await test.database.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'it took too long' USING ERRCODE = 'query_canceled'; END $$`,
    );
    await test.database.query(
      `CREATE TRIGGER refuse BEFORE UPDATE ON webhook_delivery FOR EACH ROW
         WHEN (NEW.problem = 'the webhook was switched off') EXECUTE FUNCTION refuse()`,
    );
    receiver.mode = 'gone';
    const { id, path } = await who.subscribe({ q: 'unlucky' });
    await dropNames(test, ...Array.from({ length: 6 }, (_, place) => `unlucky-${place}.com.au`));
    await until('the mail', () => test.log.some((line) => line.includes(`${path} have stopped`)));
    expect(await isOff(id)).toBe(true);
    await test.database.query('DROP FUNCTION refuse CASCADE');
    await test.app.get(WebhookPurge).run();
    const states = (await who.logOf(id)).map(({ status }) => status);
    expect(states).toEqual(Array(6).fill('failed'));
  });

  it('is told once, and also when whoever was to tell has ended before', async () => {
    receiver.mode = 'gone';
    const { id, path } = await who.subscribe({ q: 'to-be-told' });
    const mails = () => test.log.filter((line) => line.includes(`${path} have stopped`)).length;
    await dropNames(test, 'to-be-told.com.au');
    await until('the mail, and that it is written down', async () => {
      const told = await test.database.query(
        'SELECT FROM webhook WHERE id = $1 AND NOT enabled AND tell_owner_after IS NULL',
        [id],
      );
      return told.length > 0;
    });
    const purge = test.app.get(WebhookPurge);
    await purge.run();
    expect(mails()).toBe(1);
    await test.database.query('UPDATE webhook SET tell_owner_after = now() WHERE id = $1', [id]);
    await Promise.all([purge.run(), purge.run()]);
    await purge.run();
    expect(mails()).toBe(2);
  });
});

describe('another address', () => {
  const move = (id: string, path: string) => {
    receiver.secrets.set('/moved', receiver.secrets.get(path) ?? '');
    return who.call('patch', `/api/v1/webhooks/${id}`, { url: `${receiver.url}/moved` }).expect(200);
  };
  const knownOf = async (id: string) =>
    (
      await test.database.query('SELECT failing_since, is_slow, not_before FROM webhook WHERE id = $1', [id])
    )[0];
  const NOTHING = { failing_since: null, is_slow: false, not_before: null };

  it('is not known for what the one before it did', async () => {
    receiver.mode = 'busy';
    const { id, path } = await who.subscribe({ q: 'moves-house' });
    await dropNames(test, 'moves-house.com.au');
    await who.settled(id, ({ attempts }) => attempts === 1);
    expect(await knownOf(id)).toMatchObject({
      failing_since: expect.any(Date),
      not_before: expect.any(Date),
    });
    await move(id, path);
    expect(await knownOf(id)).toEqual(NOTHING);
  });

  it('gets what the one before it still says to be gone for', async () => {
    receiver.mode = 'silent';
    const { id, path } = await who.subscribe({ q: 'moves-on' });
    await dropNames(test, 'moves-on.com.au');
    await until('it is asked', () => receivedAt(receiver, path)[0]);
    await move(id, path);
    receiver.mode = 'fine';
    receiver.answerWaiting(410);
    await who.settled(id, ({ status }) => status === 'delivered');
    expect(receivedAt(receiver, '/moved')).toHaveLength(1);
    expect(await isOff(id)).toBe(false);
    expect(await knownOf(id)).toEqual(NOTHING);
  });
});

describe('receivers that fall silent', () => {
  it('all at once hold up the others for a second, not until their time is up', async () => {
    receiver.mode = 'silent';
    // More than are served at a time, and none of them known for it yet.
    const owners = await Promise.all(Array.from({ length: 4 }, () => addOwner(test, receiver)));
    await Promise.all(
      owners.flatMap((one) => Array.from({ length: 18 }, () => one.subscribe({ q: 'hush' }))),
    );
    const quick = await who.subscribe({ q: 'loud' });
    const before = receiver.received.length;
    await dropNames(test, 'hush.com.au');
    await until('all places are taken', () => receiver.received.length - before >= 64);
    const start = performance.now();
    await dropNames(test, 'loud.com.au');
    await until('the delivery', () => receivedAt(receiver, quick.path)[0]);
    expect(performance.now() - start).toBeLessThan(TIME_LIMIT_MS / 2);
    receiver.answerWaiting(200);
  });
});

describe('a receiver that never answers', () => {
  let silent: Receiver;
  beforeEach(async () => {
    silent = await startReceiver();
    silent.mode = 'silent';
  });
  afterEach(() => silent.close());

  it('alone holds nobody else up', async () => {
    const slow = await who.subscribe({ q: 'jam' });
    await test.database.query(`UPDATE webhook SET url = $2 WHERE id = $1`, [slow.id, `${silent.url}/silent`]);
    const quick = await who.subscribe({ q: 'jam' });
    await dropNames(test, ...Array.from({ length: 10 }, (_, place) => `jam-${place}.com.au`));
    await until('all of the quick one', () => receivedAt(receiver, quick.path).length === 10);
    // The slow one is asked four times at once, and sits on all of them.
    await until('the four', () => silent.mostAtOnce >= 4);
    expect(silent.mostAtOnce).toBe(4);
  });

  it('among many that are known to be slow holds up none but these', async () => {
    const owners = await Promise.all(Array.from({ length: 3 }, () => addOwner(test, receiver)));
    const slow = await Promise.all(
      owners.flatMap((who) => Array.from({ length: 20 }, () => who.subscribe({ q: 'crowd' }))),
    );
    await test.database.query(`UPDATE webhook SET url = $2, is_slow = true WHERE id = ANY ($1)`, [
      slow.map(({ id }) => id),
      `${silent.url}/crowd`,
    ]);
    const quick = await (await addOwner(test, receiver)).subscribe({ q: 'crowd' });
    await dropNames(test, ...Array.from({ length: 10 }, (_, place) => `crowd-${place}.com.au`));
    await until('all of the quick one', () => receivedAt(receiver, quick.path).length === 10);
    // 48 of the 60 are served at a time, with four deliveries each, and none of these has been answered.
    expect(silent.mostAtOnce).toBeLessThanOrEqual(48 * 4);
    await Promise.all(
      owners.map(({ accountId }) => test.database.query('DELETE FROM account WHERE id = $1', [accountId])),
    );
  });
});

describe('a worker that is told to stop', () => {
  it('hands back what does not end in time', async () => {
    receiver.mode = 'silent';
    const { url, database, close } = await createTestDatabase();
    const stopped = await startTestApp({ ...WITH_WEBHOOKS, DATABASE_URL: url, SHUTDOWN_GRACE_MS: '10' });
    const { path } = await (await addOwner(stopped, receiver)).subscribe();
    await dropNames(stopped, 'cut-off.com.au');
    await until('it is asked', () => receivedAt(receiver, path)[0]);
    await stopped.close();
    const rows = await database.query('SELECT held_until <= now() AS is_free FROM webhook');
    expect(rows).toEqual([{ is_free: true }]);
    receiver.answerWaiting(200);
    await close();
  });
});
