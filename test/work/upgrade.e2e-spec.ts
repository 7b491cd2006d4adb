import { randomUUID } from 'node:crypto';
import { BudgetRepository } from '../../src/access/budget.repository.js';
import { BudgetClock } from '../../src/access/budget-store.js';
import { longerPeriod } from '../../src/access/budget-window.js';
import { BulkCheckService } from '../../src/api/check/bulk-check.service.js';
import { TIERS } from '../../src/config/tiers.js';
import { createDataSource } from '../../src/db/data-source.js';
import { Database } from '../../src/db/database.js';
import { migrate } from '../../src/db/migrate.js';
import { JobStateRepository } from '../../src/work/job-state.repository.js';
import { addKey, WITH_WEBHOOKS } from '../support/accounts.js';
import { startTestApp } from '../support/app.js';
import { setBudgetTime } from '../support/clock.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { until } from '../support/processes.js';
import { found, startScriptedRegistry } from '../support/registry.js';
import { addOwner } from '../support/webhook-owner.js';
import { startReceiver } from '../support/webhook-receiver.js';

const FIRST_MIGRATION = 'CreateWork1766000210000';
const DELIVERIES = 60;

/** What a worker of release 1.1.0 asks PostgreSQL for, as it stands there. */
const OLD = {
  takeJobs: `INSERT INTO job_lease AS lease (name, holder, fence, until) VALUES ('dataset', $1, 1, now() + interval '30 seconds')
     ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until, fence = lease.fence + 1
      WHERE lease.until <= now() RETURNING fence`,
  leaseWebhooks: `UPDATE webhook SET held_until = now() + interval '100 milliseconds'
      WHERE id = ANY (ARRAY(
        SELECT id FROM webhook
         WHERE enabled AND (held_until IS NULL OR held_until <= now())
           AND EXISTS (SELECT FROM webhook_delivery
                        WHERE webhook_id = webhook.id AND status = 'pending' AND due_at <= now())
         ORDER BY held_until NULLS FIRST LIMIT 64 FOR UPDATE SKIP LOCKED))
     RETURNING id`,
  listDue: `SELECT id FROM webhook_delivery
      WHERE webhook_id = $1 AND status = 'pending' AND due_at <= now() ORDER BY due_at LIMIT 4`,
  recordDelivery: `UPDATE webhook_delivery SET status = 'delivered', attempts = attempts + 1, attempted_at = now()
      WHERE id = $1 AND status = 'pending'`,
  claimChecks: `UPDATE bulk_check SET leased_by = $1, leased_until = clock_timestamp() + interval '20 seconds'
      WHERE id IN (SELECT id FROM bulk_check WHERE NOT is_done AND leased_until < clock_timestamp()
                    ORDER BY leased_until LIMIT 20 FOR UPDATE SKIP LOCKED)
     RETURNING id`,
  renewChecks: `UPDATE bulk_check SET leased_until = clock_timestamp() + interval '20 seconds'
      WHERE leased_by = $1 RETURNING id`,
  insertCheck: `INSERT INTO bulk_check (id, token_hash, caller, tier, reservation, ends_at, leased_until, leased_by)
     SELECT $1::uuid, sha256(convert_to($1::uuid::text, 'UTF8')), caller, tier, 'none', now() + interval '10 minutes',
            now() + interval '1 second', $2
       FROM bulk_check LIMIT 1`,
  addBudget: `INSERT INTO record_budget (caller, period, minute_start, minute_used, period_start, period_used, granted, reservations)
     VALUES ($1, $2, date_trunc('minute', $3::timestamptz, 'UTC'), $4, date_trunc($2, $3::timestamptz, 'UTC'), $5, 1, $6)`,
  readBudget: `SELECT CASE WHEN minute_start >= date_trunc('minute', now, 'UTC') THEN minute_used ELSE 0 END AS "minuteUsed",
            CASE WHEN period_start >= date_trunc($2, now, 'UTC') THEN period_used ELSE 0 END AS "periodUsed",
            (SELECT coalesce(sum((one->>0)::int - (one->>1)::int), 0)::int
               FROM jsonb_each(reservations) AS every (id, one) WHERE (one->>2)::timestamptz > now) AS reserved
       FROM (SELECT $3::timestamptz) AS moment (now) JOIN record_budget ON caller = $1 AND period = $2`,
  claimMail: `UPDATE watcher SET held_until = now() + interval '2 minutes' WHERE account_id = $1 RETURNING account_id`,
};

it('an upgrade from 1.1.0 under load loses no delivery, check or pause, and ends the leases of its workers', async () => {
  const url = await cloneTemplate();
  const receiver = await startReceiver();
  const registry = await startScriptedRegistry();
  const budgetTime = new Date();
  const environment = { ...WITH_WEBHOOKS, DATABASE_URL: url, REGISTRY_RDAP_URL: registry.url };
  const dataSource = await createDataSource(url, 4, () => undefined).initialize();
  const database = new Database(dataSource);
  const old = randomUUID();
  const sentByOld: string[] = [];
  let isOver = false;
  let worker: Promise<void> = Promise.resolve();
  try {
    // What the previous release has: a check that waits for the registry, webhooks, jobs of which one is paused.
    const first = await startTestApp({ ...environment, WEBHOOK_WORKER: 'off', REGISTRY_TIMEOUT_MS: '60000' });
    setBudgetTime(first.app, budgetTime);
    const owner = await addOwner(first, receiver);
    const { id: webhook, path } = await owner.subscribe();
    const names = ['upgrade-1.com.au', 'upgrade-2.com.au', 'upgrade-3.com.au'];
    for (const name of names) registry.reply(() => undefined, name);
    const key = await addKey(database, { tier: 'pro' });
    const caller = { id: `account:${key.accountId}`, tier: TIERS.pro };
    const { token } = await first.app.get(BulkCheckService).checkAll(names, 0, caller);
    await first.close();
    while (await isApplied(database)) await dataSource.undoLastMigration();
    await database.query(
      `INSERT INTO job_state (name, next_due, failures, cursor, paused_at, paused_by, pause_reason)
       VALUES ('recheck-sweep', now() + interval '1 hour', 2, '{"after": "m.com.au"}', now(), 'operator:alice', 'a look')`,
    );
    await database.query(`INSERT INTO watcher (account_id) VALUES ($1)`, [key.accountId]);
    const ids = await addDeliveries(database, webhook, DELIVERIES / 2);
    // One has been tried twice and is due in two seconds.
    await database.query(
      `UPDATE webhook_delivery SET attempts = 2, due_at = now() + interval '2 seconds' WHERE id = $1`,
      [ids[0]],
    );
    expect(await database.query(OLD.takeJobs, [old])).toHaveLength(1);
    expect(await database.query(OLD.claimChecks, [old])).toHaveLength(1);

    // Its worker delivers while the schema migrates, and goes on asking for leases.
    worker = (async () => {
      while (!isOver) {
        for (const { id } of await database.query<{ id: string }>(OLD.leaseWebhooks))
          for (const due of await database.query<{ id: string }>(OLD.listDue, [id])) {
            sentByOld.push(`msg_${due.id}`);
            await database.query(OLD.recordDelivery, [due.id]);
          }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    await until('the old worker delivers', () => sentByOld.length > 0);
    ids.push(...(await addDeliveries(database, webhook, DELIVERIES / 2)));
    await migrate(url);
    const atMigration = [
      await database.query(OLD.takeJobs, [old]),
      await database.query(OLD.leaseWebhooks),
      await database.query(OLD.claimChecks, [old]),
      await database.query(OLD.renewChecks, [old]),
      await database.query(OLD.claimMail, [key.accountId]),
    ];
    expect(atMigration).toEqual([[], [], [], [], []]);
    // An instance that only serves still takes checks, and hands events over.
    const late = randomUUID();
    await database.query(OLD.insertCheck, [late, old]);
    ids.push(...(await addDeliveries(database, webhook, 2)));

    for (const name of names) registry.reply(found(name), name);
    const second = await startTestApp(environment);
    try {
      setBudgetTime(second.app, budgetTime);
      const arrived = () => [
        ...sentByOld,
        ...receiver.received.filter((one) => one.path === path).map(({ id }) => id),
      ];
      await until('all deliveries', () => new Set(arrived()).size === ids.length);
      expect(new Set(arrived())).toEqual(new Set(ids.map((id) => `msg_${id}`)));
      await until('its third attempt is written', async () => {
        const [row] = await database.query<{ attempts: number }>(
          'SELECT attempts FROM webhook_delivery WHERE id = $1',
          [ids[0]],
        );
        return row?.attempts === 3;
      });
      const { body } = await second
        .caller()
        .get(`/api/v1/domains/checks/${token ?? ''}?wait=30`)
        .set('Authorization', key.bearer);
      expect(body).toMatchObject({ answered: 3, pending: 0, failed: 0 });
      const usage = await second.caller().get('/api/v1/usage').set('Authorization', key.bearer);
      expect(TIERS.pro.recordsPerMinute - usage.body.rate.remaining).toBe(3);
      await until('the check of the previous release is done', async () => {
        const [row] = await database.query<{ done: boolean }>(
          'SELECT is_done AS done FROM bulk_check WHERE id = $1',
          [late],
        );
        return row?.done;
      });
      const job = (await second.app.get(JobStateRepository).list()).find(
        ({ name }) => name === 'recheck-sweep',
      );
      expect(job).toMatchObject({
        ...{ pausedBy: 'operator:alice', pauseReason: 'a look', failures: 2 },
        cursor: { after: 'm.com.au' },
      });
    } finally {
      await second.close();
    }
  } finally {
    isOver = true;
    await worker.catch(() => undefined);
    await dataSource.destroy();
    await receiver.close();
    await registry.close();
    dropDatabase(url);
  }
});

it('an upgrade from 1.1.0 changes no remaining budget, and honours reservations until they end', async () => {
  const url = await cloneTemplate();
  const dataSource = await createDataSource(url, 2, () => undefined).initialize();
  const database = new Database(dataSource);
  const now = new Date('2026-11-24T10:20:30Z');
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
  // While all of them run, when one has ended, in the next minute, and when all have.
  const moments = [now, later(20), later(45), later(61)];
  const callers = Object.values(TIERS).map((tier) => ({ id: `account:${randomUUID()}`, tier }));
  const reservations = { running: [5, 2, later(60)], other: [4, 0, later(10)], ended: [50, 0, later(-1)] };
  try {
    while (await isApplied(database)) await dataSource.undoLastMigration();
    const before: unknown[] = [];
    for (const { id, tier } of callers) {
      const { period } = longerPeriod(tier);
      await database.query(OLD.addBudget, [id, period, now, 3, 11, JSON.stringify(reservations)]);
      for (const at of moments) before.push(...(await database.query(OLD.readBudget, [id, period, at])));
    }
    expect(before.slice(0, 4)).toMatchObject([7, 3, 3, 0].map((reserved) => ({ reserved })));
    await migrate(url);
    const clock = new BudgetClock();
    const budgets = new BudgetRepository(database, clock);
    const after: unknown[] = [];
    for (const caller of callers)
      for (const at of moments) {
        Object.assign(clock, { at });
        const { minuteUsed, periodUsed, reserved } = await budgets.read(caller);
        after.push({ minuteUsed, periodUsed, reserved });
      }
    expect(after).toEqual(before);
    // A check that runs on draws what is left of its reservation, and no more.
    Object.assign(clock, { at: now });
    for (const caller of callers) {
      const draw = async (id: string) => (await budgets.draw(caller, id, 5, 0)).granted;
      expect([await draw('running'), await draw('running'), await draw('ended')]).toEqual([3, 0, 0]);
    }
  } finally {
    await dataSource.destroy();
    dropDatabase(url);
  }
});

async function isApplied(database: Database): Promise<boolean> {
  const rows = await database.query('SELECT FROM migration WHERE name = $1', [FIRST_MIGRATION]);
  return rows.length > 0;
}

/** Deliveries that the worker of the previous release has in its queue. */
async function addDeliveries(database: Database, webhook: string, count: number): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `INSERT INTO webhook_delivery (webhook_id, type, events)
     SELECT $1, 'webhook.test', '{}' FROM generate_series(1, $2) RETURNING id`,
    [webhook, count],
  );
  return rows.map(({ id }) => id);
}
