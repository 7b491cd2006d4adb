import type { SandboxAnswer } from '../../src/demo/sandbox-names.js';
import { startSandboxArchive } from '../../src/demo/sandbox-archive.js';
import { startSandboxLists } from '../../src/demo/sandbox-lists.js';
import { type SandboxRegistry, startSandboxRegistry } from '../../src/demo/sandbox-registry.js';
import { startTestApp } from '../support/app.js';
import { HandedClock } from '../support/clock.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { addDrops, countStates } from '../support/drops.js';
import { readDataset } from '../support/import.js';
import { after, startJobs, type StartedJobs, stateOf } from '../support/jobs.js';
import { listOf, namesOf } from '../support/lists.js';
import { freePort } from '../support/processes.js';

const PURGE_AT = new Date('2026-11-20T03:00:00Z');
const MINUTE = 60;
const HOUR = 3_600;
/** While something is away, the same happens again and again. */
const WHILE_AWAY = 2 * HOUR;
/** Questions are asked as soon as they are due: the pace is not what this is about. */
const AT_ONCE = { REGISTRY_RATE_PER_SECOND: '1000', REGISTRY_BURST: '1000' };

describe('a day without', () => {
  let databaseUrl: string;
  let registry: SandboxRegistry;
  let answers: Map<string, SandboxAnswer>;
  let jobs: StartedJobs;
  let environment: Record<string, string>;
  const clock = new HandedClock();

  beforeEach(async () => {
    databaseUrl = await cloneTemplate();
    answers = new Map();
    registry = await startSandboxRegistry({ port: await freePort(), names: answers });
  });
  afterEach(async () => {
    await jobs.close();
    await registry.close();
    dropDatabase(databaseUrl);
  });
  const start = async (more: Record<string, string>) => {
    environment = { REGISTRY_RDAP_URL: registry.url, REGISTRY_SOURCE: 'sandbox', ...AT_ONCE, ...more };
    jobs = await startJobs(databaseUrl, environment, clock);
  };
  /** Does whatever is due every so often. */
  const pass = async (from: Date, to: Date, stepSeconds = HOUR) => {
    for (let now = from; now < to; now = after(now, stepSeconds)) await jobs.runAll(now);
    clock.set(to);
  };
  /** As a service that was just started says it. */
  const readStatus = async () => {
    const test = await startTestApp({ DATABASE_URL: databaseUrl, ...environment }, clock);
    const { body } = await test.caller().get('/api/v1/status').expect(200);
    await test.close();
    return body;
  };
  const events = async () =>
    (await readDataset(jobs.database)).events.map((event) => event.replace(/^\d+ domain\./, ''));
  const allAre = (answer: SandboxAnswer, names: readonly string[]) =>
    names.forEach((name) => answers.set(name, answer));

  it('lists: what is known goes on, the list of the day is taken in late, and nothing is told falsely', async () => {
    const lists = await startSandboxLists({ port: 0 });
    const namesOn = (day: string) => ({ early: namesOf(day, 10), late: namesOf(`${day}-late`, 10) });
    // Of each list one half is purged on the day itself, and the other on the next.
    const publish = (day: string, { early, late }: ReturnType<typeof namesOn>) => {
      allAre('available', [...early, ...late]);
      const text = listOf(day, early, '01:00:00') + listOf(day, late, '05:00:00').replace(/.*\n/, '');
      lists.publish('deleted', text, new Date(`${day}T00:30:00Z`));
    };
    const [first, second] = [namesOn('2026-11-19'), namesOn('2026-11-20')];
    const begin = after(PURGE_AT, -26 * HOUR);
    const outage = after(PURGE_AT, -15 * HOUR);
    const back = after(outage, 24 * HOUR);
    await start({ LIST_DELETED_URLS: lists.urls.deleted });
    publish('2026-11-19', first);
    await pass(begin, outage);
    expect(await countStates(jobs.database)).toEqual({ available: 10, listed: 10 });

    lists.behave('deleted', 'server_error');
    publish('2026-11-20', second);
    await pass(outage, back, WHILE_AWAY);
    expect(await countStates(jobs.database)).toEqual({ available: 20 });
    const during = await readStatus();
    expect(during.lists).toMatchObject([{ last_outcome: 'failed', last_imported_at: begin.toISOString() }]);
    expect(during.lists[0].age_seconds).toBe(35 * HOUR);
    expect(during.queues.confirmation).toMatchObject({ waiting: 0, oldest: null });

    lists.behave('deleted', 'well');
    await pass(back, after(back, 2 * HOUR));
    // Those of this morning's purge are on offer by now; the others are announced, in time for theirs.
    expect(await countStates(jobs.database)).toEqual({ available: 30, listed: 10 });
    expect((await readStatus()).lists).toMatchObject([{ last_outcome: 'unchanged' }]);
    // Names that are purged after the hour's look at the questions are asked about at the next one.
    await pass(after(back, 2 * HOUR), after(PURGE_AT, 26 * HOUR));
    expect(await countStates(jobs.database)).toEqual({ available: 40 });
    const all = [first, second].flatMap(({ early, late }) => [...early, ...late]);
    const ahead = [...first.early, ...first.late, ...second.late];
    expect((await events()).filter((event) => !event.startsWith('purged ')).sort()).toEqual(
      [...all.map((name) => `dropped ${name}`), ...ahead.map((name) => `listed ${name}`)].sort(),
    );
    await lists.close();
  });

  it('the registry: nothing is offered, nothing is lost, and all of it is made up for', async () => {
    // A breaker is not on the handed clock.
    await start({ REGISTRY_BREAKER_FAILURES: '5', REGISTRY_BREAKER_OPEN_MS: '10' });
    const names = await addDrops(jobs.database, 60, PURGE_AT);
    allAre('available', names);
    allAre('registered', names.slice(0, 10));
    const { port } = registry;
    await registry.close();
    const morning = after(PURGE_AT, 24 * HOUR);
    await pass(PURGE_AT, morning, WHILE_AWAY);
    expect(await countStates(jobs.database)).toEqual({ purged: 60 });
    expect((await events()).sort()).toEqual(names.map((name) => `purged ${name}`).sort());
    expect(await stateOf(jobs.database, 'questions')).toMatchObject({ failures: 0 });
    const during = await readStatus();
    expect(during.registries).toMatchObject([{ last_answered_at: null }]);
    expect(during.registries[0].breaker).not.toBe('closed');
    expect(during.offers.available).toBe(0);
    const { confirmation, retry } = during.queues;
    expect(confirmation.waiting).toBeGreaterThan(0);
    expect(confirmation.oldest).toBe(PURGE_AT.toISOString());
    expect([confirmation.ends_at, retry.ends_at]).toEqual([null, null]);
    expect(confirmation.waiting + retry.waiting).toBeLessThanOrEqual(60);

    registry = await startSandboxRegistry({ port, names: answers });
    // No question waits for longer than an hour for its turn to be asked again.
    await pass(morning, after(morning, HOUR + MINUTE), 20 * MINUTE);
    expect(await countStates(jobs.database)).toEqual({ available: 50, rescued: 10 });
    expect((await events()).filter((event) => !event.startsWith('purged '))).toHaveLength(60);
    expect(registry.requests()).toBe(60);
    expect((await readStatus()).registries).toMatchObject([
      { breaker: 'closed', last_answered_at: expect.any(String) },
    ]);
  });

  it('the archive: names are confirmed all the same, no score is made up, and every name has its own afterwards', async () => {
    const names = Array.from({ length: 30 }, (_, place) => `drop${29 - place}.com.au`);
    const days = new Map(names.map((name, place) => [name, place]));
    const archive = await startSandboxArchive({ port: await freePort(), days });
    await start({ ARCHIVE_CDX_URL: archive.url, ARCHIVE_SOURCE: 'sandbox' });
    expect(await addDrops(jobs.database, 30, PURGE_AT)).toEqual(names);
    allAre('available', names);
    const readScores = async () => {
      const rows = await jobs.database.query<{ domain: string; status: string; wayback: number }>(
        'SELECT domain, archive_status AS status, wayback FROM domain',
      );
      return new Map(rows.map(({ domain, status, wayback }) => [domain, `${status} ${wayback}`]));
    };
    const scoreOf = (domain: string) => `${days.get(domain) === 0 ? 'none' : 'ok'} ${days.get(domain)}`;
    const before = await readScores();
    await jobs.play(PURGE_AT, after(PURGE_AT, 30));
    const answeredFor = names.filter((name) => archive.asked.some(({ domain }) => domain === name));
    expect(answeredFor.length).toBeGreaterThan(5);
    await archive.close();
    const back = after(PURGE_AT, 24 * HOUR);
    await pass(after(PURGE_AT, 30), back);
    expect(await countStates(jobs.database)).toEqual({ available: 30 });
    const scores = await readScores();
    for (const name of names)
      if (answeredFor.includes(name)) expect([name, scores.get(name)]).toEqual([name, scoreOf(name)]);
      // What was never answered for keeps what was known before.
      else
        expect([before.get(name), before.get(name)?.replace('pending', 'error')]).toContain(scores.get(name));
    const during = await readStatus();
    expect(during.archive).toMatchObject({ source: 'sandbox', resting_until: expect.any(String) });
    expect(during.archive.failures_in_row).toBeGreaterThan(20);
    expect(Date.parse(during.archive.last_answered_at)).toBeLessThan(after(PURGE_AT, 30).getTime());
    expect(during.queues.archive.waiting).toBe(30 - answeredFor.length);

    const open = await startSandboxArchive({ port: archive.port, days });
    await pass(back, after(back, 6 * HOUR), 10 * MINUTE);
    expect(await readScores()).toEqual(new Map(names.map((name) => [name, scoreOf(name)])));
    expect((await readStatus()).archive).toMatchObject({ resting_until: null, failures_in_row: 0 });
    await open.close();
  });
});
