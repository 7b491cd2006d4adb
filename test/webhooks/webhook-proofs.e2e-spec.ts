import { Webhook } from 'standardwebhooks';
import { until } from '../support/processes.js';
import { useWebhooks, type WebhookOwner } from '../support/webhook-owner.js';

/** So long that no second turn comes within a test. */
const PACE_SECONDS = 3_600;
const hooks = useWebhooks({ WEBHOOK_UNPROVEN_PACE_SECONDS: String(PACE_SECONDS) });
const { owner, receivedAt, drop } = hooks;

let who: WebhookOwner;
beforeEach(async () => {
  who = await owner();
  hooks.receiver.say = () => 'thank you';
  hooks.receiver.files.clear();
});

const nextTurn = () => hooks.test.database.query('UPDATE webhook_turn SET next_proof_at = NULL');
const proofOf = async (id: string) =>
  (await who.call('get', `/api/v1/webhooks/${id}/proof`).expect(200)).body.proof;
const prove = (id: string, by: string) => who.call('post', `/api/v1/webhooks/${id}/proof`, { by });
/** What the account has to put on its hosts is there. */
const putFile = async (id: string) =>
  hooks.receiver.files.set('/.well-known/bowerbird-webhooks.txt', (await proofOf(id)).file.line);
const waitingOf = async (id: string) => (await who.logOf(id)).filter(({ status }) => status === 'pending');
/** The receiver signs what it is challenged with, as its owner's program does. */
const signChallenges = () => {
  hooks.receiver.say = (one) => {
    if (one?.body.type !== 'webhook.challenge') return 'thank you';
    const { challenge } = one.body.data as { challenge: string };
    return new Webhook(hooks.receiver.secrets.get(one.path) ?? '').sign(one.id, one.sentAt, challenge);
  };
};

describe('a host that nobody has proven', () => {
  it('is delivered to once in a turn of the account, through whichever webhook, until it is', async () => {
    const one = await who.subscribe({ q: 'paced' });
    const other = await who.subscribe({ q: 'paced' });
    await drop('paced-1.com.au', 'paced-2.com.au', 'paced-3.com.au');
    const delivered = () => receivedAt(one.path).length + receivedAt(other.path).length;
    await until('the first', () => delivered() === 1);
    // Somebody else has a turn of their own, and comes after them.
    const neighbour = await owner();
    const { path } = await neighbour.subscribe({ q: 'next-door' });
    await drop('next-door.com.au');
    await until('the neighbour', () => receivedAt(path).length === 1);
    expect(delivered()).toBe(1);
    for (const { next_attempt_at } of await waitingOf(one.id))
      expect(Date.parse(next_attempt_at ?? '') - Date.now()).toBeGreaterThan((PACE_SECONDS - 60) * 1000);
    // What waits has the turn of deliveries, and not that of proofs.
    await prove(one.id, 'file').expect(409);
    await hooks.test.database.query(
      `UPDATE webhook_turn SET next_proof_at = now() + interval '100 seconds' WHERE account_id = $1`,
      [who.accountId],
    );
    const refused = await prove(one.id, 'file').expect(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(100);
    await nextTurn();
    await putFile(one.id);
    await prove(one.id, 'file').expect(200);
    // The other webhook leads to the same host.
    await until('all of them', () => delivered() === 6);
    await until('the last result', async () => (await waitingOf(other.id)).length === 0);
  });

  it('that was proven once is not asked again, for any webhook of the account', async () => {
    const { id, path } = await who.subscribe();
    expect((await who.call('get', `/api/v1/webhooks/${id}`)).body.webhook.host_proven).toBe(false);
    await putFile(id);
    const { body } = await prove(id, 'file').expect(200);
    const host = new URL(hooks.receiver.url).host;
    expect(body.proof).toMatchObject({ host, proven_by: 'file', unproven_pace_seconds: PACE_SECONDS });
    await prove(id, 'file').expect(200);
    await prove(id, 'challenge').expect(200);
    const trail = await hooks.test.database.query(
      `SELECT reason FROM audit_log WHERE subject = $1 AND action = 'webhook.prove'`,
      [`account:${who.accountId}`],
    );
    expect(trail).toEqual([{ reason: expect.stringContaining(`${host} by file`) }]);
    expect(receivedAt(path)).toHaveLength(0);
    const second = await who.subscribe();
    expect(await proofOf(second.id)).toMatchObject({ host, proven_by: 'file' });
    expect((await who.call('get', '/api/v1/webhooks')).body.results).toEqual([
      expect.objectContaining({ host_proven: true }),
      expect.objectContaining({ host_proven: true }),
    ]);
  });

  it('that answers a challenge at one address proves that address alone', async () => {
    const { id, path } = await who.subscribe({ q: 'one-path' });
    signChallenges();
    expect((await prove(id, 'challenge').expect(200)).body.proof.proven_by).toBe('challenge');
    await prove(id, 'challenge').expect(200);
    expect(receivedAt(path)).toHaveLength(1);
    const neighbour = await who.subscribe({ q: 'one-path' });
    expect((await proofOf(neighbour.id)).proven_at).toBeNull();
    await drop('one-path-1.com.au', 'one-path-2.com.au', 'one-path-3.com.au');
    await until('the address', () => receivedAt(path).length === 4);
    await until('one turn', () => receivedAt(neighbour.path).length === 1);
    await until('the others wait', async () => (await waitingOf(neighbour.id)).length === 2);
    // Elsewhere on the host it is as unproven as others are, until the host is.
    await who.call('patch', `/api/v1/webhooks/${id}`, { url: `${hooks.receiver.url}/elsewhere` }).expect(200);
    expect((await proofOf(id)).proven_at).toBeNull();
    await putFile(id);
    await nextTurn();
    expect((await prove(id, 'file').expect(200)).body.proof.proven_by).toBe('file');
    expect((await proofOf(neighbour.id)).proven_by).toBe('file');
  });

  it('is proven by a file that names the account, and by no other file', async () => {
    const { id } = await who.subscribe();
    const { file, proven_at } = await proofOf(id);
    expect([file.url, proven_at]).toEqual([`${hooks.receiver.url}/.well-known/bowerbird-webhooks.txt`, null]);
    const other = await owner();
    const theirs = await other.subscribe();
    const foreign = (await other.call('get', `/api/v1/webhooks/${theirs.id}/proof`)).body.proof.file.line;
    const put = (text: string) => hooks.receiver.files.set('/.well-known/bowerbird-webhooks.txt', text);
    const attempts: [() => unknown, string][] = [
      [() => undefined, 'answered 404, and 200 is needed'],
      [() => put(foreign), 'does not hold the line'],
      [() => put(`${'x'.repeat(1024)}\n${file.line}`), 'in its first kilobyte'],
      [() => put(`${file.line}-and-more`), 'does not hold the line'],
    ];
    for (const [prepare, message] of attempts) {
      prepare();
      await nextTurn();
      const { body } = await prove(id, 'file').expect(409);
      expect(body.error).toMatchObject({
        code: 'host_not_proven',
        message: expect.stringContaining(message),
      });
    }
    put(`# ours\r\n${foreign}\r\n${file.line}\r\n`);
    await nextTurn();
    expect((await prove(id, 'file').expect(200)).body.proof.proven_by).toBe('file');
    expect((await other.call('get', `/api/v1/webhooks/${theirs.id}/proof`)).body.proof.proven_at).toBeNull();
  });

  it.each([
    ['what it was sent', (body: object) => JSON.stringify(body)],
    ['the challenge alone', (body: { data?: object }) => Object.values(body.data ?? {}).join(' ')],
    ['nothing', () => ''],
    [
      'a signature with another secret',
      () => new Webhook('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA').sign('msg_1', new Date(), 'x'),
    ],
  ])('is not proven by an answer that is %s', async (_, say: (body: object) => string) => {
    const { id } = await who.subscribe();
    hooks.receiver.say = (one) => say(one?.body ?? {});
    const { body } = await prove(id, 'challenge').expect(409);
    expect(body.error.message).toContain('not the signature of it');
    expect((await proofOf(id)).proven_at).toBeNull();
  });

  it.each([
    ['failing', 'the address answered 500, and 2xx is needed'],
    ['redirecting', 'the address answered 307, and 2xx is needed'],
    ['silent', 'the address gave no answer (no answer within 5000 ms)'],
  ] as const)('is not proven by a receiver that is %s', async (mode, message) => {
    const { id } = await who.subscribe();
    hooks.receiver.mode = mode;
    const { body } = await prove(id, 'challenge').expect(409);
    expect(body.error.message).toContain(message);
  });
});

describe('a proof', () => {
  it('ends when the host says that it is gone', async () => {
    const { id } = await who.subscribe({ q: 'moved-away' });
    signChallenges();
    await prove(id, 'challenge').expect(200);
    hooks.receiver.mode = 'gone';
    await drop('moved-away.com.au');
    await until(
      'it is off',
      async () => !(await who.call('get', `/api/v1/webhooks/${id}`)).body.webhook.enabled,
    );
    expect((await proofOf(id)).proven_at).toBeNull();
  });

  it('is for nobody else, and asked for in one of two ways', async () => {
    const { id } = await who.subscribe();
    const other = await owner();
    await other.call('get', `/api/v1/webhooks/${id}/proof`).expect(404);
    await other.call('post', `/api/v1/webhooks/${id}/proof`, { by: 'file' }).expect(404);
    await prove(id, 'use').expect(400);
    await who.call('post', `/api/v1/webhooks/${id}/proof`, {}).expect(400);
  });
});
