import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { generateNames } from '../../dist/src/demo/name-generator.js';

const SEED = 7;
const NAMES_PER_WRITE = 5_000;
const NAMES_READ = 5_000;

/** Writes the made-up names, unless the file is there. A longer file begins with the shorter one. */
export async function makeNames(path, count) {
  const found = await stat(path).catch(() => undefined);
  if (found) return path;
  const stream = createWriteStream(`${path}.part`);
  stream.write('domain,wayback,first_seen\n');
  let lines = [];
  for (const { domain, wayback, firstSeen } of generateNames(count, SEED)) {
    lines.push(`${domain},${wayback},${firstSeen}\n`);
    if (lines.length < NAMES_PER_WRITE) continue;
    if (!stream.write(lines.join(''))) await once(stream, 'drain');
    lines = [];
  }
  stream.end(lines.join(''));
  await once(stream, 'close');
  await rename(`${path}.part`, path);
  return path;
}

/** The first names, with their suffixes. */
export async function readNames(path, count = NAMES_READ) {
  const lines = createInterface({ input: createReadStream(path) });
  const names = [];
  for await (const line of lines) {
    names.push(line.split(',')[0]);
    if (names.length > count) break;
  }
  lines.close();
  return names.slice(1);
}

/** The first names' labels. */
export async function readLabels(path) {
  return (await readNames(path)).map((name) => name.split('.')[0]);
}
