import { join } from 'node:path';
import { startTestApp, type TestApp } from '../support/app.js';
import { compiledSources, run, until } from '../support/processes.js';

const WHY = ['--reason', '310 sign-ups in 20 minutes'];

describe('bowerbird networks', () => {
  let compiled: string;
  let test: TestApp;
  beforeAll(async () => {
    compiled = await compiledSources();
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const command = async (...parameters: string[]) => {
    const running = run(join(compiled, 'dist/cli.js'), ['networks', ...parameters], {
      environment: { DATABASE_URL: test.databaseUrl },
    });
    expect([await running.ended, parameters, running.output()]).toEqual([0, parameters, expect.anything()]);
    return running.output();
  };
  const statusOf = async (address: string) =>
    (await test.caller().get('/v1/stats').set('X-Forwarded-For', address)).status;

  it('blocks a /48 and a /24 but for a part, for a time, beside the running service', async () => {
    await command('block', '2001:db8:7::/48', '--hours', '2', ...WHY);
    await command('block', '203.0.113.0/24', ...WHY);
    await command('allow', '2001:db8:7:1::/64', ...WHY);
    for (const blocked of ['2001:db8:7:ffff::9', '203.0.113.9'])
      await until('the service blocks it', async () => (await statusOf(blocked)) === 403);
    await until('the service knows the part', async () => (await statusOf('2001:db8:7:1::9')) === 200);
    expect(await statusOf('203.0.114.9')).toBe(200);
    const rules = await command();
    for (const words of ['2001:db8:7::/48', '2001:db8:7:1::/64', '203.0.113.0/24', WHY[1]])
      expect(rules).toContain(words);
    await command('clear', '203.0.113.0/24', ...WHY);
    await until('the service knows', async () => (await statusOf('203.0.113.9')) === 200);
    const records = await test.database.query<{ action: string }>(
      `SELECT action FROM audit_log WHERE action LIKE 'network.%' ORDER BY id`,
    );
    expect(records.map(({ action }) => action)).toEqual([
      ...['network.block', 'network.block', 'network.allow', 'network.clear'],
    ]);
  });
});
