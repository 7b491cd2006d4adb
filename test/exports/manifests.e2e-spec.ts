import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parquetMetadata } from 'hyparquet';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { SCHEMA_VERSION } from '../../src/domains/schema/fields.js';
import { applyDiffAt } from '../../src/exports/apply-diff.js';
import type { Export } from '../../src/exports/export.repository.js';
import { type ExportProgress, makeExports } from '../../src/exports/make-exports.js';
import { applyDiff } from '../../src/ops/local/export.js';
import { addKey, WITH_EXPORTS } from '../support/accounts.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDomain, addDomains, settle } from '../support/domains.js';
import { startEndlessServer } from '../support/endless-server.js';
import { makeFolder } from '../support/processes.js';

const PATH = '/api/v1/exports';

let test: TestApp;
let folder: string;
let bearer: string;
let key: string;
let base: Export, snapshot: Export, diff: Export;
let told: ExportProgress[];

beforeAll(async () => {
  folder = await makeFolder('exports');
  test = await startTestApp({ ...WITH_EXPORTS, EXPORT_DIR: folder });
  ({ bearer, text: key } = await addKey(test.database, { tier: 'firehose', scopes: ['export'] }));
  await addDomains(
    test.database,
    Array.from({ length: 40 }, (_, place) => ({
      domain: `name-${place}.com.au`,
      wayback: place,
      first_seen: '2026-11-01',
      available: true,
      hidden: false,
    })),
  );
  [base] = await makeOn(20);
  await addDomain(test.database, { domain: 'dropped.com.au', available: false });
  await settle(test.database, 'dropped.com.au', true);
  await test.database.query(`UPDATE domain SET hidden = true WHERE domain LIKE 'name-1%'`);
  [snapshot, diff] = await makeOn(21);
});
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true });
});

describe('a manifest', () => {
  it('is the same in the folder, beside the files and as the latest, by the published schema', async () => {
    const { body: document } = await test.caller().get('/api/v1/openapi.json').expect(200);
    const ajv = addFormats.default(new Ajv2020.default({ strict: false }));
    const validate = ajv.addSchema(document, 'document').compile({
      $ref: 'document#/components/schemas/Export',
    });
    for (const one of [base, snapshot, diff]) {
      const lying = JSON.parse(await readFile(join(folder, one.id, 'manifest.json'), 'utf8'));
      expect(lying).toMatchObject({ id: one.id, kind: one.kind, schema_version: SCHEMA_VERSION });
      expect([validate(lying), validate.errors]).toEqual([true, null]);
      expect(JSON.stringify(lying)).not.toMatch(/"\w*[A-Z]\w*":/);
      const { body } = await asked(`${PATH}/${one.id}/manifest.json`).expect(200);
      expect(body).toEqual(lying);
    }
    const { body: list } = await asked(PATH).expect(200);
    const [first, second] = [await asked(`${PATH}/latest/manifest.json`), await latest('diff')];
    expect(list.results).toEqual(expect.arrayContaining([first.body, second.body]));
    expect([first.body.id, second.body.id, second.body.base]).toEqual([snapshot.id, diff.id, base.id]);
  });

  it('401, 403, 404, 400: needs what the files need, and says what is not there yet', async () => {
    for (const path of [`${PATH}/${diff.id}/manifest.json`, `${PATH}/latest/manifest.json`]) {
      await test.caller().get(path).expect(401);
      const pro = await addKey(test.database, { tier: 'pro', scopes: ['export'] });
      await test.caller().get(path).set('Authorization', pro.bearer).expect(403);
    }
    const { body } = await latest('changes').expect(404);
    expect(body.error).toMatchObject({ code: 'not_found', message: expect.stringContaining('changes') });
    await asked(`${PATH}/snapshot-20200101T000000Z/manifest.json`).expect(404);
    await latest('all').expect(400);
    await asked(`${PATH}/latest/${diff.files[0]?.name}`).expect(400);
  });
});

describe('applying a diff', () => {
  const inFolder = ({ id }: Export) => join(folder, id);
  const atAddress = ({ id }: { id: string }) => `${test.url}${PATH}/${id}`;

  it('gives the next snapshot, from folders as from addresses with a key', async () => {
    for (const [from, by] of [
      [inFolder(base), inFolder(diff)],
      [atAddress(base), atAddress(diff)],
      [inFolder(base), atAddress({ id: 'latest' })],
    ] as const) {
      const { id, text } = await applied(from, by);
      expect([id, sha256Of(text)]).toEqual([snapshot.id, snapshot.ndjsonSha256]);
    }
  });

  it('reads manifests of earlier releases, and goes on from the file that it wrote', async () => {
    const old = join(folder, 'as-before');
    await cp(inFolder(diff), old, { recursive: true });
    const { id, base: from, ndjsonSha256, schemaVersion } = diff;
    await writeFile(
      join(old, 'manifest.json'),
      JSON.stringify({ id, base: from, ndjsonSha256, schemaVersion }),
    );
    const whole = join(folder, 'whole.ndjson');
    const lines = base.files.find(({ format }) => format === 'ndjson.gz');
    await writeFile(whole, gunzipSync(await readFile(join(inFolder(base), lines?.name ?? ''))));
    for (const place of [inFolder(base), whole])
      expect(sha256Of((await applied(place, old)).text)).toBe(snapshot.ndjsonSha256);
    await rm(old, { recursive: true });
  });

  it('is refused for another base, a wrong key and a folder without a manifest, and leaves no file', async () => {
    await expect(applied(inFolder(snapshot), inFolder(diff))).rejects.toThrow(`begins from ${base.id}`);
    await expect(applied(atAddress(base), atAddress(diff), 'dau_live_wrong')).rejects.toThrow('401');
    await expect(applied(folder, inFolder(diff))).rejects.toThrow('manifest.json');
    const other = join(folder, 'other.ndjson');
    await writeFile(other, '');
    const file = join(folder, 'out.ndjson');
    await expect(applyDiff(other, inFolder(diff), file)).rejects.toThrow(`is not ${base.id}`);
    await expect(readFile(file)).rejects.toThrow('ENOENT');
    await expect(readFile(`${file}.part`)).rejects.toThrow('ENOENT');
  });

  it('sends its key over https alone, and reads no manifest without end', async () => {
    await expect(applied('http://names.example/api/v1/exports/latest', inFolder(diff))).rejects.toThrow(
      /^http:\/\/names\.example\/api\/v1\/exports\/latest would get the key .* Use an https:\/\/ address/,
    );
    const long = join(folder, 'long');
    await mkdir(long);
    await writeFile(join(long, 'manifest.json'), `{"id":"${'x'.repeat(5_000_000)}"}`);
    await expect(applied(long, inFolder(diff))).rejects.toThrow(
      'manifest.json is no manifest: it has more than',
    );
    const endless = await startEndlessServer('a flood');
    try {
      const place = `http://127.0.0.1:${endless.port}/latest`;
      await expect(applied(place, inFolder(diff))).rejects.toThrow('is no manifest');
    } finally {
      await endless.close();
      await rm(long, { recursive: true });
    }
  });

  it('takes the key from a file, as the command does', async () => {
    const said = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const [file, keyFile] = [join(folder, 'next.ndjson'), join(folder, 'key')];
    await writeFile(keyFile, `${key}\n`);
    try {
      await applyDiff(atAddress(base), atAddress(diff), file, keyFile);
      expect(said.mock.calls.flat().join('')).toContain(snapshot.id);
    } finally {
      said.mockRestore();
    }
    expect(sha256Of(await readFile(file, 'utf8'))).toBe(snapshot.ndjsonSha256);
  });
});

it('412: a download whose condition does not hold, with the code that it had', async () => {
  const [file] = snapshot.files;
  const path = `${PATH}/${snapshot.id}/${file?.name}`;
  for (const [header, value] of [
    ['If-Match', '"another"'],
    ['If-Unmodified-Since', 'Wed, 01 Jan 2020 00:00:00 GMT'],
  ] as const) {
    const { body, headers } = await asked(path).set(header, value).expect(412);
    expect(body.error).toMatchObject({ code: 'bad_request', message: expect.stringContaining(header) });
    expect(headers).not.toHaveProperty('etag');
  }
  await asked(path).set('If-Match', `"${file?.sha256}"`).expect(200);
});

it('times in Parquet are UTC by their logical type, in every column that has one', async () => {
  for (const [one, times] of [
    [snapshot, ['checked_at', 'dropped_at']],
    [diff, ['checked_at', 'dropped_at']],
  ] as const) {
    const file = one.files.find(({ format }) => format === 'parquet');
    const bytes = await readFile(join(folder, one.id, file?.name ?? ''));
    const { schema } = parquetMetadata(new Uint8Array(bytes).buffer);
    const moments = schema.filter(({ type }) => type === 'INT64');
    expect(moments.map(({ name }) => name)).toEqual(expect.arrayContaining([...times]));
    for (const { name, logical_type } of moments)
      expect([name, logical_type]).toEqual([
        name,
        { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
      ]);
  }
});

it('progress never passes what there is, and ends at all of it', () => {
  expect(told.length).toBeGreaterThan(2);
  for (const { rows, totalRows } of told) expect(rows).toBeLessThanOrEqual(totalRows ?? rows);
  expect(told.at(-1)).toEqual({ step: 'tidying', rows: snapshot.rows, totalRows: snapshot.rows });
});

async function makeOn(day: number): Promise<[Export, Export]> {
  told = [];
  const made = await makeExports(
    {
      kind: 'snapshot',
      databaseUrl: test.databaseUrl,
      folder,
      baseUrl: 'https://bowerbird.example',
      now: `2026-11-${day}T05:00:00.000Z`,
      keepSnapshots: 8,
      keepDiffDays: 35,
    },
    { onProgress: (progress) => void told.push(progress) },
  );
  return made as unknown as [Export, Export];
}

const asked = (path: string) => test.caller().get(path).set('Authorization', bearer);
const latest = (kind: string) => asked(`${PATH}/latest/manifest.json?kind=${kind}`);

async function applied(from: string, by: string, withKey = key): Promise<{ id: string; text: string }> {
  const chunks: Buffer[] = [];
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const { id } = await applyDiffAt(from, by, output, withKey);
  return { id, text: Buffer.concat(chunks).toString() };
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
