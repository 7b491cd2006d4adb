import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addKey, WITH_WEBHOOKS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { importVouched } from '../support/import.js';
import { compiledSources, makeFolder, run, type Running, until } from '../support/processes.js';
import { nameOf } from '../support/webhook-owner.js';
import { type Receiver, startReceiver } from '../support/webhook-receiver.js';

// WEBHOOK_KILLS=100 npm test -- test/webhook-kills kills as often as one likes.
const KILLS = Number(process.env.WEBHOOK_KILLS ?? 2);
const NAMES_A_ROUND = 40;
const ENVIRONMENT = {
  ...WITH_WEBHOOKS,
  WEBHOOK_WORKER: 'off',
  // A dead worker holds a webhook for as long as one attempt can take.
  WEBHOOK_TIMEOUT_MS: '300',
  WEBHOOK_RETRY_SECONDS: '0,0.1,0.1',
};

jest.setTimeout(120_000 + KILLS * 10_000);

describe('deliveries by a process of its own', () => {
  let compiled: string;
  let test: TestApp;
  let receiver: Receiver;
  beforeAll(async () => {
    compiled = await compiledSources();
    test = await startTestApp(ENVIRONMENT);
    receiver = await startReceiver();
    receiver.mode = 'slow';
  });
  afterAll(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ ended }) => ended));
    await receiver.close();
    await test.close();
  });

  const started: Running[] = [];
  function start(parameters: string[], more: Record<string, string> = {}): Running {
    const environment = { ...ENVIRONMENT, DATABASE_URL: test.databaseUrl, ...more };
    const process = run(join(compiled, 'dist/cli.js'), parameters, { environment });
    started.push(process);
    return process;
  }
  const drop = (names: string[]) => importVouched(test.database, `domain\n${names.join('\n')}\n`);
  const received = () => receiver.received.map(nameOf);

  /** A webhook for names that begin so. */
  async function subscribe(q: string): Promise<string> {
    const { bearer } = await addKey(test.database, { tier: 'pro', scopes: ['webhooks'] });
    const answer = await test
      .caller()
      .post('/api/v1/webhooks')
      .set('Authorization', bearer)
      .send({ url: `${receiver.url}/${q}`, q, mode: 'prefix' })
      .expect(201);
    receiver.secrets.set(`/${q}`, answer.body.secret);
    return answer.body.webhook.id;
  }

  it(`${KILLS} times killed in mid-delivery, and imports killed in mid-import: all that was committed arrives, and nothing else`, async () => {
    await subscribe('kept-');
    await subscribe('cut-');
    const file = join(await makeFolder('import'), 'names.csv');
    let cut = 0;
    for (let round = 1; round <= KILLS; round += 1) {
      const worker = start(['worker']);
      const before = receiver.received.length;
      await drop(Array.from({ length: NAMES_A_ROUND }, (_, place) => `kept-${round}-${place}.com.au`));
      // Somewhere in the middle: others are on their way then, and not answered.
      await until('some deliveries', () => receiver.received.length > before + ((round * 7) % NAMES_A_ROUND));
      expect(await worker.stop('SIGKILL')).toBe('SIGKILL');

      const names = Array.from({ length: 20_000 }, (_, place) => `cut-${round}-${place}.com.au`);
      await writeFile(file, `domain\n${names.join('\n')}\n`);
      const importing = start([
        'import',
        file,
        '--vouched-by',
        'test',
        '--confirmed-at',
        '2026-01-01',
        '--events',
      ]);
      await importing.says(/merging/);
      await importing.stop('SIGKILL');
      await until('its transaction has ended', async () => (await importsUnderWay()) === 0);
      const [row] = await test.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM domain WHERE domain LIKE 'cut-${round}-%'`,
      );
      if (row?.count === 0) cut += 1;
      else await test.database.query(`DELETE FROM domain WHERE domain LIKE 'cut-${round}-%'`);
    }
    // An import that was quicker than its killer has happened; this is about those that have not.
    expect(cut).toBeGreaterThan(0);

    const last = start(['worker']);
    const committed = (await test.database.query<{ domain: string }>('SELECT domain FROM domain_event'))
      .map(({ domain }) => domain)
      .filter((domain) => domain.startsWith('kept-'));
    expect(committed).toHaveLength(KILLS * NAMES_A_ROUND);
    await until('all of it', () => new Set(received()).size >= committed.length);
    expect(await last.stop('SIGTERM')).toBe('SIGTERM');
    expect(new Set(received())).toEqual(new Set(committed));
    expect(receiver.refused).toEqual([]);
    if (process.env.WEBHOOK_KILLS)
      process.stdout.write(
        `${KILLS} workers and ${KILLS} imports killed (${cut} rolled back): ${committed.length} events, ${receiver.received.length} deliveries\n`,
      );
  });

  const importsUnderWay = async () => {
    const [row] = await test.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
    );
    return row?.count ?? 0;
  };

  it('lets what is under way end when it is told to stop, and leaves the rest to the next', async () => {
    const id = await subscribe('handed-');
    // Beside what a busy machine was too slow for before.
    const handed = () => receiver.received.filter(({ path }) => path === '/handed-');
    // What was received is not yet written down where a busy machine was too slow for an attempt.
    const patience = { WEBHOOK_TIMEOUT_MS: '30000' };
    const worker = start(['worker'], patience);
    await drop(Array.from({ length: 60 }, (_, place) => `handed-${place}.com.au`));
    await until('some deliveries', () => handed().length > 10);
    expect(await worker.stop('SIGTERM')).toBe('SIGTERM');
    const [row] = await test.database.query<{ delivered: number; pending: number }>(
      `SELECT count(*) FILTER (WHERE status = 'delivered')::int AS delivered, count(*) FILTER (WHERE status = 'pending')::int AS pending
         FROM webhook_delivery WHERE webhook_id = $1`,
      [id],
    );
    // What was received has been written down: none of it comes twice.
    expect(row?.delivered).toBe(handed().length);
    expect(row?.pending).toBe(60 - handed().length);
    const next = start(['worker'], patience);
    await until('the rest', () => handed().length === 60);
    await next.stop('SIGTERM');
    expect(new Set(handed().map(nameOf)).size).toBe(60);
  });

  it('refuses to run with webhooks and jobs off', async () => {
    const worker = run(join(compiled, 'dist/cli.js'), ['worker'], {
      environment: { DATABASE_URL: test.databaseUrl },
    });
    expect(await worker.ended).not.toBe(0);
    expect(worker.output()).toContain('DATASET_JOBS and WEBHOOKS are off');
  });

  it('tells the operator what waits', async () => {
    await test.database.query('DELETE FROM webhook');
    await subscribe('waiting');
    await drop(['waiting.com.au']);
    const command = start(['webhooks']);
    expect(await command.ended).toBe(0);
    expect(command.output()).toMatch(
      /webhooks +(\d+), \1 of them on\nevents not delivered +1\ndeliveries pending +0\nthe oldest of them +\d+ s old\ndeliveries held +0,/,
    );
  });

  it('tells the operator apart what nobody is to deliver for the tier of its account', async () => {
    const held = await subscribe('held');
    await test.database.query('DELETE FROM webhook WHERE id <> $1', [held]);
    await test.database.query('UPDATE webhook_outbox SET last_event = (SELECT last_event FROM dataset)');
    await test.database.query(
      `INSERT INTO webhook_delivery (webhook_id, type, events) VALUES ($1, 'webhook.test', '{}')`,
      [held],
    );
    const told = async (more?: Record<string, string>) => {
      const command = start(['webhooks'], more);
      expect(await command.ended).toBe(0);
      return command.output();
    };
    expect(await told()).toMatch(/pending +1\nthe oldest of them +\d+ s old\ndeliveries held +0,/);
    const nobody =
      /pending +0\nthe oldest of them +nothing waits\ndeliveries held +1, .* tier without webhooks, or to hosts that are not proven\n/;
    expect(await told({ TIERS: '{"pro":{"webhooks":false}}' })).toMatch(nobody);
    await test.database.query(`UPDATE account SET tier = 'member'`);
    expect(await told()).toMatch(nobody);
  });
});
