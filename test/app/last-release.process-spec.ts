import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SCHEMA_EPOCH } from '../../src/config/product.js';
import { migrate } from '../../src/db/migrate.js';
import { createDataSource } from '../../src/db/data-source.js';
import { Database } from '../../src/db/database.js';
import { CubeCheck } from '../../src/domains/search/cube/cube.repository.js';
import { type SandboxRegistry, startSandboxRegistry } from '../../src/demo/sandbox-registry.js';
import { addKey, WITH_WEBHOOKS } from '../support/accounts.js';
import { createEmptyDatabase, dropDatabase } from '../support/database.js';
import { importVouched } from '../support/import.js';
import { buildLastRelease, isLastReleaseKnown } from '../support/last-release.js';
import { makeFolder, run, type Running } from '../support/processes.js';

const DRIFT_LIMIT_MS = 60_000;

interface Served {
  readonly suggested: unknown;
  readonly checked: unknown;
  readonly fed: unknown;
  readonly webhook: unknown;
  readonly signUp: number;
}

describe('the last release', () => {
  let url: string;
  let registry: SandboxRegistry;
  let database: Database;
  let service: Running | undefined;
  beforeAll(async () => {
    url = await createEmptyDatabase();
    registry = await startSandboxRegistry({ port: 0 });
    database = new Database(await createDataSource(url, 2, () => undefined).initialize());
  });
  afterAll(async () => {
    await service?.stop('SIGTERM');
    await database.dataSource.destroy();
    await registry.close();
    dropDatabase(url);
  });

  (isLastReleaseKnown ? it : it.skip)('serves on the schema of this one as it did on its own', async () => {
    const folder = await buildLastRelease();
    const environment = {
      ...WITH_WEBHOOKS,
      ...{ DATABASE_URL: url, PORT: '0', HOST: '127.0.0.1', BASE_URL: 'http://127.0.0.1:3000' },
      ...{ REGISTRY_RDAP_URL: registry.url, REGISTRY_SOURCE: 'sandbox', REGISTRY_CANARIES: '' },
      TIERS: '{"demo":{"recordsPerMinute":100000,"requestsPerMinute":100000}}',
    };
    service = run(join(folder, 'dist/src/main.js'), [], { environment });
    const [, port = ''] = await service.says(/"port":(\d+),"msg":"listening"/);
    const list = join(await makeFolder('last-list'), 'list.csv');
    await writeFile(list, 'domain,wayback\nsandbox-available.com.au,7\nlast-release.com.au,9\n');
    const importing = (more: Record<string, string> = {}) =>
      run(
        join(folder, 'dist/src/cli.js'),
        ['import', list, '--vouched-by', 'test', '--confirmed-at', '2026-11-20'],
        { environment: { ...environment, ...more } },
      );
    expect(await importing().ended).toBe(0);
    const { bearer } = await addKey(database, { tier: 'pro', scopes: ['read', 'webhooks'] });
    const before = await serve(port, bearer, 'before');
    await migrate(url);
    const after = await serve(port, bearer, 'after');
    expect(after).toEqual(before);
    // What this version writes, the last one tells of.
    await importVouched(database, 'domain,wayback\nnew-release.com.au,3\n', { now: new Date() });
    expect(JSON.stringify((await ask(port, '/v1/suggest?q=new-release')).body)).toContain(
      'new-release.com.au',
    );
    // A command of the last one, started afterwards, says which version to start and writes nothing.
    const late = importing();
    expect([await late.ended, late.output()]).toEqual([1, expect.stringContaining('Nothing was imported')]);
    expect(late.output()).toContain('The database was migrated by a newer version');
    expect(service.output()).not.toMatch(/"level":"?(50|error)/);

    // What it writes beside this one leaves totals and counts equal; its jobs begin nothing, by the database alone.
    await importVouched(database, 'domain\nsandbox-registered.com.au\n', { now: new Date() });
    await ask(port, '/v1/domains/check?domain=new-release.com.au');
    expect(await new CubeCheck(database).findDrift(DRIFT_LIMIT_MS)).toBeNull();
    const known = await database.query('SELECT * FROM migration WHERE timestamp >= 1766000210000');
    const forget = 'DELETE FROM migration WHERE timestamp >= 1766000210000';
    await database.query(forget);
    const jobEnvironment = { ...environment, DATASET_JOBS: 'on', WEBHOOK_WORKER: 'on' };
    const early = run(join(folder, 'dist/src/main.js'), [], { environment: jobEnvironment });
    await early.says(/"msg":"listening"/);
    expect(await database.query('SELECT FROM job_lease')).toEqual([]);
    await early.stop('SIGTERM');
    for (const { timestamp, name } of known)
      await database.query('INSERT INTO migration (timestamp, name) VALUES ($1, $2)', [timestamp, name]);

    // Once a release is out that it cannot work on, the database refuses it: while it runs, and where its own list of
    // migrations would let it start.
    await migrate(url, { epoch: SCHEMA_EPOCH + 1, oldest: SCHEMA_EPOCH });
    const totals = () =>
      database.query('SELECT available_records, last_event, last_event_at, refreshed FROM dataset');
    const closed = await totals();
    await ask(port, '/v1/domains/check?domain=sandbox-registered.com.au');
    expect(await totals()).toEqual(closed);
    await database.query(forget);
    const renamed = { DATABASE_URL: `${url}?application_name=reports` };
    for (const started of [importing(), importing(renamed)]) {
      expect(await started.ended).toBe(1);
      expect(started.output()).toContain('this release is too old for the database');
    }
    expect(await totals()).toEqual(closed);
    const jobs = run(join(folder, 'dist/src/main.js'), [], {
      environment: { ...jobEnvironment, ...renamed },
    });
    await jobs.says(/"msg":"listening"/);
    expect(await database.query('SELECT FROM job_lease')).toEqual([]);
    await jobs.stop('SIGTERM');
    expect(await totals()).toEqual(closed);
  });

  async function ask(port: string, path: string, options: RequestInit = {}) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, options);
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  /** What a service is asked to do, as far as it is the same each time. */
  async function serve(port: string, bearer: string, moment: string): Promise<Served> {
    const headers = { Authorization: bearer, 'Content-Type': 'application/json' };
    const json = (body: object) => JSON.stringify(body);
    const suggested = await ask(port, '/v1/suggest?q=last-release');
    const checked = await ask(port, '/v1/domains/check?domain=sandbox-available.com.au');
    const fed = await ask(port, '/api/v1/dropped?since=2020-01-01T00:00:00Z', { headers });
    const url = `http://127.0.0.1:9/${moment}`;
    const webhook = await ask(port, '/api/v1/webhooks', { method: 'POST', headers, body: json({ url }) });
    const form = new URLSearchParams({
      name: 'Ann',
      email: `${moment}@example.com`,
      password: 'a river of nine stones',
    });
    const signUp = await ask(port, '/sign-up', {
      ...{ method: 'POST', body: form, redirect: 'manual' },
      headers: { Origin: 'http://127.0.0.1:3000', 'Sec-Fetch-Site': 'same-origin' },
    });
    return {
      suggested: [suggested.status, suggested.body.results],
      checked: [checked.status, checked.body.registered, checked.body.available, checked.body.known],
      fed: [fed.status, fed.body.results],
      webhook: [webhook.status, Object.keys(webhook.body.webhook ?? webhook.body)],
      signUp: signUp.status,
    };
  }
});
