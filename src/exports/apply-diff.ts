import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isHttpsOrLoopbackUrl } from '../validation/formats.js';
import { hasCode, isObject } from '../validation/unknown-values.js';
import { MANIFEST } from './export-store.js';
import { linesOf, SortedLines, unpackedLines } from './exported-rows.js';

/**
 * Writes the snapshot that a diff leads to.
 *
 * @param snapshot a folder, an address of the API (`…/api/v1/exports/{id}` or `…/latest`), or the file that the last
 *   diff led to
 * @param diff a folder or an address
 * @param key for addresses
 * @throws {Error} for the operator: the diff does not follow on the snapshot, or the checksum of the result is wrong
 */
export async function applyDiffAt(
  snapshot: string,
  diff: string,
  output: Writable,
  key?: string,
): Promise<{ id: string; rows: number; sha256: string }> {
  const [base, change] = [await openBase(snapshot, key), await openExport(diff, 'diff', key)];
  const { id, base: beginsFrom, ndjsonSha256 } = change.manifest;
  if (base.id !== null && beginsFrom !== base.id)
    throw new Error(
      `${id} begins from ${beginsFrom ?? 'nothing'}, and not from ${base.id}. ` +
        `Apply the diff whose base is ${base.id} first.`,
    );
  const hash = createHash('sha256');
  let rows = 0;
  const counted = async function* (texts: AsyncIterable<string>) {
    for await (const text of texts) {
      hash.update(text);
      rows += text.split('\n').length - 1;
      yield text;
    }
  };
  const lines = applyDiff(new SortedLines(base.lines), new SortedLines(change.lines));
  await pipeline(Readable.from(counted(lines)), output);
  const sha256 = hash.digest('hex');
  if (sha256 !== ndjsonSha256)
    throw new Error(
      `What came out has the SHA-256 ${sha256}, and the diff says ${ndjsonSha256}: a file is not what it was, ` +
        `or the snapshot is not ${beginsFrom ?? 'its base'}.`,
    );
  return { id: id.replace(/^diff/, 'snapshot'), rows, sha256 };
}

interface Manifest {
  readonly id: string;
  readonly base: string | null;
  readonly ndjsonSha256: string;
  /** Names of the files with the lines, in their order. */
  readonly parts: readonly string[];
}

type Lines = AsyncGenerator<string[], void>;

/** A file has no manifest: whether it is the base shows in the checksum of the result. */
async function openBase(place: string, key?: string): Promise<{ id: string | null; lines: Lines }> {
  if (!isAddress(place) && (await stat(place)).isFile())
    return { id: null, lines: linesOf(createReadStream(place)) };
  const { manifest, lines } = await openExport(place, 'snapshot', key);
  return { id: manifest.id, lines };
}

async function openExport(
  place: string,
  kind: 'snapshot' | 'diff',
  key?: string,
): Promise<{ manifest: Manifest; lines: Lines }> {
  if (!isAddress(place)) {
    const file = join(place, MANIFEST);
    const text = await readText(createReadStream(file), file).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    });
    const parts = text === null ? [] : (await readdir(place)).filter(isPart).sort();
    const manifest = { ...readManifest(text, place), parts };
    return { manifest, lines: linesIn(parts, async (name) => createReadStream(join(place, name))) };
  }
  const address = place.replace(/\/+$/, '');
  if (key !== undefined && !isHttpsOrLoopbackUrl(address))
    throw new Error(
      `${address} would get the key over a connection that others can read. Nothing was sent. Use an https:// ` +
        'address (http only on this machine), or leave the key out.',
    );
  const query = address.endsWith('/latest') ? `?kind=${kind}` : '';
  const answer = await download(`${address}/${MANIFEST}${query}`, key);
  const manifest = readManifest(await textOf(answer), address);
  const read = async (name: string) => {
    const { body } = await download(new URL(`../${manifest.id}/${name}`, `${address}/`).href, key);
    return body ? Readable.fromWeb(body) : Readable.from([]);
  };
  return { manifest, lines: linesIn(manifest.parts, read) };
}

const isAddress = (place: string) => /^https?:\/\//i.test(place);
const isPart = (name: string) => name.endsWith('.ndjson.gz');

// Their names end with the number of the part.
async function* linesIn(parts: readonly string[], read: (name: string) => Promise<Readable>): Lines {
  for (const name of parts) yield* unpackedLines(await read(name));
}

/**
 * Node ends an answer that stands still for five minutes, and sends the key to no other host that it is led to. The files
 * are packed themselves: a body that Node would have to unpack is refused, as one that cannot be unpacked never ends.
 */
async function download(url: string, key: string | undefined): Promise<Response> {
  const answer = await fetch(url, {
    headers: { 'Accept-Encoding': 'identity', ...(key !== undefined && { Authorization: `Bearer ${key}` }) },
  });
  const encoding = answer.headers.get('Content-Encoding') ?? 'identity';
  if (encoding !== 'identity') throw new Error(`${url} was sent as ${encoding}, which nobody asked for.`);
  if (answer.ok) return answer;
  throw new Error(`${url} answered ${answer.status}: ${(await textOf(answer)).slice(0, MAX_SHOWN)}`);
}

const MAX_SHOWN = 500;
/** A manifest has some 300 bytes for each file, and three files for 400,000 names. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

const textOf = ({ body, url }: Response) => readText(body ?? [], url);

/** @throws {Error} for the operator, when it is too long to be a manifest */
async function readText(parts: AsyncIterable<Uint8Array> | [], from: string): Promise<string> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of parts) {
    bytes += part.length;
    if (bytes > MAX_TEXT_BYTES)
      throw new Error(`${from} is no manifest: it has more than ${MAX_TEXT_BYTES} bytes.`);
    read.push(part);
  }
  return Buffer.concat(read).toString('utf8');
}

/** @throws {Error} for the operator, when it is not the manifest of a snapshot or a diff */
function readManifest(text: string | null, place: string): Manifest {
  const manifest: unknown = text === null ? null : JSON.parse(text);
  const { id, base, files } = isObject(manifest) ? manifest : {};
  // Before schema version 3, manifests in folders had the names of the code.
  const ndjsonSha256 = isObject(manifest) ? (manifest.ndjson_sha256 ?? manifest.ndjsonSha256) : null;
  if (typeof id !== 'string' || typeof ndjsonSha256 !== 'string')
    throw new Error(`${place} is no snapshot and no diff: it has no ${MANIFEST} that says so.`);
  const names = Array.isArray(files) ? files.map((file: unknown) => (isObject(file) ? file.name : null)) : [];
  const parts = names.filter((name): name is string => typeof name === 'string' && isPart(name));
  return { id, base: typeof base === 'string' ? base : null, ndjsonSha256, parts };
}

const LINES_AT_ONCE = 1_000;

/** The lines of the snapshot that a diff leads to, some at a time: the same bytes as in its files. */
export async function* applyDiff(base: SortedLines, diff: SortedLines): AsyncGenerator<string> {
  let lines: string[] = [];
  for await (const line of merged(base, diff)) {
    lines.push(`${line}\n`);
    if (lines.length < LINES_AT_ONCE) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}

async function* merged(base: SortedLines, diff: SortedLines): AsyncGenerator<string> {
  for (;;) {
    const line = await base.peek();
    const change = await diff.peek();
    if (!line && !change) return;
    if (line && (!change || line.domain < change.domain)) {
      yield line.text;
      base.pass();
      continue;
    }
    if (line && line.domain === change?.domain) base.pass();
    const row = change && rowIn(change.text);
    if (row) yield row;
    diff.pass();
  }
}

/** The row of a line of a diff, as its bytes are. */
function rowIn(line: string): string | null {
  const change: unknown = JSON.parse(line);
  if (!isObject(change) || !Array.isArray(change.fields) || !('row' in change))
    throw new Error(
      'A line of the diff has no fields and row. Nothing was written: fetch the files of the diff again.',
    );
  return change.row === null ? null : JSON.stringify(change.row);
}
