import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { BulkCheckService } from '../../src/api/check/bulk-check.service.js';
import { Config } from '../../src/config/config.js';
import { TIERS } from '../../src/config/tiers.js';
import { Clock, type Database, LeaseLostError } from '../../src/db/database.js';
import { startSandboxArchive } from '../../src/demo/sandbox-archive.js';
import { startSandboxLists } from '../../src/demo/sandbox-lists.js';
import { ExportJob } from '../../src/exports/exports.module.js';
import { Exporter } from '../../src/exports/exporter.js';
import { ExportRepository } from '../../src/exports/export.repository.js';
import { AnswerLog } from '../../src/registry/answer-log.js';
import type { AnswerOf } from '../../src/ops/answers.js';
import { COMMANDS } from '../../src/ops/commands.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { OperatorServices } from '../../src/ops/operators.module.js';
import { sealSecret } from '../../src/validation/sealing.js';
import { isObject } from '../../src/validation/unknown-values.js';
import { WatchesService } from '../../src/notify/watches/watches.service.js';
import { WATCHED_KINDS } from '../../src/domains/schema/events.js';
import { type Kind, type KindName, WorkKinds } from '../../src/work/kind.js';
import { ProcessTimers } from '../../src/work/process-timers.js';
import { WorkLoop } from '../../src/work/work-loop.js';
import { addAccount, WITH_EXPORTS, WITH_WEBHOOKS } from '../support/accounts.js';
import { addStated } from '../support/archive.js';
import { addDomain, addInState } from '../support/domains.js';
import { ExportsHere } from '../support/exports.js';
import { after, createEngine } from '../support/jobs.js';
import { listOf, namesOf } from '../support/lists.js';
import { addOrder, addWaitingTopUp, WITH_ORDERS } from '../support/orders.js';
import { makeFolder, until } from '../support/processes.js';
import { type AccountsApp, startAccountsApp } from '../support/visitor.js';
import { addOwner, dropNames, type WebhookOwner } from '../support/webhook-owner.js';
import { startReceiver } from '../support/webhook-receiver.js';
import { setClock } from '../support/wrong-clock.js';

/** Gives a run of the kind something to do. @returns `{ key }` of a kind with several keys */
type Scene = () => Promise<unknown>;

const EARLIER_KEY = Buffer.alloc(32, 8).toString('base64');

let test: AccountsApp;
let database: Database;
let owner: WebhookOwner;
let kinds: ReadonlyMap<string, Kind>;
let lists: Awaited<ReturnType<typeof startSandboxLists>>;
const OPERATOR = mintOperatorKey();
const endings: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const folder = await makeFolder('exports');
  const archive = await startSandboxArchive({ port: 0 });
  const receiver = await startReceiver();
  lists = await startSandboxLists({ port: 0 });
  test = await startAccountsApp({
    ...{
      ...WITH_WEBHOOKS,
      ...WITH_EXPORTS,
      DATASET_JOBS: 'on',
      ...WITH_ORDERS,
      ORDER_SECRET_KEY_ALSO: EARLIER_KEY,
      BASE_URL: 'https://bowerbird.example',
      SAMPLE_PER_DAY: '1000',
      EXPORT_DIR: folder,
      BACKUP_DIR: await makeFolder('backups'),
      BACKUP_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
    OPERATOR_KEY_HASH: `alice:${OPERATOR.hash}`,
    ...{
      ARCHIVE_CDX_URL: archive.url,
      ARCHIVE_PAGES_URL: archive.pagesUrl,
      ARCHIVE_TITLES: 'on',
      ARCHIVE_SOURCE: 'sandbox',
      LIST_DELETED_URLS: lists.urls.deleted,
    },
  });
  // From here on only the test's engines run anything.
  await test.app.get(WorkLoop).beforeApplicationShutdown();
  test.app.get(ProcessTimers).onApplicationShutdown();
  ({ database } = test);
  owner = await addOwner(test, receiver);
  const config = test.app.get(Config);
  const exporter = new Exporter(
    config,
    { directUrl: test.databaseUrl },
    new ExportRepository(database),
    new ExportsHere(),
  );
  kinds = new Map(
    [...test.app.get(WorkKinds).all, new ExportJob(config, exporter)].map((kind) => [kind.name, kind]),
  );
  endings.push(
    () => test.close(),
    () => receiver.close(),
    () => lists.close(),
    () => archive.close(),
    () => rm(folder, { recursive: true }),
  );
});
afterAll(async () => {
  for (const end of endings) await end();
});

const sql = (statement: string) => () => database.query(statement);
const LONG_AGO = `timestamptz '2020-01-01'`;

/** Their own tests run them. */
const WITHOUT_SCENE = {
  'backup-drill': 'starts a server',
  'backup-log': 'writes files alone, of the embedded server',
  'backup-prune': 'deletes files alone, at the time that it is given',
  'card-refund': 'asks the card provider',
  'registrar-reconcile': 'compares with a registrar, and there is none here',
  'registrar-watch': 'asks a registrar, and there is none here',
} satisfies Partial<Record<KindName, string>>;

const SCENES: Record<Exclude<KindName, keyof typeof WITHOUT_SCENE>, Scene> = {
  'account-purge': sql(`INSERT INTO account_sign_up VALUES ('late@example.com', '\\x01', ${LONG_AGO})`),
  'app-purge': sql(
    `INSERT INTO oauth_client (client_id, redirect_uris, token_endpoint_auth_method, grant_types, response_types,
                               scopes, created_at)
     VALUES ('old', '[]', 'none', '[]', '[]', '[]', ${LONG_AGO})`,
  ),
  'archive-score': () =>
    addStated(database, { domain: 'to-score.com.au', state: 'purged', purgeAt: new Date() }),
  'audit-purge': sql(
    `INSERT INTO audit_log (at, actor, action, subject, reason) VALUES (${LONG_AGO}, 'a', 'b', 'c', 'd')`,
  ),
  backup: () => addDomain(database),
  'budget-purge': sql(
    `INSERT INTO record_budget (caller, period, minute_start, minute_used, period_start, period_used, granted)
     VALUES ('gone', 'hour', ${LONG_AGO}, 1, ${LONG_AGO}, 1, 1)`,
  ),
  'bulk-check': async () => {
    const caller = { id: `account:${owner.accountId}`, tier: TIERS.pro };
    await test.app.get(BulkCheckService).checkAll(['asked-in-bulk.com.au'], 0, caller);
    const [check] = await database.query<{ id: string }>('SELECT id FROM bulk_check WHERE NOT is_done');
    return { key: check?.id };
  },
  'bulk-check-purge': sql(
    `INSERT INTO bulk_check (id, token_hash, caller, tier, reservation, ends_at, is_done)
     VALUES (gen_random_uuid(), '\\x02', 'gone', 'pro', 'none', ${LONG_AGO}, true)`,
  ),
  'card-purge': sql(`INSERT INTO card_payment (id, seen_at) VALUES ('pi_of_another', ${LONG_AGO})`),
  'cube-check': async () => {
    await addDomain(database);
    await database.query('UPDATE domain_cube SET names = names + 1');
  },
  'event-purge': sql(
    `INSERT INTO domain_event (number, type, domain, occurred_at)
     VALUES ((SELECT coalesce(min(number), 1) - 1 FROM domain_event), 'domain.dropped', 'old.com.au', ${LONG_AGO})`,
  ),
  export: () => addDomain(database),
  'former-sites': sql(
    `INSERT INTO former_site (domain, state, wanted_at, next_at) VALUES ('to-read.com.au', 'waiting', ${LONG_AGO}, ${LONG_AGO})`,
  ),
  'gram-filing': () => addDomain(database),
  'ledger-proof': sql(
    `BEGIN; ALTER TABLE ledger_account DISABLE TRIGGER USER;
     INSERT INTO ledger_account (kind, balance_cents) VALUES ('suspense', 1);
     ALTER TABLE ledger_account ENABLE TRIGGER USER; COMMIT`,
  ),
  'list-fetch': async () => {
    // The application may have asked for it while it started; then it is not due.
    await database.query('DELETE FROM list_fetch');
    lists.publish('deleted', listOf('2026-11-20', namesOf('2026-11-20', 3)), new Date());
  },
  'list-fetch-purge': sql(
    `INSERT INTO list_fetch (address, kind, started_at, finished_at, outcome)
     VALUES ('https://lists.example', 'deleted', ${LONG_AGO}, ${LONG_AGO}, 'unchanged')`,
  ),
  'missed-answers': async () =>
    database.query(
      `INSERT INTO registry_answer (domain, state, source, checked_at, expires_at)
       VALUES ($1, 'registered', 'sandbox', now(), now() + interval '1 hour')`,
      [await addDomain(database)],
    ),
  purge: () => addInState(database, [{ domain: 'to-purge.com.au', state: 'listed' }]),
  questions: () => addInState(database, [{ domain: 'to-confirm.com.au', state: 'purged' }]),
  'recheck-sweep': () => addDomain(database),
  'recheck-upkeep': async () =>
    database.query(
      `INSERT INTO recheck (domain, ask_at, checked_at) VALUES ($1, ${LONG_AGO}, now() - interval '1 year')`,
      [await addDomain(database)],
    ),
  'registrar-exchange-purge': sql(
    `INSERT INTO registrar_exchange (registrar, command, sent_at, took_ms, result, request)
     VALUES ('sandbox', 'check', ${LONG_AGO}, 1, '1000', '<epp/>')`,
  ),
  'order-key-rotation': async () => {
    const id = randomUUID();
    await database.query('INSERT INTO registrant_profile VALUES ($1, $2, $3, now(), now())', [
      ...[id, owner.accountId, sealSecret('{}', id, EARLIER_KEY)],
    ]);
  },
  'order-notices': async () => {
    const id = await addOrder(database, owner.accountId);
    await database.query(
      `INSERT INTO order_notice (order_id, account_id, type, state, at, due_at)
       VALUES ($1, $2, 'registration.failed', 'failed', now(), now())`,
      [id, owner.accountId],
    );
  },
  // Its approval has lapsed.
  registration: async () => ({ key: await addOrder(database, owner.accountId) }),
  'registry-answer-purge': sql(
    `INSERT INTO kept_text (digest, source, verdict, parser, has_rdap_type, last_seen_on)
     VALUES ('x', 'sandbox', 'available', 1, true, ${LONG_AGO})`,
  ),
  'registry-cache-purge': sql(
    `INSERT INTO registry_answer (domain, state, source, checked_at, expires_at)
     VALUES ('old.com.au', 'registered', 'sandbox', ${LONG_AGO}, ${LONG_AGO})`,
  ),
  renewals: async () => {
    const id = await addOrder(database, owner.accountId);
    await database.query(
      `UPDATE registration_order SET state = 'registered', settled_at = now(), expires_at = now() + interval '80 days'
        WHERE id = $1`,
      [id],
    );
  },
  'request-count-purge': sql(
    `INSERT INTO service_minute (minute, subject, requests, failures, durations) VALUES (${LONG_AGO}, 'a', 1, 0, '{1}')`,
  ),
  stale: () => addDomain(database),
  'top-up': async () => ({ key: await addWaitingTopUp(test, owner.accountId) }),
  'truth-sample': () => addDomain(database),
  'watch-mail': async () => {
    const account = await addAccount(database, 'pro');
    await database.query(`INSERT INTO watcher (account_id, mail_due_at) VALUES ($1, ${LONG_AGO})`, [account]);
    return { key: account };
  },
  'watch-notice-purge': async () =>
    database.query(
      `INSERT INTO watch_notice (account_id, event, type, domain, occurred_at, watches, mail, made_at)
       VALUES ($1, 1, 'domain.dropped', 'old.com.au', ${LONG_AGO}, '{}', 'none', ${LONG_AGO})`,
      [owner.accountId],
    ),
  'watch-outbox': async () => {
    const account = { accountId: owner.accountId, id: `account:${owner.accountId}`, tier: TIERS.pro };
    await test.app.get(WatchesService).watchName('watched.com.au', WATCHED_KINDS, account);
    await dropNames(test, 'watched.com.au');
  },
  webhook: async () => ({ key: await addDelivery() }),
  'webhook-lanes': () => addDelivery(),
  'webhook-outbox': async () => {
    await owner.subscribe();
    await dropNames(test, 'dropped-for-webhooks.com.au');
  },
  'webhook-purge': async () =>
    database.query(`INSERT INTO webhook_turn (account_id, next_at) VALUES ($1, ${LONG_AGO})`, [
      await addAccount(database, 'pro'),
    ]),
  'word-fill': async () => {
    const domain = await addDomain(database);
    await database.query('UPDATE domain SET words = NULL WHERE domain = $1', [domain]);
  },
  'work-purge': sql(
    `INSERT INTO work (kind, key, due_at, last_run_at) VALUES ('webhook', 'idle', 'infinity', ${LONG_AGO})`,
  ),
};

it('each kind of work has a scene', () => {
  const known = [...Object.keys(SCENES), ...Object.keys(WITHOUT_SCENE)];
  expect(known.sort()).toEqual([...kinds.keys(), 'backup-log'].sort());
});

describe('an operator', () => {
  it.each([...Object.keys(SCENES), 'backup-drill'])(
    'pauses, runs and resumes work of the kind %s, through either door',
    async (name) => {
      const alice = test.caller().set('Authorization', `Bearer ${OPERATOR.text}`);
      const steer = (verb: string) =>
        alice.post(`/ops/v1/jobs/${name}/${verb}`).send({ reason: 'a look' }).expect(200);
      const byCommand = { actor: 'command:bob', from: null, reason: 'a look' };
      const services = test.app.get(OperatorServices);
      let runs = 0;
      const engine = createEngine(
        database,
        narrowed(kindOf(name), async () => {
          runs += 1;
          return { againInMs: 0 };
        }),
      );
      await database.query('DELETE FROM work WHERE kind = $1', [name]);
      await database.query(
        `INSERT INTO work (kind, key, due_at) VALUES ($1, $2, now() - interval '1 minute')`,
        [name, 'steered'],
      );
      const pass = async () => {
        await engine.runDue(new Date());
        return runs;
      };
      expect(await pass()).toBe(1);
      await steer('pause');
      const { body } = await alice.get('/ops/v1/jobs').expect(200);
      expect((body as AnswerOf<'Jobs'>).jobs.find((job) => job.name === name)).toMatchObject({
        paused: { by: 'operator:alice', reason: 'a look' },
      });
      expect(await pass()).toBe(1);
      await until('a moment after the last run', async () => {
        await COMMANDS.runJob.run(services, { name }, { ...byCommand, action: 'job.run' });
        return (await pass()) === 2;
      });
      expect(await pass()).toBe(2);
      await COMMANDS.resumeJob.run(services, { name }, { ...byCommand, action: 'job.resume' });
      expect(await pass()).toBe(3);
      await engine.stop();
      await database.query('DELETE FROM work WHERE kind = $1', [name]);
    },
  );
});

afterEach(() => jest.useRealTimers());

describe('a run whose lease has gone to another process', () => {
  it.each(Object.entries(SCENES))('of the kind %s changes nothing in the database', async (name, scene) => {
    const prepared = await scene();
    const key = isObject(prepared) && typeof prepared.key === 'string' ? prepared.key : '';
    const now = new Date();
    const makeDue = () =>
      database.query(
        `INSERT INTO work AS known (kind, key, due_at) VALUES ($1, $2, $3)
         ON CONFLICT (kind, key) DO UPDATE SET due_at = $3, ready = false`,
        [name, key, now],
      );
    await makeDue();

    let giveLease: () => void = () => undefined;
    const isLost = new Promise<void>((resolve) => (giveLease = resolve));
    const kind = kindOf(name);
    const frozen = createEngine(
      database,
      narrowed(kind, async (...run) => {
        await isLost;
        return kind.run(...run);
      }),
    );
    const { begun } = await frozen.step(now);
    expect(begun).toHaveLength(1);
    const successor = createEngine(
      database,
      narrowed(kind, async () => ({})),
    );
    await successor.runDue(after(now, 16));
    // Answers of earlier runs, which are kept a moment later.
    await test.app.get(AnswerLog).flush();
    const before = await contents(name, null);
    giveLease();
    expect(await Promise.all(begun)).toEqual([false]);
    expect(await contents(name, null)).toEqual(before);

    // With its lease, the same run has something to write.
    await makeDue();
    const unwritten = await contents(name, key);
    let refusal: unknown = null;
    const holder = createEngine(
      database,
      narrowed(kind, async (...run) => {
        const result = await kind.run(...run);
        // gin_clean_pending_list moves what no row shows.
        if (name !== 'gram-filing') return result;
        await database.query('UPDATE work SET holder = gen_random_uuid() WHERE kind = $1', [name]);
        refusal = await kind.run(...run).catch((error: unknown) => error);
        return result;
      }),
    );
    const full = await countRows();
    // On an instance whose clock is behind, what is over by the database is over all the same.
    setClock(-DAYS_OFF);
    await holder.runDue(after(now, 40));
    jest.useRealTimers();
    if (name === 'gram-filing') expect(refusal).toBeInstanceOf(LeaseLostError);
    else expect(await contents(name, key)).not.toEqual(unwritten);
    if (!name.endsWith('-purge')) return;

    // On one whose clock is ahead, what is young by the database stays.
    const purged = fewerIn(full, await countRows());
    expect(purged).not.toEqual([]);
    await scene();
    await makeYoung(purged);
    const young = await countRows();
    const work = { kind: name, key, cursor: null, failures: 0, isSlow: false };
    const time = await test.app.get(Clock).now();
    setClock(DAYS_OFF);
    await kind.run(work, time, new AbortController().signal, () => undefined);
    jest.useRealTimers();
    expect(fewerIn(young, await countRows())).toEqual([]);
  });
});

/** More than anything is kept. */
const DAYS_OFF = 4_000;

/** Makes what a scene called old an hour younger than now. */
async function makeYoung(tables: readonly string[]): Promise<void> {
  const columns = await database.query<{ table: string; column: string; type: string }>(
    `SELECT table_name AS table, column_name AS column, data_type AS type FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = ANY ($1)
        AND data_type IN ('date', 'timestamp with time zone')`,
    [tables],
  );
  for (const { table, column, type } of columns)
    await database.query(
      `UPDATE ${table} SET "${column}" = now() + interval '1 hour' WHERE "${column}" = ${LONG_AGO}::${type}`,
    );
}

/** Rows by table. */
async function countRows(): Promise<Record<string, number>> {
  const tables = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
        AND relname <> 'work_holder'`,
  );
  const counts = tables.map(({ name }) => `SELECT '${name}' AS name, count(*)::int AS rows FROM ${name}`);
  const rows = await database.query<{ name: string; rows: number }>(counts.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]));
}

function fewerIn(before: Record<string, number>, after: Record<string, number>): string[] {
  return Object.keys(before).filter((name) => (after[name] ?? 0) < (before[name] ?? 0));
}

function kindOf(name: string): Kind {
  const kind = kinds.get(name);
  if (!kind) throw new Error(`there is no work of the kind ${name}`);
  return kind;
}

/** The kind with another run, and without an interval: it runs the one key that the test makes due. */
function narrowed({ name, deadlineMs = 20_000, graceMs = 5_000 }: Kind, run: Kind['run']): Kind {
  return { name, deadlineMs, graceMs, run };
}

/** Everything in the database, but for the leases. @param key of the kind, the row that is left out as well */
async function contents(kind: string, key: string | null): Promise<Record<string, string>> {
  const tables = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> 'work_holder' ORDER BY 1`,
  );
  // One statement for some hundred tables.
  const sums = tables.map(({ name }) => {
    const others = name === 'work' && key !== null ? 'WHERE (kind, key) <> ($1, $2)' : '';
    return `SELECT '${name}' AS name, md5(string_agg(t::text, ',' ORDER BY t::text)) AS sum FROM ${name} AS t ${others}`;
  });
  const rows = await database.query<{ name: string; sum: string | null }>(
    sums.join(' UNION ALL '),
    key === null ? [] : [kind, key],
  );
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum ?? '']));
}

async function addDelivery(): Promise<string> {
  const { id } = await owner.subscribe();
  await database.query(
    `INSERT INTO webhook_delivery (webhook_id, type, events) VALUES ($1, 'webhook.test', '{}')`,
    [id],
  );
  return id;
}
