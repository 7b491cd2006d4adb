import { parquetReadObjects } from 'hyparquet';
import { parse } from 'csv-parse/sync';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { QueryResultRow } from 'pg';
import { SCHEMA_VERSION } from '../../src/domains/schema/fields.js';
import { type Export, ExportRepository } from '../../src/exports/export.repository.js';
import { Lifecycle } from '../../src/domains/lifecycle/lifecycle.js';
import { LeaseLostError, type Queryable } from '../../src/db/database.js';
import { ExportSession } from '../../src/exports/export-session.repository.js';
import { Exporter } from '../../src/exports/exporter.js';
import { type ExportTask, makeExports } from '../../src/exports/make-exports.js';
import { writeLink } from '../../src/exports/downloads.js';
import { addKey, WITH_EXPORTS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDomain, addDomains, addInState, settle } from '../support/domains.js';
import { ExportsHere } from '../support/exports.js';
import { makeFolder, until } from '../support/processes.js';
import { LOST_FENCE } from '../support/lost-fence.js';

const PATH = '/api/v1/exports';
const FIRST = new Date('2026-11-20T05:00:00Z');
const SECOND = new Date('2026-11-21T05:00:00Z');

let test: TestApp;
let folder: string;
let bearer: string;
let readBearer: string;
let snapshot: Export;
let diff: Export;

beforeAll(async () => {
  folder = await makeFolder('exports');
  test = await startTestApp({ ...WITH_EXPORTS, EXPORT_DIR: folder });
  const key = await addKey(test.database, { tier: 'firehose', scopes: ['export', 'read'] });
  bearer = key.bearer;
  readBearer = (await addKey(test.database, { accountId: key.accountId, scopes: ['read'] })).bearer;
  await addDomains(
    test.database,
    Array.from({ length: 900 }, (_, place) => ({
      domain: `many-${createHash('sha256').update(String(place)).digest('hex')}.com.au`.slice(-60),
      wayback: place,
      first_seen: '2026-11-01',
      available: true,
      hidden: false,
    })),
  );
  await addDomain(test.database, { domain: 'hidden.com.au', hidden: true });
  await addDomain(test.database, { domain: 'gone.com.au' });
  await addDomain(test.database, { domain: 'taken.com.au' });
  await addDomain(test.database, { domain: 'scored.com.au', wayback: 1 });
  await addInState(test.database, [{ domain: 'listed.net.au', state: 'listed' }]);
  await makeExports(taskAt(FIRST));
  await addDomain(test.database, { domain: 'dropped.com.au', available: false });
  await settle(test.database, 'dropped.com.au', true);
  await settle(test.database, 'taken.com.au', false);
  await test.database.query(
    `UPDATE domain SET wayback = 7, archive_captures = 9 WHERE domain = 'scored.com.au'`,
  );
  await test.database.query(`UPDATE domain SET hidden = true WHERE domain = 'gone.com.au'`);
  const made = await makeExports(taskAt(SECOND));
  const [whole, changed] = made ?? [];
  if (!whole || !changed) throw new Error('a snapshot and a diff are made');
  snapshot = whole;
  diff = changed;
});
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true });
});

describe(`GET ${PATH}`, () => {
  it('200: lists manifests, newest first, page by page', async () => {
    const { body } = await test.caller().get(PATH).set('Authorization', bearer).expect(200);
    expect(body.results.map(({ id }: Export) => id)).toEqual([
      'snapshot-20261121T050000Z',
      'diff-20261121T050000Z',
      'snapshot-20261120T050000Z',
    ]);
    const first = await test
      .caller()
      .get(`${PATH}?kind=snapshot&limit=1`)
      .set('Authorization', bearer)
      .expect(200);
    expect([first.body.count, first.body.results[0].id]).toEqual([1, snapshot.id]);
    const next = `${PATH}?kind=snapshot&limit=1&cursor=${first.body.next_cursor}`;
    const second = await test.caller().get(next).set('Authorization', bearer).expect(200);
    expect([second.body.results[0].id, second.body.next_cursor]).toEqual(['snapshot-20261120T050000Z', null]);
  });

  it('200: a manifest says all that is needed to fetch the files and to go on behind them', async () => {
    const { body } = await test.caller().get(`${PATH}?kind=diff`).set('Authorization', bearer).expect(200);
    const [manifest] = body.results;
    expect(manifest).toMatchObject({
      kind: 'diff',
      date: '2026-11-21',
      made_at: SECOND.toISOString(),
      schema_version: SCHEMA_VERSION,
      base: 'snapshot-20261120T050000Z',
      first_event: 1,
      last_event: 2,
      rows: 4,
      ndjson_sha256: snapshot.ndjsonSha256,
    });
    expect(manifest.files).toHaveLength(3);
    for (const { url, bytes, sha256 } of manifest.files) {
      const { pathname } = new URL(url);
      const { body: file } = await download(pathname);
      expect([file.length, sha256Of(file)]).toEqual([bytes, sha256]);
    }
    const feed = `/api/v1/dropped?cursor=${manifest.feed_cursor}`;
    expect((await test.caller().get(feed).set('Authorization', bearer).expect(200)).body.results).toEqual([]);
  });

  it.each(['kind=all', 'limit=0', 'limit=101', 'cursor=x', 'page=2'])('400: %s', async (query) => {
    const { body } = await test.caller().get(`${PATH}?${query}`).set('Authorization', bearer).expect(400);
    expect(body.error.code).toBe('invalid_parameter');
  });

  it('401, 403: needs a key, a tier with exports and the scope', async () => {
    expect((await test.caller().get(PATH).expect(401)).body.error.code).toBe('key_required');
    const pro = await addKey(test.database, { tier: 'pro', scopes: ['export'] });
    const { body } = await test.caller().get(PATH).set('Authorization', pro.bearer).expect(403);
    expect(body.error).toMatchObject({ code: 'tier_required', message: expect.stringContaining('firehose') });
    const scopeless = await test.caller().get(PATH).set('Authorization', readBearer).expect(403);
    expect(scopeless.body.error.code).toBe('scope_required');
  });
});

describe('the rows', () => {
  it('are those of the API without what changes by itself and the links; hidden names are left out', async () => {
    const rows = linesOf(await fileOf(snapshot, 'ndjson.gz'));
    const domains = rows.map(({ domain }) => String(domain));
    expect(domains).toEqual([...domains].sort());
    expect(domains).toEqual(expect.arrayContaining(['listed.net.au', 'taken.com.au']));
    expect(domains.filter((domain) => /hidden|gone/.test(domain))).toEqual([]);
    for (const domain of ['dropped.com.au', 'taken.com.au', 'scored.com.au', 'listed.net.au']) {
      const { body } = await test.caller().get(`/api/v1/domains/${domain}`).set('Authorization', bearer);
      const rest = rows.find((one) => one.domain === domain) ?? {};
      expect(Object.keys(rest).filter((name) => /^age_days$|_url$/.test(name))).toEqual([]);
      const shared = Object.keys(rest).filter((name) => name in body && name !== 'archive');
      expect(shared.length).toBeGreaterThan(14);
      for (const name of shared) expect([domain, name, rest[name]]).toEqual([domain, name, body[name]]);
      expect(Object.keys(rest)).toEqual(
        expect.arrayContaining(['state', 'confirmed_by', 'hyphens', 'archive']),
      );
    }
  });

  it('are the same in every format', async () => {
    const rows = linesOf(await fileOf(snapshot, 'ndjson.gz')).map(flat);
    const csv: Record<string, string>[] = parse(gunzipSync(await fileOf(snapshot, 'csv.gz')), {
      columns: true,
    });
    expect(csv).toEqual(rows.map((row) => mapValues(row, textOf)));
    const bytes = await fileOf(snapshot, 'parquet');
    const parquet = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
    expect(parquet.map((row) => mapValues(row, plain))).toEqual(
      rows.map((row) =>
        mapValues(row, (value, name) =>
          isDay(name) && typeof value === 'string' ? `${value}T00:00:00.000Z` : value,
        ),
      ),
    );
  });

  it('of a diff say what happened, with the events, the fields and the row', async () => {
    const rows = linesOf(await fileOf(diff, 'ndjson.gz'));
    expect(rows.map(({ domain, change, fields }) => [domain, change, fields])).toEqual([
      ['dropped.com.au', 'dropped', []],
      ['gone.com.au', 'removed', []],
      ['scored.com.au', 'changed', ['wayback', 'archive_captures']],
      ['taken.com.au', 'taken', ['available', 'state', 'confirmed_by', 'checked_at']],
    ]);
    expect(rows[0]?.events).toEqual([{ number: 1, type: 'domain.dropped', timestamp: expect.any(String) }]);
    expect(rows[1]).toMatchObject({ events: [], row: null });
    expect(rows[3]?.events).toMatchObject([{ number: 2, type: 'domain.taken' }]);
    const parquet = await parquetReadObjects({
      file: new Uint8Array(await fileOf(diff, 'parquet')).buffer,
    });
    expect(parquet.map(({ domain, change, wayback }) => [domain, change, wayback])).toEqual([
      ['dropped.com.au', 'dropped', 0],
      ['gone.com.au', 'removed', null],
      ['scored.com.au', 'changed', 7],
      ['taken.com.au', 'taken', 0],
    ]);
  });
});

describe(`GET ${PATH}/{id}/{file}`, () => {
  it('206: goes on where a download broke off, twenty times, and gives the file', async () => {
    const { name, bytes, sha256 } = firstFile(snapshot);
    const address = `${PATH}/${snapshot.id}/${name}`;
    const parts: Buffer[] = [];
    let cuts = 0;
    for (let had = 0; had < bytes; cuts += 1) {
      const part = await downloadSome(address, had, Math.ceil(bytes / 21), `"${sha256}"`);
      parts.push(part);
      had += part.length;
    }
    expect(cuts).toBeGreaterThanOrEqual(20);
    expect(sha256Of(Buffer.concat(parts))).toBe(sha256);
  });

  it('200, 304, 416: answers HEAD, If-None-Match, a range of another file and one behind the end', async () => {
    const { name, bytes, sha256 } = firstFile(snapshot);
    const address = `${PATH}/${snapshot.id}/${name}`;
    const head = await test.caller().head(address).set('Authorization', bearer).expect(200);
    expect(head.headers).toMatchObject({
      'content-length': String(bytes),
      'content-type': 'application/gzip',
      'accept-ranges': 'bytes',
      etag: `"${sha256}"`,
      'last-modified': SECOND.toUTCString(),
      'content-disposition': `attachment; filename="${name}"`,
    });
    expect(head.headers).not.toHaveProperty('content-encoding');
    await test
      .caller()
      .get(address)
      .set('Authorization', bearer)
      .set('If-None-Match', `"${sha256}"`)
      .expect(304);
    const other = await download(address, { Range: 'bytes=5-', 'If-Range': '"another"' });
    expect([other.status, other.body.length]).toEqual([200, bytes]);
    const part = await download(address, { Range: 'bytes=5-9' });
    expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 5-9/${bytes}`]);
    const { body, headers } = await test
      .caller()
      .get(address)
      .set('Authorization', bearer)
      .set('Range', `bytes=${bytes}-`)
      .expect(416);
    expect([body.error.code, headers['content-range']]).toEqual([
      'range_not_satisfiable',
      `bytes */${bytes}`,
    ]);
    expect(headers).not.toHaveProperty('etag');
  });

  it('downloads that nobody reads take no place of other requests', async () => {
    const { name } = firstFile(snapshot);
    const path = `${PATH}/${snapshot.id}/${name}`;
    const file = join(folder, snapshot.id, name);
    const whole = await readFile(file);
    // More than the kernel takes of it.
    await writeFile(file, Buffer.alloc(64 * 1024 * 1024));
    const other = await startTestApp({
      ...{ ...WITH_EXPORTS, DATABASE_URL: test.databaseUrl, EXPORT_DIR: folder },
      ...{ ADMISSION: 'on', ADMISSION_LIMIT: '1' },
    });
    const unread = await new Promise<IncomingMessage>((resolve) =>
      get(other.url + path, { headers: { Authorization: bearer } }, resolve),
    );
    try {
      expect(unread.statusCode).toBe(200);
      await other.caller().get('/v1/stats').timeout(60_000).expect(200);
    } finally {
      unread.destroy();
      await other.close();
      await writeFile(file, whole);
    }
  });

  it('are for the service and its group alone', async () => {
    const { mode: manifest } = await stat(join(folder, snapshot.id, 'manifest.json'));
    const modes = await Promise.all(
      snapshot.files.map(async ({ name }) => (await stat(join(folder, snapshot.id, name))).mode),
    );
    expect([...modes, manifest].filter((mode) => (mode & 0o777) !== 0o640)).toEqual([]);
  });

  it('403: a link ends with the account that made it', async () => {
    const { name } = firstFile(diff);
    const key = await addKey(test.database, { tier: 'firehose', scopes: ['export'] });
    const made = test.caller().post(`${PATH}/${diff.id}/links`).set('Authorization', key.bearer);
    const { body } = await made.expect(200);
    const { pathname, search } = new URL(body.links.find((link: { name: string }) => link.name === name).url);
    const fetched = () => test.caller().get(pathname + search);
    await fetched().expect(200);
    await test.database.query('UPDATE account SET disabled_at = now() WHERE id = $1', [key.accountId]);
    expect((await fetched().expect(403)).body.error.code).toBe('link_invalid');
    await test.database.query('UPDATE account SET disabled_at = NULL WHERE id = $1', [key.accountId]);
    await fetched().expect(200);
    await test.database.query('DELETE FROM account WHERE id = $1', [key.accountId]);
    await fetched().expect(403);
  });

  it('looks the account of a link up by the primary key', async () => {
    const plan = await test.database.transaction(async (transaction) => {
      await transaction.query('SET LOCAL enable_seqscan = off');
      const rows: unknown[] = [];
      const explained: Queryable = {
        prepared: (statement) => transaction.prepared(statement),
        kept: (sql, parameters) => transaction.kept(sql, parameters),
        async query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]) {
          const answer = await transaction.query<Row>(`EXPLAIN ${sql}`, values);
          rows.push(...answer);
          return answer;
        },
      };
      await new ExportRepository(explained).hasAccount('6c84fb90-12c4-11e1-840d-7b25c5ee775a');
      return JSON.stringify(rows);
    });
    expect(plan).toContain('Index Cond: (id = ');
  });

  it('200: takes a link in the place of a key, which is good for that file and an hour', async () => {
    const { name, sha256 } = firstFile(diff);
    const links = `${PATH}/${diff.id}/links`;
    const { body } = await test.caller().post(links).set('Authorization', bearer).expect(200);
    const { url } = body.links.find((link: { name: string }) => link.name === name);
    const { pathname, search } = new URL(url);
    expect(sha256Of((await download(pathname + search, {}, null)).body)).toBe(sha256);
    const endsInMs = Date.parse(body.expires_at) - Date.now();
    expect(endsInMs).toBeGreaterThan(3_500_000);
    expect(endsInMs).toBeLessThanOrEqual(3_600_000);
    const other = `${PATH}/${diff.id}/${diff.files[1]?.name}${search}`;
    expect((await test.caller().get(other).expect(403)).body.error.code).toBe('link_invalid');
    const target = { file: `${diff.id}/${name}`, accountId: '' };
    const old = writeLink(WITH_EXPORTS.AUTH_SECRET, target, new Date(Date.now() - 1_000));
    await test.caller().get(`${pathname}?link=${old}`).expect(403);
    await test.caller().post(links).expect(401);
    expect(test.log.join('')).not.toContain(search);
  });

  it('401, 403, 404: refuses as the list does, and knows its files only', async () => {
    const { name } = firstFile(snapshot);
    const address = `${PATH}/${snapshot.id}/${name}`;
    await test.caller().get(address).expect(401);
    const { body } = await test.caller().get(address).set('Authorization', readBearer).expect(403);
    expect(body.error.code).toBe('scope_required');
    const exportOnly = await addKey(test.database, { tier: 'firehose', scopes: ['export'] });
    await test.caller().get(address).set('Authorization', exportOnly.bearer).expect(200);
    for (const wrong of [
      `snapshot-20200101T000000Z/${name}`,
      `${snapshot.id}/x`,
      `${snapshot.id}/..%2f..%2fx`,
    ])
      await test.caller().get(`${PATH}/${wrong}`).set('Authorization', bearer).expect(404);
    await test.caller().get(`${PATH}/..%2f/${name}`).set('Authorization', bearer).expect(400);
  });
});

describe('what is made, and kept', () => {
  it('is what is due: a snapshot a day, changes an hour, by one process at a time, without a key told in status', async () => {
    const settings = {
      enabled: true,
      folder,
      bucket: undefined,
      time: '05:00:00',
      hourly: true,
      keepSnapshots: 2,
      keepDiffDays: 35,
    };
    const exports = new ExportRepository(test.database);
    const exporter = new Exporter(
      { exports: settings, links: { baseUrl: 'https://bowerbird.example' } },
      { directUrl: test.databaseUrl },
      exports,
      new ExportsHere(),
    );
    const warnings: string[] = [];
    const options = {
      signal: new AbortController().signal,
      warn: (text: string) => void warnings.push(text),
    };
    const makeAt = async (time: string) =>
      (await exporter.makeDue(new Date(time), options))?.map(({ id }) => id);
    expect(await makeAt('2026-11-22T04:30:00Z')).toEqual(['changes-20261122T043000Z']);
    expect(await makeAt('2026-11-22T04:59:00Z')).toBeUndefined();
    await settle(test.database, 'scored.com.au', false);
    expect(await makeAt('2026-11-22T05:00:01Z')).toEqual([
      'snapshot-20261122T050001Z',
      'diff-20261122T050001Z',
    ]);
    expect(await makeAt('2026-11-22T05:00:02Z')).toEqual(['changes-20261122T050002Z']);
    expect(await makeAt('2026-11-22T05:01:00Z')).toBeUndefined();
    const [changes, before] = await exports.list('changes', null, 2);
    expect([before?.firstEvent, before?.lastEvent, before?.rows]).toEqual([3, 2, 0]);
    expect([changes?.firstEvent, changes?.lastEvent, changes?.rows]).toEqual([3, 3, 1]);
    // Of three snapshots two are kept.
    expect((await readdir(folder)).filter((name) => name.startsWith('snapshot'))).toEqual([
      'snapshot-20261121T050000Z',
      'snapshot-20261122T050001Z',
    ]);
    expect(warnings).toEqual([]);
    const { body } = await test.caller().get(`${PATH}/status`).expect(200);
    expect(body).toMatchObject({
      ok: true,
      snapshot: { id: 'snapshot-20261122T050001Z', last_event: 3 },
      diff: { id: 'diff-20261122T050001Z', made_at: '2026-11-22T05:00:01.000Z' },
      changes: { id: 'changes-20261122T050002Z', rows: 1 },
      next_changes_at: null,
    });
  });

  it('deletes what killed processes left, and nothing else', async () => {
    const left = ['.making-snapshot-20261122T060000Z', 'diff-20261122T060000Z'];
    for (const name of left) await mkdir(join(folder, name));
    await writeFile(join(folder, 'README'), 'of the operator');
    await makeExports({ ...taskAt(new Date('2026-11-22T06:00:00Z')), kind: 'changes' });
    const there = await readdir(folder);
    expect(there).toContain('README');
    expect(there.filter((name) => left.includes(name))).toEqual([]);
  });

  it('says of an hour which names are to be left out, with those that belong in again, in one order', async () => {
    const lifecycle = test.app.get(Lifecycle);
    const nothing = async () => undefined;
    const at = new Date('2026-11-22T06:30:00Z');
    await lifecycle.observeHidden('scored.com.au', true, at, nothing);
    await lifecycle.forget('dropped.com.au', at, nothing);
    await lifecycle.observeHidden('taken.com.au', true, at, nothing);
    await lifecycle.observeHidden('taken.com.au', false, at, nothing);
    const [changes] =
      (await makeExports({ ...taskAt(new Date('2026-11-22T07:00:00Z')), kind: 'changes' })) ?? [];
    if (!changes) throw new Error('the changes of an hour are made');
    const told = linesOf(await fileOf(changes, 'ndjson.gz'));
    expect(told).toEqual([
      { domain: 'dropped.com.au', change: 'removed', events: [], fields: [], row: null },
      { domain: 'scored.com.au', change: 'removed', events: [], fields: [], row: null },
      {
        domain: 'taken.com.au',
        change: 'changed',
        events: [],
        fields: null,
        row: expect.objectContaining({ state: 'taken' }),
      },
    ]);
    expect(changes.lastEvent - changes.firstEvent + 1).toBe(4);
    await lifecycle.observeHidden('scored.com.au', false, at, nothing);
  });

  it('touches nothing in a folder where another installation writes', async () => {
    const claim = join(folder, 'installation', 'f'.repeat(32));
    await writeFile(claim, '1.1.0');
    const theirs = join(folder, 'snapshot-20261101T050000Z');
    await mkdir(theirs);
    const before = await readdir(folder);
    await expect(makeExports(taskAt(new Date('2026-11-22T07:00:00Z')))).rejects.toThrow(
      'EXPORT_DIR holds the files of another installation',
    );
    expect(await readdir(folder)).toEqual(before);
    for (const path of [claim, theirs]) await rm(path, { recursive: true });
  });

  it('is nothing of a run that has lost its work, and its successor ends its connection', async () => {
    const before = await readdir(folder);
    const task = { ...taskAt(new Date('2026-11-22T07:30:00Z')), kind: 'changes' as const };
    const holds = { sql: 'SELECT 1', parameters: [] };
    await expect(makeExports({ ...task, fence: LOST_FENCE })).rejects.toThrow(LeaseLostError);
    expect((await readdir(folder)).filter((name) => !name.startsWith('.'))).toEqual(before);
    expect(await new ExportRepository(test.database).find('changes-20261122T073000Z')).toBeNull();

    const frozen = await ExportSession.open(test.databaseUrl, holds);
    expect(await makeExports({ ...task, fence: holds })).toBeNull();
    expect(await until('the lock is free', () => makeExports({ ...task, fence: holds }))).toHaveLength(1);
    await expect(frozen?.begin()).rejects.toThrow();
  });

  it('makes no diff from a snapshot whose files are not what they were, and says so', async () => {
    const last = await new ExportRepository(test.database).findLast('snapshot');
    if (!last) throw new Error('there is a snapshot');
    await writeFile(join(folder, last.id, firstFile(last).name), 'broken');
    const warnings: string[] = [];
    const made = await makeExports(taskAt(new Date('2026-11-23T05:00:00Z')), {
      warn: (text) => void warnings.push(text),
    });
    expect(made?.map(({ kind }) => kind)).toEqual(['snapshot']);
    expect(warnings).toEqual([expect.stringContaining(`There is no diff from ${last.id}`)]);
  });
});

function taskAt(now: Date): ExportTask {
  return {
    kind: 'snapshot',
    databaseUrl: test.databaseUrl,
    folder,
    baseUrl: 'https://bowerbird.example',
    now: now.toISOString(),
    keepSnapshots: 8,
    keepDiffDays: 35,
  };
}

function firstFile({ files }: Export): Export['files'][number] {
  const [first] = files;
  if (!first) throw new Error('an export has files');
  return first;
}

async function fileOf({ id, files }: Export, format: string): Promise<Buffer> {
  const file = files.find((one) => one.format === format);
  return (await download(`${PATH}/${id}/${file?.name}`)).body;
}

async function download(
  address: string,
  headers: Record<string, string> = {},
  authorization: string | null = bearer,
): Promise<{ status: number; headers: Record<string, string>; body: Buffer }> {
  const response = await fetch(test.url + address, {
    headers: { ...headers, ...(authorization !== null && { Authorization: authorization }) },
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

/** Reads a little of a file from a place on, and hangs up. */
async function downloadSome(address: string, from: number, bytes: number, etag: string): Promise<Buffer> {
  const headers = { Authorization: bearer, Range: `bytes=${from}-`, 'If-Range': etag };
  return new Promise((resolve, reject) => {
    get(test.url + address, { headers }, (response) => {
      if (response.statusCode !== 206) reject(new Error(`status ${response.statusCode}`));
      let read = Buffer.alloc(0);
      response.on('data', (chunk: Buffer) => {
        read = Buffer.concat([read, chunk]);
        if (read.length < bytes) return;
        response.destroy();
        resolve(read.subarray(0, bytes));
      });
      response.on('end', () => resolve(read));
      response.on('error', () => undefined);
    }).on('error', reject);
  });
}

const linesOf = (packed: Buffer): Record<string, unknown>[] =>
  gunzipSync(packed)
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** A row as the flat formats have it. */
function flat({ archive, ...row }: Record<string, unknown>): Record<string, unknown> {
  const captures = Object.entries(archive as object).map(([name, value]) => [`archive_${name}`, value]);
  return { ...row, ...Object.fromEntries(captures) };
}

function mapValues(
  row: Record<string, unknown>,
  change: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, change(value, name)]));
}

const isDay = (name: string) => name === 'first_seen' || /_capture$/.test(name);
const textOf = (value: unknown) => (value === null ? '' : JSON.stringify(value).replaceAll('"', ''));
const plain = (value: unknown) => (value instanceof Date ? value.toISOString() : (value ?? null));
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
