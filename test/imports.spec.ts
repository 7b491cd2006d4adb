import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

// The one line along which imports may run, left to right; folders in one group never import each other.
const LINE: string[][] = [
  ['validation'],
  ['texts'],
  ['config'],
  ['errors'],
  ['redis'],
  ['db'],
  ['observe'],
  ['work'],
  ['backup'],
  ['domains'],
  ['registry'],
  ['archive'],
  ['access'],
  ['ingest'],
  ['accounts'],
  ['notify'],
  ['exports'],
  ['api'],
  ['orders'],
  ['web'],
  ['mcp'],
  ['ops'],
  ['demo'],
  ['app'],
];
// Arrows that still run to the right; each is to be turned, and none may be added.
const OPEN: string[] = [];
const SRC = resolve(__dirname, '../src');

describe('imports', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );

  it('every folder has its place on the line', () => {
    const folders = new Set(files.map(folderOf));
    expect([...folders].filter((folder) => placeOf(folder) === -1)).toEqual([]);
  });

  it('no file imports from a folder to its right, or from a feature beside it', () => {
    const wrong = files.flatMap(wrongArrows);
    expect(wrong.filter((arrow) => !OPEN.includes(arrow.replace(/^.*: /, '')))).toEqual([]);
    expect(OPEN.filter((arrow) => !wrong.some((found) => found.endsWith(`: ${arrow}`)))).toEqual([]);
  });

  it('what is done again and again is a kind of work, or a timer of ProcessTimers', () => {
    const timers = files.filter((file) =>
      /\bsetInterval\(|@(?:Cron|Interval|Timeout)\(/.test(readFileSync(join(SRC, file), 'utf8')),
    );
    expect(timers.sort()).toEqual(['work/process-timers.ts', 'work/work-loop.ts']);
  });
});

function wrongArrows(file: string): string[] {
  const from = folderOf(file);
  const text = readFileSync(join(SRC, file), 'utf8');
  const targets = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    relative(SRC, resolve(SRC, dirname(file), path)),
  );
  return targets
    .filter((target) => !target.startsWith('..'))
    .map(folderOf)
    .filter((to) => to !== from && placeOf(to) >= placeOf(from))
    .map((to) => `${file}: ${from} -> ${to}`);
}

// main.ts, cli.ts and demo.ts lie in src/ itself and load the rest.
function folderOf(file: string): string {
  const [first = ''] = file.split('/');
  if (file.includes('/')) return first;
  return 'app';
}

function placeOf(folder: string): number {
  return LINE.findIndex((group) => group.includes(folder));
}

describe('the command line', () => {
  it('answers for help and mistakes without loading Nest, TypeORM or the configuration', () => {
    const loaded = new Set<string>();
    const packages = new Set<string>();
    load('cli.ts', loaded, packages);
    expect([...loaded]).toContain('ops/commands.ts');
    expect([...packages].filter((name) => !name.startsWith('node:')).sort()).toEqual([
      'commander',
      'reflect-metadata',
    ]);
    expect([...loaded].filter((file) => file.startsWith('db/'))).toEqual(['db/database-time.ts']);
  });
});

/** Notes what a file loads when it is loaded, and what that loads. */
function load(file: string, loaded: Set<string>, packages: Set<string>): void {
  if (loaded.has(file)) return;
  loaded.add(file);
  const text = readFileSync(resolve(SRC, file), 'utf8');
  for (const [, path = ''] of text.matchAll(/^(?:import(?! type)[^;]*? from|import) '([^']+)';$/gm)) {
    if (path.startsWith('.'))
      load(relative(SRC, resolve(SRC, dirname(file), path)).replace(/\.js$/, '.ts'), loaded, packages);
    else packages.add(path);
  }
}
