import { AccountAuditLog } from '../../src/observe/audit.repository.js';
import { addKey, WITH_EXPORTS, WITH_WEBHOOKS } from '../support/accounts.js';
import { accountsAppOfFile, PASSWORD, signedInVisitor, type Visitor, visitorOf } from '../support/visitor.js';

const test = accountsAppOfFile({ ...WITH_EXPORTS, ...WITH_WEBHOOKS });

interface Line {
  readonly action: string;
  readonly reason: string;
  readonly from: string | null;
}

const accountOf = async ({ email }: Visitor) => {
  const [row] = await test.database.query<{ id: string }>(
    `UPDATE account SET tier = 'firehose' WHERE email = $1 RETURNING id`,
    [email],
  );
  return row?.id ?? '';
};

/** What the record has of the account, oldest first. */
const recordOf = (accountId: string) =>
  test.database.query<Line>('SELECT action, reason, "from" FROM audit_log WHERE subject = $1 ORDER BY id', [
    `account:${accountId}`,
  ]);

const deedsOf = async (accountId: string) => (await recordOf(accountId)).map(({ action }) => action);

describe('the activity of an account', () => {
  it('has what is done with webhooks, by the API and on the pages, and nothing that changed nothing', async () => {
    const visitor = await signedInVisitor(test);
    const accountId = await accountOf(visitor);
    const key = await addKey(test.database, { accountId, scopes: ['webhooks'] });
    const api = (method: 'post' | 'patch' | 'delete', path: string, body: object = {}) =>
      test.caller()[method](`/api/v1/webhooks${path}`).set('Authorization', key.bearer).send(body);
    const wanted = { url: 'https://hooks.example.com/in', events: ['domain.dropped'] };
    const { body } = await api('post', '', wanted).expect(201);
    const { id } = (body as { webhook: { id: string } }).webhook;
    for (const description of ['other', 'other']) await api('patch', `/${id}`, { description }).expect(200);
    for (let count = 0; count < 2; count += 1)
      await visitor.send(`/profile/webhooks/${id}/pause`, {}).expect(303);
    await visitor.send(`/profile/webhooks/${id}/resume`, {}).expect(303);
    await api('post', `/${id}/rotate-secret`).expect(200);
    await api('delete', `/${id}`).expect(204);
    const record = await recordOf(accountId);
    expect(record.map(({ action }) => action.replace('webhook.', ''))).toEqual([
      ...['create', 'change', 'pause', 'resume', 'rotate', 'remove'],
    ]);
    expect(record[0]?.reason).toBe(`${id} to https://hooks.example.com/in (key ${key.id})`);
    expect(record[1]?.reason).toBe(`${id}: description (key ${key.id})`);
    for (const { from } of record) expect(from).toMatch(/^198\.18\.\d+\.0\/24$/);
    const { text } = await visitor.open('/profile/activity').expect(200);
    expect(text).toContain('A webhook got a new secret');
  });

  it('has what is watched, and how mail is sent', async () => {
    const visitor = await signedInVisitor(test);
    const accountId = await accountOf(visitor);
    const watch = { domain: 'coffee.com.au', on: 'dropped' };
    for (let count = 0; count < 2; count += 1) await visitor.send('/watch', watch).expect(303);
    for (const mails of ['daily', 'daily']) await visitor.send('/watch/mails', { mails }).expect(303);
    await visitor.send('/watch/feed', {}).expect(303);
    const { text } = await visitor.open('/watch?name=coffee.com.au').expect(200);
    const id = /\/watch\/([0-9a-f-]{36})\/remove/.exec(text)?.[1] ?? '';
    await visitor.send(`/watch/${id}/remove`, {}).expect(303);
    expect(await deedsOf(accountId)).toEqual(['watch.add', 'watch.mails', 'watch.feed', 'watch.remove']);
  });

  it('has 20 of a kind in an hour of what a key can do often, and everything else, page by page', async () => {
    const visitor = await signedInVisitor(test);
    const accountId = await accountOf(visitor);
    const auditLog = test.app.get(AccountAuditLog);
    for (let count = 0; count < 25; count += 1)
      await auditLog.record({ accountId }, 'watch.add', `watch ${count}`);
    for (let count = 0; count < 90; count += 1)
      await auditLog.record({ accountId }, 'key.revoke', `key ${count}.`);
    await test.database.query(
      `UPDATE audit_log SET at = at - interval '61 minutes' WHERE action = 'watch.add'`,
    );
    await auditLog.record({ accountId }, 'watch.add', 'the last');
    const first = (await visitor.open('/profile/activity').expect(200)).text;
    const next = /href="(\/profile\/activity\?before=\d+)"/.exec(first)?.[1] ?? '';
    const second = (await visitor.open(next).expect(200)).text;
    const watches = (text: string) => text.match(/watch \d+/g)?.length;
    expect([watches(first), watches(second)]).toEqual([9, 11]);
    expect([first.includes('the last'), first.includes('key 0.'), second.includes('Older')]).toEqual([
      true,
      true,
      false,
    ]);
    for (const wrong of ['0', 'x', '1&page=2'])
      await visitor.open(`/profile/activity?before=${wrong}`).expect(400);
  });

  it('has the exports that were fetched, once an hour each', async () => {
    const accountId = await accountOf(await signedInVisitor(test));
    const { bearer } = await addKey(test.database, { accountId, scopes: ['export'] });
    const file = {
      name: 'snapshot-20260101T000000Z-part-001.ndjson.gz',
      format: 'ndjson',
      rows: 0,
      bytes: 0,
      sha256: 'a'.repeat(64),
    };
    const exported = await addExport(file);
    const caller = test.caller();
    for (let count = 0; count < 3; count += 1) {
      await caller.post(`/api/v1/exports/${exported}/links`).set('Authorization', bearer).expect(200);
      await caller.get(`/api/v1/exports/${exported}/${file.name}`).set('Authorization', bearer);
    }
    expect(await deedsOf(accountId)).toEqual(['export.links', 'export.download']);
  });

  it('has sign-ins that failed: of an hour and a network one, ten at most', async () => {
    const visitor = await signedInVisitor(test);
    const accountId = await accountOf(visitor);
    const guess = (network: number) =>
      visitorOf(test)
        .agent.post('/sign-in')
        .set('X-Forwarded-For', `203.0.${network}.9`)
        .type('form')
        .send({ email: visitor.email, password: 'not the password' });
    await guess(0).expect(401);
    await guess(0).expect(401);
    expect(await recordOf(accountId)).toEqual([
      { action: 'account.sign-in-failed', reason: 'wrong password', from: '203.0.0.0/24' },
    ]);
    for (let network = 1; network < 13; network += 4)
      await Promise.all([0, 1, 2, 3].map((more) => guess(network + more).expect(401)));
    const { length } = await deedsOf(accountId);
    // Those of the same moment do not see each other.
    expect(length).toBeGreaterThanOrEqual(10);
    expect(length).toBeLessThan(13);
    await guess(50).expect(401);
    expect(await deedsOf(accountId)).toHaveLength(length);
    const { text } = await visitor.open('/profile/activity').expect(200);
    expect(text).toContain('A sign-in failed: wrong password');
  });

  it('has wrong codes behind the right password', async () => {
    const visitor = await signedInVisitor(test);
    const accountId = await accountOf(visitor);
    const { text } = await visitor.send('/profile/second-factor', { password: PASSWORD }).expect(201);
    // As if a code of it had been seen.
    await test.database.query('UPDATE account SET two_factor_enabled = true WHERE id = $1', [accountId]);
    await test.database.query('UPDATE account_second_factor SET verified = true WHERE account_id = $1', [
      accountId,
    ]);
    expect(text).toContain('otpauth:');
    const thief = visitorOf(test);
    await thief.send('/sign-in', { email: visitor.email, password: PASSWORD }).expect(303);
    const rename = (from: string, to: string) => test.database.query(`ALTER TABLE ${from} RENAME TO ${to}`);
    // One that could not be looked at is no wrong one.
    await rename('account_second_factor', 'gone');
    await thief.send('/sign-in/code', { code: '000000' }).expect(500);
    await rename('gone', 'account_second_factor');
    expect(await recordOf(accountId)).toEqual([]);
    // It stays a wrong one where that cannot be put on record.
    await rename('audit_log', 'gone');
    await thief.send('/sign-in/code', { code: '000000' }).expect(401);
    await rename('gone', 'audit_log');
    await thief.send('/sign-in/code', { code: '000000' }).expect(401);
    expect((await recordOf(accountId)).map(({ reason }) => reason)).toEqual(['wrong code']);
  });
});

async function addExport(file: { name: string }): Promise<string> {
  const [row] = await test.database.query<{ id: string }>(
    `INSERT INTO export (id, kind, made_at, schema_version, first_event, last_event, rows, ndjson_sha256, files)
     VALUES ('snapshot-20260101T000000Z', 'snapshot', now(), 1, 1, 0, 0, $1, $2) RETURNING id`,
    ['b'.repeat(64), JSON.stringify([file])],
  );
  return row?.id ?? '';
}
