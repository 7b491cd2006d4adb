// Which files of src/ run for one request: the functions that V8 counted between before and after.
//   npm run build && node test/request-files.mjs          prints the lists in Markdown (docs/ARCHITECTURE.md repeats them)
import { Session } from 'node:inspector/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import 'reflect-metadata';
import { createLogger } from '../dist/src/app.logger.js';
import { createApp, listen } from '../dist/src/app.setup.js';
import { readConfig } from '../dist/src/config/config.js';
import { startSandboxRegistry } from '../dist/src/demo/sandbox-registry.js';

const DIST = fileURLToPath(new URL('../dist/src/', import.meta.url));
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const folder = mkdtempSync(join(tmpdir(), 'request-files-'));
const registry = await startSandboxRegistry({ port: 0 });
const config = readConfig({
  HOST: '127.0.0.1',
  PORT: '0',
  BASE_URL: 'http://127.0.0.1',
  DATA_DIR: folder,
  REGISTRY_RDAP_URL: registry.url,
  REGISTRY_SOURCE: 'sandbox',
  REGISTRY_CANARIES: 'off',
  ARCHIVE_CDX_URL: 'off',
  DATASET_JOBS: 'off',
});

await tell('start', async () => {
  const app = await createApp(config, createLogger('silent'));
  const port = await listen(app, config);
  globalThis.app = app;
  globalThis.url = `http://127.0.0.1:${port}`;
});
const { app, url } = globalThis;
const get = async (path) => (await fetch(url + path)).text();
await get('/v1/suggest?q=shop');
await tell('suggest', () => get('/v1/suggest?q=shop&limit=1'));
await get('/v1/domains/check?domain=warm-up.com.au');
await tell('check', () => get('/v1/domains/check?domain=sandbox-available.com.au'));
await tell('tools/call', () =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'dataset_stats', arguments: {} },
    }),
  }).then((answer) => answer.text()),
);
await tell('stop', async () => {
  await app.close();
});
await registry.close();
rmSync(folder, { recursive: true, force: true });
process.exit(0);

async function tell(name, work) {
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = result
    .filter(({ url }) => url.startsWith('file://') && fileURLToPath(url).startsWith(DIST))
    .filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0),
    )
    .map(({ url }) => fileURLToPath(url).slice(DIST.length).replace(/\.js$/, '.ts'))
    .sort();
  const folders = Map.groupBy
    ? Map.groupBy(files, (file) => file.split('/').slice(0, -1).join('/'))
    : group(files);
  console.log(`\n**${name}**: ${files.length} files\n`);
  for (const [folder, names] of folders)
    console.log(
      `- ${folder === '' ? 'src' : folder}/: ${names.map((file) => file.split('/').at(-1)).join(', ')}`,
    );
}

function group(files) {
  const folders = new Map();
  for (const file of files) {
    const folder = file.split('/').slice(0, -1).join('/');
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return folders;
}
