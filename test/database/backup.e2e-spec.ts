import { dumpSchema } from '../support/schema.js';
import { open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { backUp } from '../../src/db/backup/backup.js';
import { listTables } from '../../src/db/backup/backup-file.js';
import { restore } from '../../src/db/backup/restore.js';
import { WITH_WEBHOOKS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { importVouched } from '../support/import.js';
import { makeFolder, until } from '../support/processes.js';
import { addOwner } from '../support/webhook-owner.js';
import { type Receiver, startReceiver } from '../support/webhook-receiver.js';

const nobody = () => undefined;

let folder: string;
let test: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  folder = await makeFolder('backup');
  receiver = await startReceiver();
  test = await startTestApp(WITH_WEBHOOKS);
});
afterAll(async () => {
  await test.close();
  await receiver.close();
});

const targets: TestDatabase[] = [];
afterEach(async () => {
  for (const target of targets.splice(0)) await target.close();
});
async function emptyDatabase(): Promise<TestDatabase> {
  const target = await createTestDatabase();
  targets.push(target);
  return target;
}

/** Of each table, its rows in words that are the same for the same rows. */
async function contentOf({ database }: Pick<TestDatabase, 'database'>): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const { table } of await listTables(database)) {
    const [row] = await database.query<{ sum: string }>(
      `SELECT concat(count(*), ' ', md5(string_agg(t::text, ',' ORDER BY t::text))) AS sum FROM ${table} AS t`,
    );
    content[table] = row?.sum ?? '';
  }
  return content;
}

describe('a backup', () => {
  it('made under writes is of one moment, and becomes the same dataset elsewhere', async () => {
    const owner = await addOwner(test, receiver);
    const hook = await owner.subscribe();
    let isOver = false;
    const writes = (async () => {
      for (let count = 0; !isOver; count += 1)
        await importVouched(test.database, `domain,wayback\nmoving-${count}.com.au,${count % 50}\n`);
      await importVouched(test.database, 'domain,wayback\nlast.com.au,7\n');
    })();
    const path = join(folder, 'moving.backup');
    await until(
      'something is written',
      async () => (await test.database.query('SELECT FROM domain')).length > 3,
    );
    await backUp(test.database, path, nobody);
    isOver = true;
    await writes;
    expect((await stat(path)).mode & 0o777).toBe(0o600);

    const target = await emptyDatabase();
    await restore(target.database, path, nobody);
    // What the counters say is what there is: no row of a later moment came along.
    const [counted] = await target.database.query<object>(
      `SELECT (SELECT available_records = (SELECT count(*) FROM domain WHERE available AND NOT hidden) FROM dataset) AS names,
              (SELECT last_event = (SELECT max(number) FROM domain_event) FROM dataset) AS events`,
    );
    expect(counted).toEqual({ names: true, events: true });
    const again = join(folder, 'again.backup');
    await backUp(target.database, again, nobody);
    const rowsOf = async (file: string) =>
      gunzipSync(await readFile(file))
        .toString()
        .split('\n')
        .slice(1)
        .join('\n');
    expect(await rowsOf(again)).toBe(await rowsOf(path));

    // And while the operator's key is replaced: first the last one is accepted as well, and then no more.
    const { WEBHOOK_SECRET_KEY: last } = WITH_WEBHOOKS;
    const next = { ...WITH_WEBHOOKS, WEBHOOK_SECRET_KEY: Buffer.alloc(32, 9).toString('base64') };
    for (const secrets of [WITH_WEBHOOKS, { ...next, WEBHOOK_SECRET_KEY_ALSO: last }, next]) {
      const restored = await startTestApp({ ...secrets, DATABASE_URL: target.url });
      await restored.caller().get('/api/v1/usage').set('Authorization', owner.bearer).expect(200);
      const { length } = receiver.received;
      await restored
        .caller()
        .post(`/api/v1/webhooks/${hook.id}/test`)
        .set('Authorization', owner.bearer)
        .expect(({ status }) => expect(status).toBeLessThan(300));
      // The receiver takes what is signed with the secret that the owner was shown by the other service.
      await until('a delivery that is rightly signed', () =>
        receiver.received.slice(length).find(({ body }) => body.type === 'webhook.test'),
      );
      await restored.close();
    }
    expect(receiver.refused).toEqual([]);
  });

  it('has every row of every table, and the numbers go on behind them', async () => {
    const path = join(folder, 'quiet.backup');
    const stopped = await emptyDatabase();
    await importVouched(stopped.database, 'domain,wayback\nquiet.com.au,7\n"back\\slash-is-none.com.au",1\n');
    await stopped.database.query(
      `INSERT INTO account (email, email_verified, name) VALUES ('a@example.com', true, E'\\\\.\\n\\\\.\\nname \\t\\\\')`,
    );
    await stopped.database.query(
      `SELECT create_answer_month(at) FROM unnest('{2026-10-31,2026-11-30T23:59Z}'::timestamptz[]) AS at`,
    );
    await stopped.database.query(
      `INSERT INTO kept_answer (asked_at, took_ms, text_id, domain)
       VALUES ('2026-10-31T12:00Z', 1, 1, 'a.au'), ('2026-11-30T23:59:59.999999Z', 1, 1, 'b.au')`,
    );
    const before = await contentOf(stopped);
    await backUp(stopped.database, path, nobody);
    const target = await emptyDatabase();
    await restore(target.database, path, nobody);
    expect(await contentOf(target)).toEqual(before);
    // Indexes are built when the rows are there, and all of them are.
    expect(await dumpSchema(target.database)).toBe(await dumpSchema(stopped.database));
    await importVouched(target.database, 'domain,wayback\nafterwards.com.au,7\n');
    const [last] = await target.database.query<{ isNext: boolean }>(
      'SELECT max(number) = (SELECT last_event FROM dataset) AS "isNext" FROM domain_event',
    );
    expect(last).toEqual({ isNext: true });
  });

  it('is not written over another file, and leaves none behind when it fails', async () => {
    const path = join(folder, 'taken.backup');
    await expect(backUp(test.database, join(folder, 'nowhere', 'a.backup'), nobody)).rejects.toMatchObject({
      code: 'ENOENT',
    });
    await (await open(`${path}.partial`, 'wx')).close();
    await expect(backUp(test.database, path, nobody)).rejects.toThrow(
      `${path}.partial is there already: another backup is being written to it, or one was killed.`,
    );
    expect(await stat(`${path}.partial`)).toMatchObject({ size: 0 });
    await rm(path, { force: true });
  });
});

describe('a restore', () => {
  let path: string;
  beforeAll(async () => {
    path = join(folder, 'good.backup');
    await importVouched(test.database, 'domain,wayback\ngood.com.au,7\n');
    await backUp(test.database, path, nobody);
  });

  it('fills no database that holds something', async () => {
    const target = await emptyDatabase();
    await importVouched(target.database, 'domain,wayback\nmine.com.au,7\n');
    const before = await contentOf(target);
    await expect(restore(target.database, path, nobody)).rejects.toThrow(/not empty: there are rows in /);
    expect(await contentOf(target)).toEqual(before);
  });

  it('takes no backup of another schema', async () => {
    const target = await emptyDatabase();
    await target.database.query(`INSERT INTO migration (timestamp, name) VALUES (1, 'Other0000000000001')`);
    await expect(restore(target.database, path, nobody)).rejects.toThrow(/^The backup has the schema of /);
  });

  it.each([
    ['cut off', async (file: string) => truncate(file, 2_000), /damaged|cut off/],
    ['of another kind', async (file: string) => writeFile(file, 'SELECT 1'), /damaged/],
    [
      'changed by hand',
      async (file: string) =>
        writeFile(
          file,
          gzipSync(
            gunzipSync(await readFile(file))
              .toString()
              .replaceAll('@example.com', '@example.org'),
          ),
        ),
      /rows of account are not those/,
    ],
    [
      'without its end',
      async (file: string) => {
        const lines = gunzipSync(await readFile(file))
          .toString()
          .split('\n');
        await writeFile(file, gzipSync(lines.slice(0, -2).join('\n')));
      },
      /cut off/,
    ],
  ])('of a file that is %s leaves the database empty', async (what, harm, message) => {
    const file = join(folder, `${what}.backup`);
    await writeFile(file, await readFile(path));
    await harm(file);
    const target = await emptyDatabase();
    const before = await contentOf(target);
    await expect(restore(target.database, file, nobody)).rejects.toThrow(message);
    expect(await contentOf(target)).toEqual(before);
  });
});
