import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { bucket as parseBucket } from '../../src/config/parsers.js';
import { LeaseLostError } from '../../src/db/database.js';
import { type Export, ExportRepository } from '../../src/exports/export.repository.js';
import { type ExportTask, makeExports } from '../../src/exports/make-exports.js';
import { addKey, WITH_EXPORTS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDomain } from '../support/domains.js';
import { type ObjectStore, startObjectStore } from '../support/object-store.js';
import { makeFolder } from '../support/processes.js';
import { LOST_FENCE } from '../support/lost-fence.js';
import { setClock } from '../support/wrong-clock.js';

let test: TestApp;
let store: ObjectStore;
let folder: string;
let bearer: string;

beforeAll(async () => {
  folder = await makeFolder('exports');
  store = await startObjectStore();
  test = await startTestApp({ ...WITH_EXPORTS, EXPORT_DIR: folder, EXPORT_S3_URL: store.address });
  ({ bearer } = await addKey(test.database, { tier: 'firehose', scopes: ['export'] }));
  await addDomain(test.database);
});
afterAll(async () => {
  await test.close();
  await store.close();
  await rm(folder, { recursive: true });
});

function taskOf(day: string, keepSnapshots: number): ExportTask {
  const bucket = parseBucket(store.address);
  if (!bucket) throw new Error('the address of the store is one');
  const now = `${day}T05:00:00.000Z`;
  const task = { kind: 'snapshot', databaseUrl: test.databaseUrl, folder, bucket, now } as const;
  return { ...task, baseUrl: 'https://bowerbird.example', keepSnapshots, keepDiffDays: 35 };
}

function make(day: string, keepSnapshots = 8): Promise<Export[] | null> {
  return makeExports(taskOf(day, keepSnapshots));
}

const idsIn = (keys: Iterable<string>) =>
  [...new Set([...keys].map((key) => key.split('/')[1]))].filter((id) => id !== 'installation').sort();

describe('with a bucket', () => {
  it('exports are uploaded, a diff begins from what lies there, and what is old or was left behind is deleted', async () => {
    await make('2026-11-20');
    await addDomain(test.database);
    store.objects.set('daily/diff-20261120T060000Z/left-behind', { body: Buffer.from('x'), headers: {} });
    store.objects.set('daily/of-somebody-else', { body: Buffer.from('x'), headers: {} });
    const made = await make('2026-11-21', 1);
    expect(made?.map(({ kind, rows }) => [kind, rows])).toEqual([
      ['snapshot', 2],
      ['diff', 1],
    ]);
    expect(await readdir(folder)).toEqual(['installation']);
    expect(idsIn(store.objects.keys())).toEqual([
      'diff-20261121T050000Z',
      'of-somebody-else',
      'snapshot-20261121T050000Z',
    ]);
  });

  it('writes and deletes nothing where another installation does', async () => {
    const claim = `daily/installation/${'f'.repeat(32)}`;
    store.objects.set(claim, { body: Buffer.from('x'), headers: {} });
    store.objects.set('daily/snapshot-20261101T050000Z/theirs', { body: Buffer.from('x'), headers: {} });
    const before = [...store.objects.keys()];
    await expect(make('2026-11-22')).rejects.toThrow('EXPORT_S3_URL holds the files of another installation');
    expect([...store.objects.keys()]).toEqual(before);
    store.objects.delete(claim);
  });

  it('a download is sent on to a signed address, which takes ranges and no key', async () => {
    const { body } = await test
      .caller()
      .get('/api/v1/exports?kind=snapshot')
      .set('Authorization', bearer)
      .expect(200);
    for (const { url, sha256, bytes, name } of body.results[0].files) {
      const { pathname } = new URL(url);
      await test.caller().get(pathname).expect(401);
      const { headers } = await test.caller().get(pathname).set('Authorization', bearer).expect(302);
      expect(headers['cache-control']).toBe('no-store');
      const file = await fetch(String(headers.location));
      expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
      const whole = Buffer.from(await file.arrayBuffer());
      expect(createHash('sha256').update(whole).digest('hex')).toBe(sha256);
      const rest = await fetch(String(headers.location), { headers: { Range: 'bytes=9-' } });
      expect([rest.status, (await rest.arrayBuffer()).byteLength]).toEqual([206, bytes - 9]);
      const head = await test.caller().head(pathname).set('Authorization', bearer).expect(302);
      expect((await fetch(String(head.headers.location), { method: 'HEAD' })).status).toBe(200);
      expect(headers.location).not.toContain('s%2Fecret');
    }
  });

  it('an address of the store, which no account ends, lasts a minute by the clock of the database', async () => {
    const { accountId, bearer: own } = await addKey(test.database, { tier: 'firehose', scopes: ['export'] });
    const { body } = await test
      .caller()
      .get('/api/v1/exports?kind=snapshot')
      .set('Authorization', own)
      .expect(200);
    const { body: made } = await test
      .caller()
      .post(`/api/v1/exports/${body.results[0].id}/links`)
      .set('Authorization', own)
      .expect(200);
    const { pathname, search } = new URL(made.links[0].url);
    const today = new Date().toISOString().slice(0, 10);
    setClock(400);
    const { headers } = await test
      .caller()
      .get(pathname + search)
      .expect(302);
    jest.useRealTimers();
    const signed = new URL(String(headers.location)).searchParams;
    expect(signed.get('X-Amz-Expires')).toBe('60');
    expect(signed.get('X-Amz-Date')).toContain(today.replaceAll('-', ''));
    await test.database.query('UPDATE account SET disabled_at = now() WHERE id = $1', [accountId]);
    await test
      .caller()
      .get(pathname + search)
      .expect(403);
  });

  it('a run that has lost its work leaves no manifest there, and the next one deletes what it uploaded', async () => {
    const task = taskOf('2026-11-22', 8);
    await expect(makeExports({ ...task, fence: LOST_FENCE })).rejects.toThrow(LeaseLostError);
    const left = () => [...store.objects.keys()].filter((key) => key.includes('20261122'));
    expect(left()).not.toEqual([]);
    expect(left().filter((key) => key.endsWith('manifest.json'))).toEqual([]);
    await makeExports({ ...task, kind: 'changes', now: '2026-11-22T06:00:00.000Z' });
    expect(left().filter((key) => key.includes('T05'))).toEqual([]);
  });

  it('an upload that is refused makes no export, and the next one begins from the last that is there', async () => {
    store.refuseUploads(true);
    await expect(make('2026-11-22')).rejects.toThrow('AccessDenied');
    expect(await new ExportRepository(test.database).find('snapshot-20261122T050000Z')).toBeNull();
    store.refuseUploads(false);
    const made = await make('2026-11-23');
    expect(made?.[1]?.base).toBe('snapshot-20261121T050000Z');
    expect(await readdir(folder)).toEqual(['installation']);
  });
});
