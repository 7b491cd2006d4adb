import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bucket as parseBucket } from '../../src/config/parsers.js';
import type { Export, ExportedFile } from '../../src/exports/export.repository.js';
import { ExportBucket } from '../../src/exports/export-bucket.js';
import { type EndlessServer, type Manner, startEndlessServer } from '../support/endless-server.js';
import { makeFolder, until } from '../support/processes.js';

const LIMIT_MS = 300;
const FILE: ExportedFile = {
  ...{ name: 'a.ndjson.gz', format: 'ndjson.gz', bytes: 2_000, sha256: 'f'.repeat(64), rows: 1 },
};
const MADE: Export = {
  ...{ id: 'snapshot-20261122T050000Z', kind: 'snapshot', madeAt: new Date('2026-11-22T05:00:00Z') },
  ...{ schemaVersion: 1, base: null, firstEvent: 1, lastEvent: 0, rows: 1, ndjsonSha256: null },
  files: [FILE],
};

const QUESTIONS: Record<string, (bucket: ExportBucket) => Promise<unknown>> = {
  'an upload': (bucket) => bucket.upload(MADE),
  'the upload of the manifest': (bucket) => bucket.publish(MADE),
  'a list of objects': (bucket) => bucket.sweep([]),
  'the head of an object': (bucket) => bucket.holds(MADE, [FILE]),
  'a download': async (bucket) => (await bucket.read(MADE.id, FILE)).toArray(),
};
const MANNERS: readonly Manner[] = ['silence', 'an endless head', 'an endless body', 'a byte a second'];

interface Store {
  readonly bucket: ExportBucket;
  readonly server: EndlessServer;
  close(): Promise<void>;
}

async function startStore(manner: Manner, limitMs?: number): Promise<Store> {
  const folder = await makeFolder('endless-store');
  const server = await startEndlessServer(manner);
  const address = parseBucket(`http://key:secret@127.0.0.1:${server.port}/names?region=ap-southeast-2`);
  if (!address) throw new Error('the address of the store is one');
  const bucket = new ExportBucket(address, folder, limitMs);
  await mkdir(bucket.placeOf(MADE.id));
  for (const file of [FILE.name, 'manifest.json'])
    await writeFile(join(bucket.placeOf(MADE.id), file), Buffer.alloc(FILE.bytes));
  const close = async () => {
    await server.close();
    await rm(folder, { recursive: true });
  };
  return { bucket, server, close };
}

describe.each(MANNERS)('an object store with %s', (manner) => {
  let store: Store;
  beforeAll(async () => {
    store = await startStore(manner, LIMIT_MS);
  });
  afterAll(() => store.close());

  // A head tells all there is to say of an object, so that an endless body behind it is not waited for.
  const asked = Object.entries(QUESTIONS).filter(
    ([name]) => name !== 'the head of an object' || !['an endless body', 'a byte a second'].includes(manner),
  );
  it.each(asked)('%s fails at its limit, and its connection is closed', async (_, ask) => {
    await expect(ask(store.bucket)).rejects.toThrow('the object store did not finish within');
    await until('the connection is closed', async () => (await store.server.countOpen()) === 0);
  });
});

it.each<[Manner, string]>([
  ['a body that is cut off', 'a list of objects'],
  ['a body that is cut off', 'a download'],
  ['a body that cannot be unpacked', 'a list of objects'],
  ['a flood', 'a list of objects'],
])('an object store with %s: %s fails long before its limit', async (manner, question) => {
  const store = await startStore(manner);
  await expect(QUESTIONS[question]?.(store.bucket)).rejects.not.toThrow('did not finish within');
  await store.close();
});
