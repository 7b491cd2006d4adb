import { WITH_WEBHOOKS } from '../support/accounts.js';
import { startTestApp } from '../support/app.js';
import { countWaiting, createTestDatabase } from '../support/database.js';
import { until } from '../support/processes.js';
import { addOwner, dropNames, useWebhooks, type WebhookOwner } from '../support/webhook-owner.js';
import { type Receiver, startReceiver } from '../support/webhook-receiver.js';
import { WebhookPurge } from '../../src/notify/webhooks/webhooks.module.js';

/** So long that no receiver's time is up within a test. */
const TIME_LIMIT_MS = 60_000;

const hooks = useWebhooks({ WEBHOOK_TIMEOUT_MS: String(TIME_LIMIT_MS) });
const { owner, receivedAt, drop } = hooks;
let who: WebhookOwner;
beforeAll(async () => {
  who = await owner();
});

const isOff = async (id: string) =>
  !(await who.call('get', `/api/v1/webhooks/${id}`).expect(200)).body.webhook.enabled;

describe('switching a webhook off', () => {
  it('gives up nothing that is delivered at that moment', async () => {
    hooks.receiver.mode = 'busy';
    const { id } = await who.subscribe({ q: 'photo-finish' });
    await drop('photo-finish.com.au');
    await who.settled(id, ({ attempts }) => attempts === 1);
    let switchingOff: Promise<unknown> = Promise.resolve();
    await hooks.test.database.transaction(async (transaction) => {
      await transaction.query(`UPDATE webhook_delivery SET status = 'delivered' WHERE webhook_id = $1`, [id]);
      switchingOff = who.call('patch', `/api/v1/webhooks/${id}`, { enabled: false }).expect(200);
      switchingOff.catch(() => undefined);
      await until('it waits for the delivery', async () => (await countWaiting(hooks.test.database)) > 0);
    });
    await switchingOff;
    expect(await who.logOf(id)).toEqual([expect.objectContaining({ status: 'delivered', problem: null })]);
  });

  it('tells the owner although giving up failed, which is made up for', async () => {
    await hooks.test.database.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'it took too long' USING ERRCODE = 'query_canceled'; END $$`,
    );
    await hooks.test.database.query(
      `CREATE TRIGGER refuse BEFORE UPDATE ON webhook_delivery FOR EACH ROW
         WHEN (NEW.problem = 'the webhook was switched off') EXECUTE FUNCTION refuse()`,
    );
    hooks.receiver.mode = 'gone';
    const { id, path } = await who.subscribe({ q: 'unlucky' });
    await drop(...Array.from({ length: 6 }, (_, place) => `unlucky-${place}.com.au`));
    await until('the mail', () => hooks.test.log.some((line) => line.includes(`${path} have stopped`)));
    expect(await isOff(id)).toBe(true);
    await hooks.test.database.query('DROP FUNCTION refuse CASCADE');
    await hooks.test.app.get(WebhookPurge).run();
    const states = (await who.logOf(id)).map(({ status }) => status);
    expect(states).toEqual(Array(6).fill('failed'));
  });

  it('is told once, and also when whoever was to tell has ended before', async () => {
    hooks.receiver.mode = 'gone';
    const { id, path } = await who.subscribe({ q: 'to-be-told' });
    const mails = () => hooks.test.log.filter((line) => line.includes(`${path} have stopped`)).length;
    await drop('to-be-told.com.au');
    await until('the mail, and that it is written down', async () => {
      const told = await hooks.test.database.query(
        'SELECT FROM webhook WHERE id = $1 AND NOT enabled AND tell_owner_after IS NULL',
        [id],
      );
      return told.length > 0;
    });
    const purge = hooks.test.app.get(WebhookPurge);
    await purge.run();
    expect(mails()).toBe(1);
    await hooks.test.database.query('UPDATE webhook SET tell_owner_after = now() WHERE id = $1', [id]);
    await Promise.all([purge.run(), purge.run()]);
    await purge.run();
    expect(mails()).toBe(2);
  });
});

describe('another address', () => {
  const move = (id: string, path: string) => {
    hooks.receiver.secrets.set('/moved', hooks.receiver.secrets.get(path) ?? '');
    return who.call('patch', `/api/v1/webhooks/${id}`, { url: `${hooks.receiver.url}/moved` }).expect(200);
  };
  const knownOf = async (id: string) =>
    (
      await hooks.test.database.query(
        'SELECT failing_since, is_slow, not_before FROM webhook WHERE id = $1',
        [id],
      )
    )[0];
  const NOTHING = { failing_since: null, is_slow: false, not_before: null };

  it('is not known for what the one before it did', async () => {
    hooks.receiver.mode = 'busy';
    const { id, path } = await who.subscribe({ q: 'moves-house' });
    await drop('moves-house.com.au');
    await who.settled(id, ({ attempts }) => attempts === 1);
    expect(await knownOf(id)).toMatchObject({
      failing_since: expect.any(Date),
      not_before: expect.any(Date),
    });
    await move(id, path);
    expect(await knownOf(id)).toEqual(NOTHING);
  });

  it('gets what the one before it still says to be gone for', async () => {
    hooks.receiver.mode = 'silent';
    const { id, path } = await who.subscribe({ q: 'moves-on' });
    await drop('moves-on.com.au');
    await until('it is asked', () => receivedAt(path)[0]);
    await move(id, path);
    hooks.receiver.mode = 'fine';
    hooks.receiver.answerWaiting(410);
    await who.settled(id, ({ status }) => status === 'delivered');
    expect(receivedAt('/moved')).toHaveLength(1);
    expect(await isOff(id)).toBe(false);
    expect(await knownOf(id)).toEqual(NOTHING);
  });
});

describe('receivers that fall silent', () => {
  it('all at once do not hold up the others until their time is up', async () => {
    hooks.receiver.mode = 'silent';
    // More than are served at a time, and none of them known for it yet.
    const owners = await Promise.all(Array.from({ length: 4 }, () => owner()));
    for (const one of owners) await one.subscribeMany(18, { q: 'hush' });
    const quick = await who.subscribe({ q: 'loud' });
    const before = hooks.receiver.received.length;
    await drop('hush.com.au');
    await until('all places are taken', () => hooks.receiver.received.length - before >= 64);
    await drop('loud.com.au');
    await until('the delivery', () => receivedAt(quick.path)[0]);
    expect(hooks.receiver.waiting).toBeGreaterThanOrEqual(64);
    hooks.receiver.answerWaiting(200);
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
    await hooks.test.database.query(`UPDATE webhook SET url = $2 WHERE id = $1`, [
      slow.id,
      `${silent.url}/silent`,
    ]);
    const quick = await who.subscribe({ q: 'jam' });
    await drop(...Array.from({ length: 10 }, (_, place) => `jam-${place}.com.au`));
    await until('all of the quick one', () => receivedAt(quick.path).length === 10);
    // The slow one is asked four times at once, and sits on all of them.
    await until('the four', () => silent.mostAtOnce >= 4);
    expect(silent.mostAtOnce).toBe(4);
  });

  it('among many that are known to be slow holds up none but these', async () => {
    const owners = await Promise.all(Array.from({ length: 3 }, () => owner()));
    const slow: string[] = [];
    for (const one of owners) slow.push(...(await one.subscribeMany(20, { q: 'crowd' })));
    await hooks.test.database.query(`UPDATE webhook SET url = $2, is_slow = true WHERE id = ANY ($1)`, [
      slow,
      `${silent.url}/crowd`,
    ]);
    const quick = await (await owner()).subscribe({ q: 'crowd' });
    await drop(...Array.from({ length: 10 }, (_, place) => `crowd-${place}.com.au`));
    await until('all of the quick one', () => receivedAt(quick.path).length === 10);
    // 48 of the 60 are served at a time, with four deliveries each, and none of these has been answered.
    expect(silent.mostAtOnce).toBeLessThanOrEqual(48 * 4);
    await Promise.all(
      owners.map(({ accountId }) =>
        hooks.test.database.query('DELETE FROM account WHERE id = $1', [accountId]),
      ),
    );
  });
});

describe('a worker that is told to stop', () => {
  it('hands back what does not end in time', async () => {
    hooks.receiver.mode = 'silent';
    const { url, database, close } = await createTestDatabase();
    const stopped = await startTestApp({ ...WITH_WEBHOOKS, DATABASE_URL: url, SHUTDOWN_GRACE_MS: '10' });
    const { path } = await (await addOwner(stopped, hooks.receiver)).subscribe();
    await dropNames(stopped, 'cut-off.com.au');
    await until('it is asked', () => receivedAt(path)[0]);
    await stopped.close();
    const rows = await database.query(`SELECT holder IS NULL AS is_free FROM work WHERE kind = 'webhook'`);
    expect(rows).toEqual([{ is_free: true }]);
    hooks.receiver.answerWaiting(200);
    await close();
  });
});
