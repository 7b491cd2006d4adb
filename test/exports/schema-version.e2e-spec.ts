import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { SCHEMA_VERSION } from '../../src/domains/schema/fields.js';
import { applyDiffAt } from '../../src/exports/apply-diff.js';
import type { Export } from '../../src/exports/export.repository.js';
import { makeExports } from '../../src/exports/make-exports.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { addDomain } from '../support/domains.js';
import { makeFolder } from '../support/processes.js';

let test: TestDatabase;
let folder: string;

beforeAll(async () => {
  test = await createTestDatabase();
  folder = await makeFolder('exports');
  await addDomain(test.database, { domain: 'coffee.com.au' });
});
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true });
});

describe('a release whose rows have other fields', () => {
  it('begins a new chain with its first snapshot: no diff crosses it', async () => {
    const warnings: string[] = [];
    const [old] = await exportOn(20, warnings);
    await exportOn(21, warnings);
    expect(warnings).toEqual([]);
    await test.database.query('UPDATE export SET schema_version = $1', [SCHEMA_VERSION - 1]);
    expect((await exportOn(22, warnings)).map(({ id }) => id)).toEqual(['snapshot-20261122T050000Z']);
    expect(warnings).toEqual([
      expect.stringContaining(
        `schema version ${SCHEMA_VERSION - 1}, and this release writes ${SCHEMA_VERSION}`,
      ),
    ]);
    const [next, diff] = await exportOn(23, warnings);
    expect([next?.schemaVersion, diff?.schemaVersion]).toEqual([SCHEMA_VERSION, SCHEMA_VERSION]);
    expect(diff?.base).toBe('snapshot-20261122T050000Z');
    expect(warnings).toHaveLength(1);
    // The diffs of the release before stay as they are.
    const bytes = await applied(`snapshot-20261120T050000Z`, `diff-20261121T050000Z`);
    expect(sha256Of(bytes)).toBe(old?.ndjsonSha256);
  });

  it('applies a diff of any earlier schema version to the bytes that it leads to', async () => {
    const row = (domain: string, wayback: number) => JSON.stringify({ domain, tld: 'com.au', wayback });
    const lines = (texts: string[]) => texts.map((text) => `${text}\n`).join('');
    await writeExport(
      'snapshot-1',
      null,
      '',
      lines([row('a.com.au', 1), row('b.com.au', 2), row('c.com.au', 3)]),
    );
    const after = lines([row('a.com.au', 1), row('b.com.au', 5), row('d.com.au', 4)]);
    const changes = [
      `{"domain":"b.com.au","change":"changed","events":[],"fields":["wayback"],"row":${row('b.com.au', 5)}}`,
      `{"domain":"c.com.au","change":"removed","events":[],"fields":[],"row":null}`,
      `{"domain":"d.com.au","change":"added","events":[],"fields":[],"row":${row('d.com.au', 4)}}`,
    ];
    await writeExport('diff-1', 'snapshot-1', sha256Of(after), lines(changes));
    expect(await applied('snapshot-1', 'diff-1')).toBe(after);
  });
});

async function exportOn(day: number, warnings: string[]): Promise<Export[]> {
  const now = `2026-11-${day}T05:00:00Z`;
  const baseUrl = 'https://bowerbird.example';
  const task = { databaseUrl: test.url, folder, baseUrl, now, keepSnapshots: 8, keepDiffDays: 35 };
  const made = await makeExports({ ...task, kind: 'snapshot' }, { warn: (text) => warnings.push(text) });
  return made ?? [];
}

async function writeExport(
  id: string,
  base: string | null,
  ndjsonSha256: string,
  lines: string,
): Promise<void> {
  await mkdir(join(folder, id));
  await writeFile(join(folder, id, `${id}-0001.ndjson.gz`), gzipSync(lines));
  const manifest = { id, schemaVersion: 0, base, ndjsonSha256 };
  await writeFile(join(folder, id, 'manifest.json'), JSON.stringify(manifest));
}

async function applied(snapshot: string, diff: string): Promise<string> {
  const chunks: Buffer[] = [];
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  await applyDiffAt(join(folder, snapshot), join(folder, diff), output);
  return Buffer.concat(chunks).toString();
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
