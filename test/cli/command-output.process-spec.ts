import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { readDataset } from '../support/import.js';
import { compiledSources, makeFolder } from '../support/processes.js';

let compiled: string;
let names: string;
let test: TestDatabase;

beforeAll(async () => {
  compiled = await compiledSources();
  names = join(await makeFolder('output'), 'names.csv');
  await writeFile(names, 'domain,wayback,first_seen\nsurf.com.au,12,2026-11-01\n');
});
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.close());

describe('a command whose output nobody reads any more', () => {
  it('import: ends well, as the names are in', async () => {
    const vouch = ['--vouched-by', 'test', '--confirmed-at', '2026-11-02T00:00:00Z'];
    const { code, stderr } = await run(['import', names, ...vouch], { closed: ['stdout'] });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('EPIPE')]);
    expect((await readDataset(test.database)).availableRecords).toBe(1);
  });

  it('nor what else it says: leaves its embedded server, which stops with it', async () => {
    const dataDir = await makeFolder('embedded');
    await chmod(dataDir, 0o755);
    const environment = { DATABASE_URL: '', DATA_DIR: dataDir };
    const { code } = await run(['import', names], { closed: ['stdout', 'stderr'], environment });
    expect(code).toBe(0);
    expect(existsSync(join(dataDir, 'postgres/data/PG_VERSION'))).toBe(true);
    expect(existsSync(join(dataDir, 'postgres/data/postmaster.pid'))).toBe(false);
    // The server that stops ends connections that the command has no more use for.
    const again = await run(['import', names], { environment });
    expect(again.stderr).not.toContain('was lost');
  });
});

describe('a command whose output goes to a full disk', () => {
  it('import: exit code 2 and the reason', async () => {
    const { code, stderr } = await run(['import', names], { into: '/dev/full' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^The result could not be written to standard output: ENOSPC.*\n$/m);
    expect(stderr).not.toContain('    at ');
  });
});

interface Streams {
  readonly closed?: readonly ('stdout' | 'stderr')[];
  readonly into?: string;
  readonly environment?: Record<string, string>;
}

async function run(
  parameters: string[],
  { closed = [], into, environment }: Streams,
): Promise<{ code: unknown; stderr: string }> {
  const file = into === undefined ? undefined : await open(into, 'w');
  const child = spawn(process.execPath, [join(compiled, 'dist/cli.js'), ...parameters], {
    env: { PATH: process.env.PATH, DATABASE_URL: test.url, ...environment },
    stdio: ['ignore', file?.fd ?? 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  // As `| head` does, which has seen enough.
  for (const name of closed) child[name]?.destroy();
  const code = await new Promise((resolve) => child.once('close', resolve));
  await file?.close();
  return { code, stderr };
}
