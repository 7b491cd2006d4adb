import { join } from 'node:path';
import { AccountRepository } from '../../src/accounts/account.repository.js';
import { addAccount, addKey, WITH_KEYS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { compiledSources, run, until } from '../support/processes.js';

const WHY = ['--reason', 'ticket 4711'];

describe('bowerbird account', () => {
  let compiled: string;
  let test: TestApp;
  beforeAll(async () => {
    compiled = await compiledSources();
    test = await startTestApp(WITH_KEYS);
  });
  afterAll(() => test.close());

  const command = (...parameters: string[]) =>
    run(join(compiled, 'dist/cli.js'), ['account', ...parameters], {
      environment: { DATABASE_URL: test.databaseUrl },
    });
  const emailOf = async (accountId: string) => {
    const [row] = await test.database.query<{ email: string }>('SELECT email FROM account WHERE id = $1', [
      accountId,
    ]);
    return row?.email ?? '';
  };

  it('set-tier gives an account another tier, beside the running service', async () => {
    const key = await addKey(test.database);
    const email = await emailOf(key.accountId);
    const usage = async () =>
      (await test.caller().get('/api/v1/usage').set('Authorization', key.bearer)).body;
    expect(await usage()).toMatchObject({ tier: 'member', quota: { period: 'hour' } });
    const running = command('set-tier', email.toUpperCase(), 'pro', ...WHY);
    expect(await running.ended).toBe(0);
    expect(running.output()).toBe(`${email}: member -> pro\n`);
    await until('the service knows the tier', async () => (await usage()).tier === 'pro');
    expect(await usage()).toMatchObject({
      quota: { period: 'month', limit: 1_000_000 },
      includes: { paging: true },
    });
  });

  it('revoke-keys ends every key of an account', async () => {
    const { accountId, bearer } = await addKey(test.database);
    await addKey(test.database, { accountId });
    const running = command('revoke-keys', await emailOf(accountId), ...WHY);
    expect(await running.ended).toBe(0);
    expect(running.output()).toContain('2 keys revoked');
    await until('the key is refused', async () => {
      const { status } = await test.caller().get('/v1/stats').set('Authorization', bearer);
      return status === 401;
    });
    const again = command('revoke-keys', await emailOf(accountId), ...WHY);
    expect(await again.ended).toBe(0);
    expect(again.output()).toContain('0 keys revoked');
    const record = 'SELECT reason FROM audit_log WHERE action = $1 AND subject = $2';
    const revoked = [`account.revoke-keys`, `account:${accountId}`];
    expect(await test.database.query(record, revoked)).toEqual([{ reason: 'ticket 4711' }]);
  });

  it('list prints accounts, and nothing of their keys', async () => {
    const accountId = await addAccount(test.database, 'starter');
    const { text } = await addKey(test.database, { accountId });
    const running = command('list');
    expect(await running.ended).toBe(0);
    expect(running.output()).toContain(`${await emailOf(accountId)}\tstarter\t1\t20`);
    expect(running.output()).not.toContain(text.slice(9, 20));
  });

  it.each([
    [
      'an account that is not there',
      ['set-tier', 'nobody@example.com', 'pro', ...WHY],
      'There is no account',
    ],
    ['no reason', ['set-tier', 'nobody@example.com', 'pro'], '--reason'],
    ['no reason for the end of keys', ['revoke-keys', 'nobody@example.com'], '--reason'],
    [
      'a tier that is not there',
      ['set-tier', 'nobody@example.com', 'gold', ...WHY],
      'Allowed choices are member',
    ],
    [
      'the tier of those without account',
      ['set-tier', 'nobody@example.com', 'demo', ...WHY],
      'Allowed choices',
    ],
  ])('%s: says so, exit code 1', async (_, parameters, message) => {
    const running = command(...parameters);
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain(message);
  });

  it('set-tier changes nothing else', async () => {
    const accountId = await addAccount(test.database);
    const accounts = new AccountRepository(test.database);
    const email = await emailOf(accountId);
    const before = await accounts.findAccount(email);
    await accounts.setTier(email, 'firehose');
    expect(await accounts.findAccount(email)).toEqual({ ...before, tier: 'firehose' });
  });
});
