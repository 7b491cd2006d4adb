// Generates a TypeScript client from the document that a running service serves, compiles it as strictly as TypeScript can and
// runs it against that service; does the same with Python's classes where there is a Python; and runs the code samples of the document in their three languages. Exit code 3: all that could
// run did, but there is no Python.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from '../browser/service.mjs';
import { runPythonClient } from './python-client.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const NO_PYTHON = 3;
const hasPython = spawnSync('python3', ['--version']).status === 0;
/** Reads only, by anybody, so that a sample is worth running: some others would ask for what is not there. */
const RUNNABLE = ['getStats', 'checkDomain', 'suggestDomains'];

const CLIENT = `import createClient from 'openapi-fetch';
import type { components, paths } from './live.js';
import type { components as Keyed, paths as KeyedPaths } from './keyed.js';

const baseUrl = process.argv[2] ?? '';
const client = createClient<paths>({ baseUrl });
const found = await client.GET('/v1/suggest', { params: { query: { q: 'coffee', limit: 2 } } });
if (found.error) throw new Error(found.error.error.message);
const names: string[] = found.data.results.map(({ domain, wayback }) => \`\${domain} \${wayback + 1}\`);
const wrong = await client.GET('/v1/domains/check', { params: { query: { domain: 'no name' } } });
const code: components['schemas']['ErrorDetail']['code'] | undefined = wrong.error?.error.code;
const whole = createClient<KeyedPaths>({ baseUrl });
const least: Keyed['schemas']['NewWebhook'] = { url: 'https://example.com/hooks' };
const refused = await whole.POST('/api/v1/webhooks', { body: least });
const page = await whole.GET('/api/v1/search', { params: { query: { tld: ['com.au'], per_page: 1 } } });
console.log(JSON.stringify({ names: names.length, code, refused: refused.response.status, page: page.data?.count }));
`;

const scratch = await mkdtemp(join(tmpdir(), 'bowerbird-clients-'));
// Everything asks from one address, and within a minute.
process.env.TIERS = '{"demo":{"recordsPerMinute":100}}';
const service = await startService();
try {
  await symlink(join(here, 'node_modules'), join(scratch, 'node_modules'));
  await writeFile(join(scratch, 'package.json'), '{"type":"module"}');
  await writeFile(join(scratch, 'client.ts'), CLIENT);
  tool('openapi-typescript', [`${service.url}/v1/openapi.json`, '-o', join(scratch, 'live.ts')]);
  tool('openapi-typescript', [
    join(here, '../openapi/openapi.planned.keys.json'),
    ...['-o', join(scratch, 'keyed.ts')],
  ]);
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  // Node's own types are those of the product.
  const types = ['--types', 'node', '--typeRoots', join(here, '../../node_modules/@types')];
  const modules = ['--module', 'nodenext', '--target', 'es2022', '--skipLibCheck'];
  tool('tsc', [...strict, ...types, ...modules, join(scratch, 'client.ts')]);
  const said = JSON.parse(run(process.execPath, [join(scratch, 'client.js'), service.url]));
  // Webhooks are off in the demo, so their address is not there.
  assert.deepEqual(said, { names: 2, code: 'domain_invalid', refused: 404, page: 1 });
  console.log('ok   the generated TypeScript client compiles and runs');
  if (hasPython)
    await runPythonClient({
      ...{ url: service.url, scratch, tool, run },
      document: join(here, '../openapi/openapi.planned.keys.json'),
    });
  process.exitCode = await runSamples();
} finally {
  await service.stop();
  await rm(scratch, { recursive: true, force: true });
}

async function runSamples() {
  const { paths } = await (await fetch(`${service.url}/v1/openapi.json`)).json();
  const operations = Object.values(paths).map(({ get }) => get);
  for (const { operationId, 'x-codeSamples': samples } of operations) {
    if (!RUNNABLE.includes(operationId)) continue;
    for (const { label, source } of samples) {
      if (label === 'Python' && !hasPython) continue;
      const answer = JSON.parse(runSample(label, source));
      assert.equal(answer.ok, true, `${operationId} in ${label}`);
      console.log(`ok   the sample of ${operationId} in ${label}`);
    }
  }
  if (!hasPython)
    console.log('--   the Python client and the samples in Python: skipped, as there is no python3');
  return hasPython ? 0 : NO_PYTHON;
}

function runSample(label, source) {
  if (label === 'curl') return run('bash', ['-c', source.replace(/^curl/, 'curl --silent')]);
  if (label === 'Python') return run('python3', ['-c', source]);
  return run(process.execPath, ['--input-type=module', '-e', source]);
}

function tool(name, args) {
  run(join(here, 'node_modules', '.bin', name), args);
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: scratch, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}
