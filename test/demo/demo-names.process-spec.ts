import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { compiledSources, run } from '../support/processes.js';

describe('npm run demo:names', () => {
  let program: string;
  beforeAll(async () => {
    program = join(await compiledSources(), 'dist/demo-names.js');
  });

  it('writes as many names as were asked for, below a header, the same ones for a seed', async () => {
    const [first, second, other] = [
      run(program, ['4500', '--seed', '7']),
      run(program, ['4500', '--seed', '7']),
      run(program, ['4500']),
    ];
    expect(await Promise.all([first.ended, second.ended, other.ended])).toEqual([0, 0, 0]);
    const [header, ...rows] = first.output().trimEnd().split('\n');
    expect(header).toBe('domain,wayback,first_seen');
    expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(4_500);
    expect(second.output()).toBe(first.output());
    expect(other.output()).not.toBe(first.output());
  });

  it.each([[], ['0'], ['many'], ['5', '6'], ['5', '--seed', 'x'], ['5', '--sead', '1']])(
    'says how it is used when told %j',
    async (...parameters: string[]) => {
      const names = run(program, parameters);
      expect(await names.ended).toBe(1);
      expect(names.output()).toMatch(/Usage: npm run demo:names|Unknown option '--sead'/);
    },
  );

  it('stops when nobody reads any more, which is no failure', async () => {
    const names = run(program, ['1000000']);
    names.child.stdout?.once('data', () => names.child.stdout?.destroy());
    expect(await names.ended).toBe(0);
  });

  it('says that a disk is full', async () => {
    const full = await open('/dev/full', 'w');
    const names = run(program, ['5000'], { into: full.fd });
    expect(await names.ended).toBe(1);
    expect(names.output()).toMatch(/^ENOSPC.*\n$/);
    await full.close();
  });
});
