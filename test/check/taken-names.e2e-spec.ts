import { calendarDateOf } from '../../src/domains/calendar-date.js';
import { DomainRepository } from '../../src/domains/domain.repository.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { countWaiting } from '../support/database.js';
import { addDomain } from '../support/domains.js';
import { IMPORT_NOW, importText, readDataset } from '../support/import.js';
import { until } from '../support/processes.js';

// The sandbox registry calls it registered, always.
const TAKEN = 'sandbox-registered.com.au';
/** Before any day on which the tests can run. */
const LONG_AGO = '2026-01-01';

describe('a name that the registry calls registered', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await startTestApp();
  });
  afterEach(() => test.close());

  const load = (text: string, rebuildMinChanges?: number) =>
    importText(test.database, text, {
      now: new Date(Math.max(Date.now(), IMPORT_NOW.getTime())),
      rebuildMinChanges,
    });
  const check = async () => {
    const { body } = await test.caller().get('/v1/domains/check').query({ domain: TAKEN }).expect(200);
    return body;
  };
  const suggested = async () => {
    const { body } = await test.caller().get('/v1/suggest?q=sandbox-registered').expect(200);
    return body.results.map(({ domain }: { domain: string }) => domain);
  };
  const events = async () => (await readDataset(test.database)).events;

  describe.each([
    ['a first load', false, undefined],
    ['a merge in place', true, undefined],
    ['a dataset that is built anew', true, 1],
  ])('and that %s brings', (_, hasRows, rebuildMinChanges) => {
    beforeEach(async () => {
      if (hasRows) await addDomain(test.database);
      expect(await check()).toMatchObject({ registered: true, known: false });
    });

    it.each([LONG_AGO, ''])(
      'by a list of an earlier day, or of none (%s), is neither offered nor announced',
      async (day) => {
        const { availableRecords } = await readDataset(test.database);
        const report = await load(
          `domain,wayback,first_seen\n${TAKEN},500,${day}\nfree.com.au,,\n`,
          rebuildMinChanges,
        );
        expect(report).toMatchObject({ added: 2 });
        expect(await suggested()).toEqual([]);
        expect(await events()).toEqual(['1 domain.dropped free.com.au']);
        expect(await readDataset(test.database)).toMatchObject({ availableRecords: availableRecords + 1 });
        expect(await check()).toMatchObject({
          registered: true,
          known: true,
          wayback: 500,
          registry: { cached: true },
        });
      },
    );

    it('by a list of the same day is offered, until it is asked about again', async () => {
      const day = (await check()).registry.checked_at.slice(0, 10);
      await load(`domain,first_seen\n${TAKEN},${day}\n`, rebuildMinChanges);
      expect(await suggested()).toEqual([TAKEN]);
      expect(await check()).toMatchObject({ registered: true, registry: { cached: false } });
      expect(await suggested()).toEqual([]);
      expect(await events()).toEqual([`1 domain.dropped ${TAKEN}`, `2 domain.taken ${TAKEN}`]);
    });
  });

  /** Imports the name as of today, and checks it when the import has decided what becomes of it. */
  async function checkDuringImport(rebuildMinChanges?: number): Promise<void> {
    let importing: Promise<unknown> = Promise.resolve();
    await test.database.transaction(async (transaction) => {
      // The last lock that an import takes.
      await transaction.query('SELECT FROM dataset FOR UPDATE');
      importing = load(`domain,first_seen\n${TAKEN},${calendarDateOf(new Date())}\n`, rebuildMinChanges);
      importing.catch(() => undefined);
      await until('the import waits', async () => (await countWaiting(test.database)) > 0);
      expect(await check()).toMatchObject({ registered: true, registry: { cached: false } });
    });
    await importing;
  }

  it.each([
    ['a first load', [], undefined],
    ['a merge in place', ['other.com.au'], undefined],
    ['a dataset that is built anew', ['other.com.au'], 1],
    ['a merge in place of a name that was taken', [TAKEN], undefined],
    ['a dataset that is built anew with a name that was taken', [TAKEN], 1],
  ])('during %s is not offered by it', async (_, names, rebuildMinChanges) => {
    for (const domain of names)
      await addDomain(test.database, { domain, available: domain !== TAKEN, first_seen: LONG_AGO });
    const { availableRecords } = await readDataset(test.database);
    await checkDuringImport(rebuildMinChanges);
    expect(await suggested()).toEqual([]);
    expect(await events()).toEqual([`1 domain.dropped ${TAKEN}`, `2 domain.taken ${TAKEN}`]);
    expect(await readDataset(test.database)).toMatchObject({ availableRecords });
  });

  it('in an answer that the dataset has missed leaves it with the next check', async () => {
    await check();
    await addDomain(test.database, { domain: TAKEN });
    // As of an import that committed just now.
    await check();
    expect(await suggested()).toEqual([TAKEN]);
    await test.database.query(`UPDATE domain SET dropped_at = $1`, [LONG_AGO]);
    expect(await check()).toMatchObject({ registered: true, registry: { cached: true } });
    expect(await suggested()).toEqual([]);
  });

  it('before it dropped is asked about again, although the operator withholds it', async () => {
    await load(`domain,first_seen\n${TAKEN},${LONG_AGO}\n`);
    const day = (await check()).registry.checked_at.slice(0, 10);
    await load(`domain,first_seen,hidden\n${TAKEN},${day},true\n`);
    expect(await check()).toMatchObject({ registered: true, hidden: true, registry: { cached: false } });
  });

  it('by an answer before its purge is offered after it, on whatever day the drop list has it', async () => {
    const purge = new Date();
    purge.setUTCDate(purge.getUTCDate() - 1);
    purge.setUTCHours(3, 30, 0, 0);
    const dayBefore = calendarDateOf(purge, -1);
    const answeredAt = (minutes: number) => new Date(purge.getTime() + minutes * 60_000);
    const names = { before: 'rescued-not.com.au', after: 'caught.com.au' };
    for (const domain of Object.values(names))
      await addDomain(test.database, { domain, available: false, first_seen: LONG_AGO });
    const domains = test.app.get(DomainRepository);
    await domains.recordAvailability(names.before, false, answeredAt(-30));
    await domains.recordAvailability(names.after, false, answeredAt(30));
    await load(
      `Date,Eligible Purge Time,Domain Name\n${Object.values(names)
        .map((name) => `${dayBefore},05:00:00,${name}\n`)
        .join('')}`,
    );
    expect(await events()).toEqual([`1 domain.dropped ${names.before}`]);
  });

  it('and that a list brings back is asked about again', async () => {
    await load(`domain,first_seen\n${TAKEN},${LONG_AGO}\n`);
    const day = (await check()).registry.checked_at.slice(0, 10);
    await load(`domain,first_seen\n${TAKEN},${day}\n`);
    expect(await suggested()).toEqual([TAKEN]);
    expect(await check()).toMatchObject({ registered: true, registry: { cached: false } });
    expect(await suggested()).toEqual([]);
  });

  it('while the operator withholds it is announced as taken when it is shown again', async () => {
    await load(`domain,first_seen\n${TAKEN},${LONG_AGO}\n`);
    await load(`domain,hidden\n${TAKEN},true\n`);
    expect(await check()).toMatchObject({ registered: true, hidden: true });
    await load(`domain,hidden\n${TAKEN},false\n`);
    expect(await events()).toEqual([`1 domain.dropped ${TAKEN}`, `2 domain.taken ${TAKEN}`]);
    expect((await readDataset(test.database)).availableRecords).toBe(0);
  });
});
