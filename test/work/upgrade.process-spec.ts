import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDataSource } from '../../src/db/data-source.js';
import { Database } from '../../src/db/database.js';
import { addKey, WITH_WEBHOOKS } from '../support/accounts.js';
import { createEmptyDatabase, dropDatabase } from '../support/database.js';
import { buildLastRelease, isLastReleaseKnown } from '../support/last-release.js';
import { compiledSources, freePort, run, until } from '../support/processes.js';
import { found, startScriptedRegistry } from '../support/registry.js';
import { type Receiver, startReceiver } from '../support/webhook-receiver.js';

const WEBHOOKS = 3;
const NAMES_OF_CHECK = 12;
const ANSWER_MS = 150;

(isLastReleaseKnown ? it : it.skip)(
  'an upgrade under load loses no delivery and no check, and charges none twice, though the old program is killed',
  async () => {
    const old = await buildLastRelease();
    const url = await createEmptyDatabase();
    const receiver = await startReceiver();
    const registry = await startScriptedRegistry();
    registry.reply(({ url: path }, response) => {
      const domain = (path ?? '').replace('/domain/', '');
      const { body } = found(domain) as { body: unknown };
      const answer = () =>
        response.writeHead(200, { 'Content-Type': 'application/rdap+json' }).end(JSON.stringify(body));
      setTimeout(answer, ANSWER_MS);
    });
    const environment = {
      ...{ ...WITH_WEBHOOKS, HOST: '127.0.0.1', DATABASE_URL: url, REGISTRY_RDAP_URL: registry.url },
      ...{ REGISTRY_CANARIES: '', REGISTRY_BOOTSTRAP_URL: 'off' },
      ...{ REGISTRY_RATE_PER_SECOND: '500', REGISTRY_BURST: '500' },
    };
    const [oldPort, newPort] = [await freePort(), await freePort()];
    const first = run(join(old, 'dist/src/main.js'), [], {
      environment: { ...environment, PORT: String(oldPort) },
    });
    let second: ReturnType<typeof run> | undefined;
    const dataSource = createDataSource(url, 4, () => undefined);
    try {
      await first.says(/"msg":"listening"/);
      const database = new Database(await dataSource.initialize());
      const deliveries: string[] = [];
      const checks: { token: string | null; accountId: string; bearer: string }[] = [];
      const webhooks = await subscribe(oldPort, database, receiver);
      let serving = oldPort;
      let isLoaded = true;
      const deliver = async () => {
        while (isLoaded) {
          deliveries.push(await addDelivery(database, webhooks[deliveries.length % WEBHOOKS] ?? ''));
          await sleep(20);
        }
      };
      const check = async () => {
        while (isLoaded) {
          checks.push(await beginCheck(serving, database, checks.length));
          await sleep(100);
        }
      };
      const load = Promise.all([deliver(), check()]);
      await until(
        'the old program works',
        () => receiver.received.length > 100 && registry.asked.length > 50,
      );
      second = run(join(await compiledSources(), 'dist/main.js'), [], {
        environment: { ...environment, PORT: String(newPort) },
      });
      await second.says(/"msg":"listening"/);
      // Both serve for a while, as behind a balancer; checks are still begun at the old one.
      const before = checks.length;
      await until('the old one takes more', () => checks.length > before + 20);
      serving = newPort;
      await until('checks are begun at the new one', () => checks.length > before + 30);
      await first.stop('SIGKILL');
      const atKill = deliveries.length;
      await until('the new one has more to do', () => deliveries.length > atKill + 100);
      isLoaded = false;
      await load;

      const wanted = new Set(deliveries.map((id) => `msg_${id}`));
      const arrived = () => new Set(receiver.received.map(({ id }) => id));
      await until('all deliveries', () => [...wanted].every((id) => arrived().has(id)));
      expect(arrived()).toEqual(wanted);
      for (const { token, accountId, bearer } of checks) {
        expect(await resultOf(newPort, token, bearer)).toMatchObject({
          answered: NAMES_OF_CHECK,
          failed: 0,
          pending: 0,
        });
        expect(await chargedTo(database, accountId)).toBe(NAMES_OF_CHECK);
      }
      process.stderr.write(
        `${wanted.size} deliveries in ${receiver.received.length} requests, ${checks.length} checks with ` +
          `${checks.length * NAMES_OF_CHECK} names in ${registry.asked.length} questions\n`,
      );
    } finally {
      await first.stop('SIGKILL');
      await second?.stop('SIGTERM');
      if (dataSource.isInitialized) await dataSource.destroy();
      await receiver.close();
      await registry.close();
      dropDatabase(url);
    }
  },
);

async function ask(port: number, path: string, bearer: string, body?: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { Authorization: bearer, 'Content-Type': 'application/json' },
  });
}

async function subscribe(port: number, database: Database, receiver: Receiver): Promise<string[]> {
  const { bearer } = await addKey(database, { tier: 'pro', scopes: ['read', 'webhooks'] });
  const ids: string[] = [];
  for (let number = 0; number < WEBHOOKS; number += 1) {
    const path = `/hook-${number}`;
    const answer = await ask(port, '/api/v1/webhooks', bearer, { url: receiver.url + path });
    const { webhook, secret } = (await answer.json()) as { webhook: { id: string }; secret: string };
    receiver.secrets.set(path, secret);
    ids.push(webhook.id);
  }
  return ids;
}

async function addDelivery(database: Database, webhook: string): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    `INSERT INTO webhook_delivery (webhook_id, type, events) VALUES ($1, 'webhook.test', '{}') RETURNING id`,
    [webhook],
  );
  return row?.id ?? '';
}

/** Of an account of its own, so that what it was charged can be told. */
async function beginCheck(
  port: number,
  database: Database,
  number: number,
): Promise<{ token: string | null; accountId: string; bearer: string }> {
  const { accountId, bearer } = await addKey(database, { tier: 'pro' });
  const domains = Array.from({ length: NAMES_OF_CHECK }, (_, place) => `upgrade-${number}-${place}.com.au`);
  const answer = await ask(port, '/api/v1/domains/check', bearer, { domains, wait: 0 });
  const { token } = (await answer.json()) as { token: string | null };
  return { token, accountId, bearer };
}

async function resultOf(port: number, token: string | null, bearer: string): Promise<unknown> {
  return until('the check is done', async () => {
    const answer = await ask(port, `/api/v1/domains/checks/${token ?? ''}?wait=30`, bearer);
    const body = (await answer.json()) as { pending: number };
    return body.pending === 0 && body;
  });
}

async function chargedTo(database: Database, account: string): Promise<number> {
  const [row] = await database.query<{ records: number }>(
    'SELECT sum(records)::int AS records FROM usage_day WHERE account_id = $1',
    [account],
  );
  return row?.records ?? 0;
}
