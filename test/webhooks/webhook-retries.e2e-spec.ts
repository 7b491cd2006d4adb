import { WebhookPurge } from '../../src/notify/webhooks/webhooks.module.js';
import { until } from '../support/processes.js';
import { useWebhooks, type Webhooks } from '../support/webhook-owner.js';
import type { Receiver } from '../support/webhook-receiver.js';

const hooks = useWebhooks();
const { owner, receivedAt, drop, retryNow } = hooks;

const HOLDS = 'that is %s is asked three times, with one id, and then no more';

/** Delivers to a receiver in that mode until nothing is tried any more. */
async function expectThreeAttempts(
  { owner, drop, receiver }: Webhooks,
  mode: Receiver['mode'],
  expected: object,
): Promise<void> {
  receiver.mode = mode;
  const who = await owner();
  const { id, path } = await who.subscribe({ q: mode });
  await drop(`${mode}.com.au`);
  const logged = await who.settled(id, ({ status }) => status === 'failed');
  expect(logged).toMatchObject({ attempts: 3, next_attempt_at: null, ...expected });
  const received = receiver.received.filter((one) => one.path === path);
  expect(received).toHaveLength(3);
  expect(new Set(received.map((one) => one.id)).size).toBe(1);
  expect(receiver.received.filter((one) => one.path === '/elsewhere')).toEqual([]);
}

describe('a receiver', () => {
  it.each([
    ['failing', { response_status: 500, problem: null }],
    ['redirecting', { response_status: 307, problem: null }],
    ['resetting', { response_status: null, problem: expect.stringContaining('socket hang up') }],
  ] as const)(HOLDS, (mode, expected) => expectThreeAttempts(hooks, mode, expected));

  it('that is fine again gets what it missed', async () => {
    hooks.receiver.mode = 'busy';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'recovers' });
    await drop('recovers.com.au');
    await who.settled(id, ({ attempts }) => attempts === 1);
    hooks.receiver.mode = 'fine';
    await retryNow(id);
    const logged = await who.settled(id, ({ status }) => status !== 'pending');
    expect(logged).toMatchObject({ status: 'delivered', attempts: 2, response_status: 200, problem: null });
    expect(new Set(receivedAt(path).map((one) => one.id)).size).toBe(1);
    const [row] = await hooks.test.database.query('SELECT failing_since FROM webhook WHERE id = $1', [id]);
    expect(row).toEqual({ failing_since: null });
  });

  it('that talks without end is heard for a kilobyte', async () => {
    hooks.receiver.mode = 'talkative';
    const who = await owner();
    const { id } = await who.subscribe({ q: 'talk' });
    await drop('talk.com.au');
    const logged = await who.settled(id, ({ status }) => status === 'delivered');
    expect(logged.response_text).toBe('x'.repeat(1024));
  });

  it('that is gone switches its webhook off, and the owner is told', async () => {
    hooks.receiver.mode = 'gone';
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
      hooks.test.log.some((line) => line.includes('A webhook of yours was switched off')),
    );
    await who.call('post', `/api/v1/webhooks/${id}/test`).expect(409);
    const again = await who.call('patch', `/api/v1/webhooks/${id}`, { enabled: true }).expect(200);
    expect(again.body.webhook).toMatchObject({ enabled: true, disabled_reason: null });
  });

  it('that is busy is left alone for as long as it asks, by all that waits for it', async () => {
    hooks.receiver.mode = 'busy';
    const who = await owner();
    const { id, path } = await who.subscribe({ q: 'busy' });
    await drop(...Array.from({ length: 20 }, (_, place) => `busy-${place}.com.au`));
    await who.settled(id, ({ attempts }) => attempts === 1);
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
    hooks.receiver.mode = 'fine';
    // Another address has not asked for anything.
    hooks.receiver.secrets.set('/idle', hooks.receiver.secrets.get(path) ?? '');
    await who.call('patch', `/api/v1/webhooks/${id}`, { url: `${hooks.receiver.url}/idle` }).expect(200);
    await until('the rest', () => receivedAt('/idle').length === 20 - receivedAt(path).length);
  });

  it('that only failed for five days is given up, and the owner is told', async () => {
    hooks.receiver.mode = 'failing';
    const who = await owner();
    const { id } = await who.subscribe({ q: 'hopeless' });
    await hooks.test.database.query(
      `UPDATE webhook SET failing_since = now() - interval '5 days 1 minute' WHERE id = $1`,
      [id],
    );
    const mails = () =>
      hooks.test.log.filter((line) => line.includes('nothing could be delivered for 5 days')).length;
    const before = mails();
    await drop('hopeless.com.au');
    await until(
      'it is off',
      async () => !(await who.call('get', `/api/v1/webhooks/${id}`)).body.webhook.enabled,
    );
    await until('the mail', () => mails() > before);
  });

  it('that failed before its owner had a tier without webhooks has five days again after it', async () => {
    hooks.receiver.mode = 'busy';
    const who = await owner();
    const { id } = await who.subscribe({ q: 'patience' });
    await drop('patience.com.au');
    await who.settled(id, ({ attempts }) => attempts === 1);
    // The run looks once more whether the webhook is hopeless after it has written the attempt down.
    await until('the run has ended', async () => {
      const held = `SELECT FROM work WHERE kind = 'webhook' AND key = $1 AND holder IS NOT NULL`;
      return (await hooks.test.database.query(held, [id])).length === 0;
    });
    const setTier = (tier: string) =>
      hooks.test.database.query('UPDATE account SET tier = $2 WHERE id = $1', [who.accountId, tier]);
    await setTier('member');
    await hooks.test.database.query(
      `UPDATE webhook SET failing_since = now() - interval '6 days' WHERE id = $1`,
      [id],
    );
    await hooks.test.app.get(WebhookPurge).run();
    await setTier('pro');
    await retryNow(id);
    await who.settled(id, ({ attempts }) => attempts === 2);
    // What is delivered next comes behind whatever the attempt led to.
    hooks.receiver.mode = 'fine';
    await retryNow(id);
    await who.settled(id, ({ status }) => status === 'delivered');
    const { body } = await who.call('get', `/api/v1/webhooks/${id}`).expect(200);
    expect(body.webhook).toMatchObject({ enabled: true, disabled_reason: null });
  });
});

describe('a receiver of a service with little patience', () => {
  const impatient = useWebhooks({ WEBHOOK_TIMEOUT_MS: '2000' });

  it.each([
    ['silent', { response_status: null, response_text: null, problem: 'no answer within 2000 ms' }],
  ] as const)(HOLDS, (mode, expected) => expectThreeAttempts(impatient, mode, expected));

  it('that says that all is well, and does not end, is believed', async () => {
    impatient.receiver.mode = 'trailing off';
    const who = await impatient.owner();
    const { id, path } = await who.subscribe({ q: 'trailing' });
    await impatient.drop('trailing.com.au');
    const logged = await who.settled(id, ({ attempts }) => attempts === 1);
    expect(logged).toMatchObject({
      status: 'delivered',
      response_status: 200,
      response_text: 'well',
      problem: null,
    });
    expect(impatient.receivedAt(path)).toHaveLength(1);
  });
});
