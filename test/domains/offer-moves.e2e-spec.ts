import { CubeCheck } from '../../src/domains/search/cube/cube-check.repository.js';
import type { RegistryState } from '../../src/domains/schema/states.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { readMoves } from '../support/cube-oracle.js';
import { addDomains } from '../support/domains.js';
import { importText, importVouched } from '../support/import.js';
import { lifecycleOn } from '../support/lifecycle.js';

const AT = new Date('2026-11-20T03:00:00Z');
const LIMIT_MS = 60_000;
/** All in one cell, so that whoever counts what a cell gains on the whole sees nothing of one that comes for another. */
const ON_OFFER = ['aa.au', 'bb.au', 'cc.au', 'dd.au', 'ee.au'];
const SIZE = ON_OFFER.length;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.close());

beforeEach(async () => {
  await test.database.query('TRUNCATE domain, domain_cube, domain_event, registry_answer, recheck');
  await test.database.query(
    'UPDATE dataset SET available_records = 0, last_event = 0, last_event_at = NULL, refreshed = NULL',
  );
  await addDomains(
    test.database,
    [...ON_OFFER, 'hidden.au', 'taken.au'].map((domain) => ({
      domain,
      wayback: 20,
      first_seen: '2026-10-01',
      available: domain !== 'taken.au',
      hidden: domain === 'hidden.au',
    })),
  );
});

const lifecycle = () =>
  lifecycleOn(test.database, { OFFER_MAX_AGE_DAYS: '20', REGISTRY_SECOND_ANSWER_MINUTES: '0' });
const nothingElse = () => Promise.resolve();
const answer = (domain: string, state: RegistryState) =>
  lifecycle().observeAnswer(domain, { state, source: 'rdap', checkedAt: AT, registeredAt: null });
const score = (domain: string, wayback: number | null) =>
  lifecycle().observeScore(domain, {
    status: 'ok',
    wayback,
    firstCapture: null,
    lastCapture: null,
    captures: null,
  });
const names = (...rows: string[]) => `domain,wayback,first_seen,hidden\n${rows.join('\n')}\n`;
const scores = (...rows: string[]) =>
  importText(test.database, `domain,wayback\n${rows.join('\n')}\n`, { now: AT });

/** What is done to the dataset, and how many names leave the offer or their cell by it, and join it or another cell. */
const WRITERS: readonly (readonly [string, () => Promise<unknown>, left: number, joined: number])[] = [
  ['an answer that a name is held', () => answer('aa.au', 'registered'), 1, 0],
  ['an answer that it is free still', () => answer('aa.au', 'available'), 0, 0],
  ['an answer of a name that is withheld', () => answer('hidden.au', 'registered'), 0, 0],
  [
    'answers that a taken name is free',
    async () => {
      await answer('taken.au', 'pending_delete');
      await answer('taken.au', 'available');
    },
    0,
    1,
  ],
  ['a name withheld', () => lifecycle().observeHidden('aa.au', true, AT, nothingElse), 1, 0],
  ['a taken name withheld', () => lifecycle().observeHidden('taken.au', true, AT, nothingElse), 0, 0],
  ['a name shown', () => lifecycle().observeHidden('hidden.au', false, AT, nothingElse), 0, 1],
  ['a name forgotten', () => lifecycle().forget('aa.au', AT, nothingElse), 1, 0],
  ['a withheld name forgotten', () => lifecycle().forget('hidden.au', AT, nothingElse), 0, 0],
  ['a score of another band', () => score('aa.au', 100), 1, 1],
  ['a score of the same band', () => score('aa.au', 99), 0, 0],
  ['no score', () => score('aa.au', null), 0, 0],
  ['a score of a name that is not on offer', () => score('taken.au', 100), 0, 0],
  [
    'offers that nobody has confirmed for long',
    async () => {
      await lifecycle().scheduleRechecks('', 100);
      await lifecycle().observeStale(AT, 100);
    },
    SIZE,
    0,
  ],
  ['purges', () => lifecycle().observePurges(AT, 100), 0, 0],
  ['an import that adds names', () => importVouched(test.database, names('xx.au,20,,', 'yy.au,0,,')), 0, 2],
  [
    'one that brings and withholds as many names of one cell',
    () => importVouched(test.database, names('xx.au,20,2026-10-01,', 'aa.au,20,2026-10-01,true')),
    1,
    1,
  ],
  ['one that says nothing new', () => importVouched(test.database, names('aa.au,20,2026-10-01,')), 0, 0],
  ['one with another month', () => importVouched(test.database, names('aa.au,20,2026-11-05,')), 1, 1],
  [
    'one with another day of the month',
    () => importVouched(test.database, names('aa.au,20,2026-10-09,')),
    0,
    0,
  ],
  ['a list of what is about to be purged', () => importList('aa.au'), 1, 0],
  ['scores of other bands, which change places', () => scores('aa.au,100', 'bb.au,5', 'cc.au,20'), 2, 2],
  ['scores of the same bands', () => scores('aa.au,21', 'bb.au,99', 'taken.au,1000'), 0, 0],
];

function importList(domain: string): Promise<unknown> {
  return importText(test.database, `Date,Eligible Purge Time,Domain Name\n2026-11-20,23:00:00,${domain}\n`, {
    now: AT,
  });
}

/** Where nobody knows which names are the same: no less than all that were there and are. */
const REPLACEMENTS: readonly (readonly [string, () => Promise<unknown>, number])[] = [
  [
    'an import that builds the table anew',
    () => importVouched(test.database, names('xx.au,20,,', 'aa.au,20,,true'), { rebuildMinChanges: 0 }),
    2 * SIZE,
  ],
  ['a recount', () => new CubeCheck(test.database).repair(LIMIT_MS), 2 * SIZE],
];

describe('the moves of offers', () => {
  it.each(WRITERS)('are counted one by one: %s', async (_, write, left, joined) => {
    expect(await movesOf(write)).toEqual({ left, joined });
  });

  it.each(REPLACEMENTS)('are taken for all names: %s', async (_, write, names) => {
    expect(await movesOf(write)).toEqual({ left: names, joined: names });
  });

  it('are those of a first load', async () => {
    await test.database.query('TRUNCATE domain, domain_cube');
    await test.database.query('UPDATE dataset SET available_records = 0');
    const load = () => importVouched(test.database, names('xx.au,20,,', 'yy.au,0,,', 'zz.au,0,,true'));
    expect(await movesOf(load)).toEqual({ left: 2, joined: 2 });
  });

  it('are not counted when the change is taken back', async () => {
    const failing = () =>
      lifecycle()
        .forget('aa.au', AT, () => Promise.reject(new Error('no')))
        .catch(() => undefined);
    expect(await movesOf(failing)).toEqual({ left: 0, joined: 0 });
  });
});

async function movesOf(write: () => Promise<unknown>) {
  const before = await readMoves(test.database);
  await write();
  const after = await readMoves(test.database);
  return { left: after.left - before.left, joined: after.joined - before.joined };
}
