import { randomUUID } from 'node:crypto';
import { addKey, WITH_WEBHOOKS } from '../support/accounts.js';
import { countWaiting } from '../support/database.js';
import { until } from '../support/processes.js';
import { accountsAppOfFile, PASSWORD, signedInVisitor } from '../support/visitor.js';
import { WebhookPurge } from '../../src/notify/webhooks/webhooks.module.js';

const test = accountsAppOfFile(WITH_WEBHOOKS);

/** Somebody signed in, with a webhook that has a log. */
async function subscriber() {
  const visitor = await signedInVisitor(test);
  const [account] = await test.database.query<{ id: string }>(
    `UPDATE account SET tier = 'pro' WHERE email = $1 RETURNING id`,
    [visitor.email],
  );
  const { bearer } = await addKey(test.database, { accountId: account?.id ?? '', scopes: ['webhooks'] });
  const { body } = await test
    .caller()
    .post('/api/v1/webhooks')
    .set('Authorization', bearer)
    .send({ url: 'https://example.com/hook', enabled: false })
    .expect(201);
  const id: string = body.webhook.id;
  await test.database.query(
    `INSERT INTO webhook_delivery (webhook_id, type, events, status) VALUES ($1, 'webhook.test', '{}', 'delivered')`,
    [id],
  );
  return { visitor, bearer, id };
}

/** Runs `work` while nobody else can remove the deliveries of a webhook, as if there were so many that it took for ever. */
const whileLogIsHeld = (id: string, work: () => Promise<unknown>) =>
  test.database.transaction(async (transaction) => {
    await transaction.query('SELECT FROM webhook_delivery WHERE webhook_id = $1 FOR UPDATE', [id]);
    await work();
  });

/** Removes the account, in a transaction that `work` meets half way: once it waits for that, the removal is committed. */
async function whileAccountGoes<Result>(email: string, work: () => Promise<Result>): Promise<Result> {
  const working = await test.database.transaction(async (transaction) => {
    await transaction.query('DELETE FROM account WHERE email = $1', [email]);
    const begun = { end: work() };
    await until('it waits for the account', async () => (await countWaiting(test.database)) > 0);
    return begun;
  });
  return working.end;
}

async function logged(id: string): Promise<number> {
  const [row] = await test.database.query<{ rows: number }>(
    'SELECT count(*)::int AS rows FROM webhook_delivery WHERE webhook_id = $1',
    [id],
  );
  return row?.rows ?? 0;
}

describe('removing', () => {
  it('a webhook does not wait for its log, which goes by and by', async () => {
    const { bearer, id } = await subscriber();
    const other = await subscriber();
    await whileLogIsHeld(id, () =>
      test.caller().delete(`/api/v1/webhooks/${id}`).set('Authorization', bearer).expect(204),
    );
    await test.app.get(WebhookPurge).run();
    expect([await logged(id), await logged(other.id)]).toEqual([0, 1]);
  });

  it('an account does not wait for the logs of its webhooks', async () => {
    const { visitor, id } = await subscriber();
    await whileLogIsHeld(id, () => visitor.send('/profile/delete', { password: PASSWORD }).expect(303));
    const left = await test.database.query('SELECT FROM webhook WHERE id = $1', [id]);
    expect(left).toEqual([]);
    await test.app.get(WebhookPurge).run();
    expect(await logged(id)).toBe(0);
  });

  it('an account leaves nobody to make a webhook for, and its key is none any more', async () => {
    const { visitor, bearer } = await subscriber();
    const { status, body } = await whileAccountGoes(visitor.email, async () =>
      test
        .caller()
        .post('/api/v1/webhooks')
        .set('Authorization', bearer)
        .set('Idempotency-Key', 'late')
        .send({ url: 'https://example.com/late' }),
    );
    expect([status, body.error.code]).toEqual([401, 'key_invalid']);
  });

  it('an account leaves nobody to make a key for, who has to sign in', async () => {
    const { visitor } = await subscriber();
    const form = { submission: randomUUID(), name: 'Late', kind: 'live', scopes: 'read', expires_days: '0' };
    const { status, headers } = await whileAccountGoes(visitor.email, async () =>
      visitor.send('/profile/api-keys', form),
    );
    expect([status, headers.location]).toEqual([303, '/sign-in']);
  });

  it('an account happens as a whole or not at all', async () => {
    const { visitor } = await subscriber();
    await test.database.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'it took too long' USING ERRCODE = 'query_canceled'; END $$`,
    );
    await test.database.query(
      'CREATE TRIGGER refuse BEFORE DELETE ON account FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    await visitor.send('/profile/delete', { password: PASSWORD }).expect(503);
    await test.database.query('DROP FUNCTION refuse CASCADE');
    await visitor.open('/profile').expect(200);
    await visitor.send('/profile/delete', { password: PASSWORD }).expect(303);
    await until('nobody is signed in', async () => (await visitor.open('/profile')).status === 303);
  });
});
