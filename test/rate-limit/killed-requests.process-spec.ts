import { BudgetClock } from '../../src/access/budget-store.js';
import { BudgetRepository } from '../../src/access/budget.repository.js';
import { TIERS } from '../../src/config/tiers.js';
import { addDomains } from '../support/domains.js';
import { countWaiting, createTestDatabase, type TestDatabase } from '../support/database.js';
import { compiledSources, run, type Running, until } from '../support/processes.js';
import { type ScriptedRegistry, startScriptedRegistry } from '../support/registry.js';

jest.setTimeout(150_000);

const ADDRESS = '198.51.100.1';
/** An hour's budget beside the minute's, which would be over by itself. */
const LIMITS = { recordsPerMinute: 20, quota: { period: 'hour' as const, records: 20 } };

let compiled: string;
let test: TestDatabase;
let registry: ScriptedRegistry;
beforeAll(async () => {
  compiled = await compiledSources();
  test = await createTestDatabase();
  registry = await startScriptedRegistry();
  const seed = { wayback: 1, first_seen: null, available: true, hidden: false };
  await addDomains(
    test.database,
    Array.from({ length: 9 }, (_, index) => ({ ...seed, domain: `name-${index}.com.au` })),
  );
});
afterAll(async () => {
  await registry.close();
  await test.close();
});

interface Service extends Running {
  get(path: string, address?: string): Promise<Response>;
}

async function startService(): Promise<Service> {
  const running = run(`${compiled}/dist/main.js`, [], {
    environment: {
      HOST: '127.0.0.1',
      PORT: '0',
      TRUST_PROXY: '1',
      DATABASE_URL: test.url,
      DATASET_JOBS: 'off',
      REGISTRY_RDAP_URL: registry.url,
      REGISTRY_SOURCE: 'sandbox',
      REGISTRY_CANARIES: '',
      REGISTRY_BOOTSTRAP_URL: 'off',
      REGISTRY_RATE_PER_SECOND: '1000',
      REGISTRY_BURST: '1000',
      REGISTRY_TIMEOUT_MS: '60000',
      TIERS: JSON.stringify({ demo: LIMITS }),
    },
  });
  const [, port] = await running.says(/"port":(\d+),"msg":"listening"/);
  return {
    ...running,
    get: (path, address = ADDRESS) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'X-Forwarded-For': address } }),
  };
}

/** What is left of the hour, as every instance finds it. */
async function leftAfterwards(): Promise<number> {
  const caller = { tier: { ...TIERS.demo, ...LIMITS }, id: `ip:${ADDRESS}` };
  const counts = await new BudgetRepository(test.database, new BudgetClock()).read(caller);
  return LIMITS.quota.records - counts.periodUsed - counts.reserved;
}

beforeEach(() => test.database.query('DELETE FROM record_budget'));

describe('a process that is killed in the middle of a request', () => {
  it.each(['/v1/suggest?limit=5', '/api/v1/domains/name-1.com.au'])(
    'has charged nothing for %s',
    async (path) => {
      const service = await startService();
      const killed = await test.database.transaction(async (transaction) => {
        await transaction.query('LOCK TABLE domain IN ACCESS EXCLUSIVE MODE');
        const lost = service.get(path).catch(() => 'none');
        await until('the request waits', async () => (await countWaiting(test.database)) > 0);
        await service.stop('SIGKILL');
        return lost;
      });
      expect(killed).toBe('none');
      expect(await leftAfterwards()).toBe(20);
    },
  );

  it('has its reservation for a check given back when that ends', async () => {
    registry.reply(() => undefined);
    const service = await startService();
    const lost = service.get('/v1/domains/check?domain=asked-for-long.com.au').catch(() => 'none');
    // A service that starts asks the registry for its help as well.
    await until('the registry is asked', () => registry.asked.includes('asked-for-long.com.au'));
    await service.stop('SIGKILL');
    expect(await lost).toBe('none');
    expect(await leftAfterwards()).toBe(19);
    const [reserved] = await test.database.query<{ seconds: number }>(
      `SELECT extract(epoch FROM (one->>2)::timestamptz - now())::float8 AS seconds
         FROM record_budget, jsonb_each(reservations) AS every (id, one)`,
    );
    expect(reserved?.seconds).toBeLessThanOrEqual(60);
    // A minute goes by.
    await test.database.query(
      `UPDATE record_budget
          SET reservations = (SELECT jsonb_object_agg(
                id, jsonb_set(one, '{2}', to_jsonb((one->>2)::timestamptz - interval '1 minute')))
                                FROM jsonb_each(reservations) AS every (id, one))`,
    );
    expect(await leftAfterwards()).toBe(20);
  });
});

it('a process that is killed after its answers has charged what it sent, but for the last of each', async () => {
  const service = await startService();
  const callers = Array.from({ length: 8 }, (_, place) => `198.51.100.${place + 10}`);
  await Promise.all(
    callers.map(async (address) => {
      // What was sent is charged by the statement of the next request.
      for (let request = 0; request < 3; request += 1) {
        const answer = await service.get('/v1/suggest?limit=2', address);
        expect(await answer.json()).toMatchObject({ count: 2 });
      }
    }),
  );
  await service.stop('SIGKILL');
  const charged = await test.database.query<{ caller: string; period_used: number }>(
    'SELECT caller, period_used FROM record_budget',
  );
  expect(charged.map(({ caller }) => caller).sort()).toEqual(
    callers.map((address) => `ip:${address}`).sort(),
  );
  expect(charged.filter(({ period_used: used }) => used < 4 || used > 6)).toEqual([]);
});
