import { createWriteStream } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { bucket as parseBucket } from '../../src/config/parsers.js';
import { applyDiffAt } from '../../src/exports/apply-diff.js';
import { type Export, ExportRepository } from '../../src/exports/export.repository.js';
import { ExportProcess } from '../../src/exports/exporter.js';
import { type ExportTask, makeExports } from '../../src/exports/make-exports.js';
import type { NameChange } from '../../src/exports/exported-rows.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { addDomain, settle } from '../support/domains.js';
import { LOST_FENCE } from '../support/lost-fence.js';
import { startObjectStore } from '../support/object-store.js';
import { compiledSources, makeFolder, until } from '../support/processes.js';

const DAYS = 60;
const FIRST_DAY = Date.parse('2026-09-01T05:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** So that a snapshot has several parts. */
const PART_ROWS = 25;

let test: TestDatabase;
let folder: string;
let child: ExportProcess;
let random: () => number;

beforeAll(async () => {
  test = await createTestDatabase();
  folder = await makeFolder('exports');
  child = new ExportProcess(join(await compiledSources(), 'dist/export-process.main.js'));
  random = numbersFrom(20_261_122);
});
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true });
});

it(`${DAYS} days: snapshot and diff give the next snapshot byte for byte, whatever was killed in between`, async () => {
  const names: string[] = [];
  const events: number[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    const now = dayAt(day);
    await live(names, now, day);
    const known = await listed();
    if (day % 4 === 3) await breakOff(new Date(now.getTime() - HOUR_MS), day);
    await makeExports(taskAt(now));
    expect(await foldersThere()).toEqual((await listed()).sort());
    const made = (await new ExportRepository(test.database).list(null, null, 4)).filter(
      ({ id }) => !known.includes(id),
    );
    const diffs = made.filter(({ kind }) => kind === 'diff');
    expect(diffs).toHaveLength(made.length / 2 - (day === 0 ? 0.5 : 0));
    for (const diff of diffs.toReversed()) events.push(...(await follow(diff)));
  }
  const shown = await test.database.query<{ number: string }>(
    `SELECT number FROM domain_event JOIN domain USING (domain)
      WHERE NOT hidden AND number > (SELECT min(first_event) - 1 FROM export WHERE kind = 'diff') ORDER BY number`,
  );
  // What was told of a name before it was hidden stays told.
  const told = [...events].sort((one, other) => one - other);
  expect(new Set(told).size).toBe(told.length);
  expect(shown.map(({ number }) => Number(number)).filter((number) => !told.includes(number))).toEqual([]);
  expect(told.length).toBeGreaterThan(50);
});

it('a process that knows nothing but its task uploads its files, and makes no export once its work has gone', async () => {
  const store = await startObjectStore();
  const other = await createTestDatabase();
  await addDomain(other.database);
  const place = { folder: await makeFolder('bucket'), bucket: parseBucket(store.address) };
  const task = { ...taskAt(dayAt(0)), ...place, databaseUrl: other.url };
  const options = { signal: new AbortController().signal, warn: (text: string) => expect(text).toBe('') };
  await expect(child.make({ ...task, fence: LOST_FENCE }, options)).rejects.toThrow(
    'gone to another process',
  );
  expect(await new ExportRepository(other.database).listIds()).toEqual([]);
  expect(await child.make(task, options)).toMatchObject([{ kind: 'snapshot' }]);
  expect([...store.objects.keys()].some((key) => key.includes('snapshot'))).toBe(true);
  await store.close();
  await other.close();
  await rm(place.folder, { recursive: true });
});

/** Base and diff give the next snapshot. @returns the numbers of the events that the diff tells of */
async function follow(diff: Export): Promise<number[]> {
  const exports = new ExportRepository(test.database);
  const base = await exports.find(diff.base ?? '');
  const next = await exports.find(diff.id.replace('diff', 'snapshot'));
  if (!base || !next) throw new Error('a diff lies between two snapshots');
  expect([diff.firstEvent, diff.lastEvent]).toEqual([base.lastEvent + 1, next.lastEvent]);
  const file = join(folder, 'next.ndjson');
  const { sha256 } = await applyDiffAt(join(folder, base.id), join(folder, diff.id), createWriteStream(file));
  expect(await readFile(file, 'utf8')).toBe(await ndjson(next));
  expect(sha256).toBe(next.ndjsonSha256);
  await rm(file);
  return eventsIn(await ndjson(diff));
}

/** A day in the life of a few names: new ones, drops, catches, scores, and one that is hidden or shown again. */
async function live(names: string[], now: Date, day: number): Promise<void> {
  for (let made = 0; made < 2; made += 1)
    names.push(await addDomain(test.database, { available: random() < 0.5, wayback: day }));
  for (let changed = 0; changed < 3; changed += 1) {
    const at = new Date(now.getTime() - DAY_MS + changed * 3_600_000);
    await settle(test.database, pick(names), random() < 0.5, at);
  }
  await test.database.query('UPDATE domain SET wayback = $2, archive_captures = $2 WHERE domain = $1', [
    pick(names),
    day,
  ]);
  await test.database.query('UPDATE domain SET hidden = NOT hidden WHERE domain = $1', [pick(names)]);
}

/** The work is stopped, every third time with -9, at whichever step: then it is there as a whole, or nothing of it. */
async function breakOff(now: Date, day: number): Promise<void> {
  const before = await listed();
  const stop = new AbortController();
  const steps = Math.ceil(random() * 3);
  let seen = 0;
  const onProgress = () => {
    seen += 1;
    if (seen === steps) stop.abort(new Error('killed'));
  };
  const options = { signal: stop.signal, onProgress, warn: () => undefined };
  const work = day % 12 === 3 ? child.make(taskAt(now), options) : makeExports(taskAt(now), options);
  const how = await work.then(
    () => 'done',
    (error: Error) => error.message,
  );
  await until('the lock to be free', async () => (await countSessions()) === 0);
  const made = (await listed()).filter((id) => !before.includes(id)).length;
  // Who is killed may have been done the moment before; who is asked to stop has not.
  expect(made).toBe(day % 12 === 3 && made > 0 ? 2 : 0);
  expect(how).toMatch(made > 0 ? /done|killed/ : /killed/);
}

async function countSessions(): Promise<number> {
  const rows = await test.database.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'bowerbird export'`,
  );
  return rows.length;
}

function taskAt(now: Date): ExportTask {
  return {
    kind: 'snapshot',
    databaseUrl: test.url,
    folder,
    baseUrl: 'https://bowerbird.example',
    now: now.toISOString(),
    keepSnapshots: 8,
    keepDiffDays: 35,
    maxPartRows: PART_ROWS,
  };
}

async function ndjson({ id, files }: Export): Promise<string> {
  const parts = files.filter(({ format }) => format === 'ndjson.gz');
  return (
    await Promise.all(
      parts.map(async ({ name }) => gunzipSync(await readFile(join(folder, id, name))).toString()),
    )
  ).join('');
}

function eventsIn(diff: string): number[] {
  const lines = diff.split('\n').filter(Boolean);
  return lines.flatMap((line) => (JSON.parse(line) as NameChange).events.map(({ number }) => number));
}

const listed = () => new ExportRepository(test.database).listIds();
const foldersThere = async () => (await readdir(folder)).filter((name) => name !== 'installation').sort();
const dayAt = (day: number) => new Date(FIRST_DAY + day * DAY_MS);

function pick(names: readonly string[]): string {
  const name = names[Math.floor(random() * names.length)];
  if (name === undefined) throw new Error('there are no names yet');
  return name;
}

/** Numbers from 0 to 1 that are the same in every run. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
