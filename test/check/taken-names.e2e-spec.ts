import { DomainRepository } from '../../src/domains/domain.repository.js';
import type { ImportOptions } from '../../src/ingest/import/importer.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { countWaiting } from '../support/database.js';
import { addDomain, VOUCHED_AT } from '../support/domains.js';
import { importText, importVouched, readDataset } from '../support/import.js';
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

  /** Somebody vouches for the names: long ago, unless it is for now. */
  const load = (text: string, options: Partial<ImportOptions> = {}) =>
    importVouched(test.database, text, { now: new Date(), ...options });
  const now = () => ({ vouch: { by: 'test', at: new Date() } });
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
    ['a first load', false],
    ['a merge', true],
  ])('and that %s brings', (_, hasRows) => {
    beforeEach(async () => {
      if (hasRows) await addDomain(test.database);
      expect(await check()).toMatchObject({ registered: true, known: false });
    });

    it('by the word of somebody who looked earlier is neither offered nor announced', async () => {
      const { availableRecords } = await readDataset(test.database);
      const report = await load(`domain,wayback\n${TAKEN},500\nfree.com.au,\n`);
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
    });

    it('by the word of somebody who looked later is offered, until it is asked about again', async () => {
      await load(`domain\n${TAKEN}\n`, now());
      expect(await suggested()).toEqual([TAKEN]);
      expect(await check()).toMatchObject({ registered: true, registry: { cached: false } });
      expect(await suggested()).toEqual([]);
      expect(await events()).toEqual([`1 domain.dropped ${TAKEN}`, `2 domain.taken ${TAKEN}`]);
    });

    it('without evidence is known as taken at once', async () => {
      await importText(test.database, `domain\n${TAKEN}\n`, { now: new Date() });
      expect(await test.app.get(DomainRepository).findDomain(TAKEN)).toMatchObject({ state: 'taken' });
      expect(await events()).toEqual([]);
    });
  });

  /** Imports the name on the word of somebody who looked just now, and checks it when the import has decided what becomes of it. */
  async function checkDuringImport(): Promise<void> {
    let importing: Promise<unknown> = Promise.resolve();
    await test.database.transaction(async (transaction) => {
      // The last lock that an import takes.
      await transaction.query('SELECT FROM dataset FOR UPDATE');
      importing = load(`domain\n${TAKEN}\n`, now());
      importing.catch(() => undefined);
      await until('the import waits', async () => (await countWaiting(test.database)) > 0);
      expect(await check()).toMatchObject({ registered: true, registry: { cached: false } });
    });
    await importing;
  }

  it.each([
    ['a first load', []],
    ['a merge', ['other.com.au']],
    ['a merge of a name that was taken', [TAKEN]],
  ])('during %s is not offered by it', async (_, names) => {
    for (const domain of names)
      await addDomain(test.database, { domain, available: domain !== TAKEN, first_seen: LONG_AGO });
    const { availableRecords } = await readDataset(test.database);
    await checkDuringImport();
    expect(await suggested()).toEqual([]);
    // A batch that has begun again after the answer knows of it, and tells of nothing.
    expect([[], [`1 domain.dropped ${TAKEN}`, `2 domain.taken ${TAKEN}`]]).toContainEqual(await events());
    expect(await readDataset(test.database)).toMatchObject({ availableRecords });
  });

  it('in an answer that the dataset has missed leaves it with the next check', async () => {
    await check();
    await addDomain(test.database, { domain: TAKEN });
    // Somebody vouched for it since.
    await test.database.query(`UPDATE domain SET checked_at = now()`);
    await check();
    expect(await suggested()).toEqual([TAKEN]);
    await test.database.query(`UPDATE domain SET checked_at = $1`, [VOUCHED_AT]);
    expect(await check()).toMatchObject({ registered: true, registry: { cached: true } });
    expect(await suggested()).toEqual([]);
  });

  it('before it dropped is asked about again, although the operator withholds it', async () => {
    await load(`domain\n${TAKEN}\n`);
    await check();
    await load(`domain,hidden\n${TAKEN},true\n`, now());
    expect(await check()).toMatchObject({ registered: true, known: false, registry: { cached: false } });
  });

  it('and that somebody vouches for again is asked about again', async () => {
    await load(`domain\n${TAKEN}\n`);
    await check();
    await load(`domain\n${TAKEN}\n`, now());
    expect(await suggested()).toEqual([TAKEN]);
    expect(await check()).toMatchObject({ registered: true, registry: { cached: false } });
    expect(await suggested()).toEqual([]);
  });

  it('while the operator withholds it is announced as taken when it is shown again', async () => {
    await load(`domain\n${TAKEN}\n`);
    await load(`domain,hidden\n${TAKEN},true\n`);
    expect(await check()).toMatchObject({ registered: true, known: false });
    await load(`domain,hidden\n${TAKEN},false\n`);
    expect(await events()).toEqual(
      ['1 domain.dropped', '2 domain.removed', '3 domain.taken', '4 domain.restored'].map(
        (event) => `${event} ${TAKEN}`,
      ),
    );
    expect((await readDataset(test.database)).availableRecords).toBe(0);
  });
});
