import type { QueryRunner } from 'typeorm';
import { RetryLostScores1766000261000 } from '../../migrations/1766000261000-retry-lost-scores.js';
import { addStated, archiveColumns, type ArchiveTest, startArchiveTest } from '../support/archive.js';
import { after, type StartedJobs, startJobs, stateOf } from '../support/jobs.js';

const NOW = new Date('2026-11-20T03:10:00Z');

describe('the job that scores names', () => {
  let test: ArchiveTest;
  let jobs: StartedJobs;
  beforeEach(async () => {
    test = await startArchiveTest();
    jobs = await startJobs(test.url, { ARCHIVE_CDX_URL: test.archive.url, ARCHIVE_SOURCE: 'sandbox' });
  });
  afterEach(async () => {
    await jobs.close();
    await test.close();
  });
  const pending = async () =>
    (await test.database.query(`SELECT FROM domain WHERE archive_status = 'pending'`)).length;

  it('works at the pace of the archive until nothing waits', async () => {
    for (let number = 0; number < 5; number += 1)
      await addStated(test.database, { domain: `drop-${number}.com.au`, state: 'purged', purgeAt: NOW });
    const left: number[] = [];
    for (const seconds of [0, 3, 6, 9, 12]) {
      await jobs.runAll(after(NOW, seconds));
      left.push(await pending());
    }
    // The first turn has one to make up for.
    expect(left).toEqual([3, 2, 1, 0, 0]);
    expect(new Set(test.archive.asked.map(({ domain }) => domain)).size).toBe(5);
    expect(await stateOf(test.database, 'archive-score')).toMatchObject({ failures: 0, lastError: null });
  });

  it('goes on after the rest that the archive asked for, and loses no name', async () => {
    test.archive.behave('rate_limited');
    const domain = await addStated(test.database, { domain: 'drop.com.au', state: 'purged', purgeAt: NOW });
    await jobs.runAll(NOW);
    test.archive.behave('well');
    await jobs.runAll(after(NOW, 119));
    expect(test.archive.asked).toHaveLength(1);
    expect(await archiveColumns(test.database, domain)).toMatchObject({ status: 'error' });
    await jobs.runAll(after(NOW, 3_600));
    expect(test.archive.asked).toHaveLength(2);
    expect((await archiveColumns(test.database, domain))?.status).toMatch(/^(ok|none)$/);
  });

  it('keeps a name for another try until the dataset has its score', async () => {
    test.archive.behave('rate_limited');
    const domain = await addStated(test.database, { domain: 'drop.com.au', state: 'purged', purgeAt: NOW });
    await jobs.runAll(NOW);
    test.archive.behave('well');
    await test.database.query(`
      CREATE FUNCTION no_score() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''killed''; END';
      CREATE TRIGGER no_score BEFORE UPDATE OF wayback ON domain FOR EACH ROW EXECUTE FUNCTION no_score()`);
    await jobs.runAll(after(NOW, 3_600));
    expect(test.archive.asked).toHaveLength(2);
    expect(await archiveColumns(test.database, domain)).toMatchObject({ status: 'error' });
    await test.database.query('DROP TRIGGER no_score ON domain');
    await jobs.runAll(after(NOW, 7_200));
    expect((await archiveColumns(test.database, domain))?.status).toMatch(/^(ok|none)$/);
    await jobs.runAll(after(NOW, 10_800));
    expect(test.archive.asked).toHaveLength(2);
    expect(await test.database.query('SELECT FROM domain_archive WHERE ask_at IS NOT NULL')).toEqual([]);
  });

  it('scores names that an earlier release lost with a kill', async () => {
    const domain = await addStated(test.database, { domain: 'lost.com.au', state: 'purged', purgeAt: NOW });
    await jobs.runAll(NOW);
    const scored = await archiveColumns(test.database, domain);
    await test.database.query(`UPDATE domain SET archive_status = 'error', wayback = 0`);
    await jobs.runAll(after(NOW, 86_400));
    expect(await archiveColumns(test.database, domain)).toMatchObject({ status: 'error' });
    await new RetryLostScores1766000261000().up(test.database as unknown as QueryRunner);
    await jobs.runAll(after(NOW, 86_460));
    expect(await archiveColumns(test.database, domain)).toEqual(scored);
  });
});
