import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { capturesOf } from '../../src/demo/sandbox-archive.js';
import { addStated, archiveColumns, type ArchiveTest, startArchiveTest } from '../support/archive.js';
import { compiledSources, run } from '../support/processes.js';

describe('bowerbird score', () => {
  let compiled: string;
  let test: ArchiveTest;
  beforeAll(async () => {
    compiled = await compiledSources();
    test = await startArchiveTest();
  });
  afterAll(() => test.close());

  const command = (...parameters: string[]) =>
    run(join(compiled, 'dist/cli.js'), ['score', ...parameters], {
      environment: { DATABASE_URL: test.url, ARCHIVE_CDX_URL: test.archive.url, ARCHIVE_SOURCE: 'sandbox' },
    });

  it('asks, prints the steps and keeps the score of a name that the dataset has', async () => {
    const domain = await addStated(test.database, { domain: 'by-hand-2.com.au', state: 'taken', wayback: 9 });
    const wayback = capturesOf(domain).length;
    const running = command('By-Hand-2.com.au');
    expect(await running.ended).toBe(0);
    const lines = running.output().split('\n');
    expect(lines[0]).toBe(`${domain}, as ${test.archive.url} (sandbox) has it`);
    expect(lines[1]).toMatch(/^Formula 1: wayback = the number of different days/);
    expect(lines).toContain(`Score: wayback = ${wayback}`);
    expect(lines).toContain('Kept in the dataset.');
    expect(await archiveColumns(test.database, domain)).toMatchObject({
      wayback,
      status: wayback > 0 ? 'ok' : 'none',
    });
  });

  it('keeps nothing of a name that the dataset does not have', async () => {
    const running = command('nobody-has-it.com.au');
    expect(await running.ended).toBe(0);
    expect(running.output()).toContain('Not kept');
    expect(
      await test.database.query('SELECT FROM domain_archive WHERE domain = $1', ['nobody-has-it.com.au']),
    ).toEqual([]);
  });

  it('computes it from a file, and asks nobody', async () => {
    const file = join(compiled, 'answer.json');
    await writeFile(file, '[["timestamp","statuscode"],["20090314120000","200"],["20090314180000","-"]]');
    const asked = test.archive.asked.length;
    const running = command('--file', file, 'coffeecart.com.au');
    expect(await running.ended).toBe(0);
    expect(running.output()).toContain('Score: wayback = 1');
    await writeFile(file, '');
    const empty = command('--file', file, 'coffeecart.com.au');
    expect(await empty.ended).toBe(1);
    expect(empty.output()).toContain('The score is unknown, not 0');
    expect(test.archive.asked).toHaveLength(asked);
  });

  it('says so when the archive gives no answer, and when it wants to be left alone', async () => {
    const domain = await addStated(test.database, { domain: 'refused.com.au', state: 'taken', wayback: 9 });
    test.archive.behave('rate_limited', domain);
    const refused = command(domain);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain('no answer: rate_limited (HTTP 429). The score is unknown, not 0');
    expect(await archiveColumns(test.database, domain)).toMatchObject({ wayback: 9, status: 'error' });
    const resting = command('another.com.au');
    expect(await resting.ended).toBe(1);
    expect(resting.output()).toContain('wants to be left alone until');
  });
});
