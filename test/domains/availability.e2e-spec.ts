import { DomainRepository } from '../../src/domains/domain.repository.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { addDomain, settle } from '../support/domains.js';

let test: TestDatabase;
let domains: DomainRepository;
beforeAll(async () => {
  test = await createTestDatabase();
  domains = new DomainRepository(test.database);
});
afterAll(() => test.close());

const eventsOf = (domain: string) =>
  test.database.query(`SELECT type FROM domain_event WHERE domain = $1 ORDER BY number`, [domain]);
const MORNING = new Date('2026-11-20T08:00:00Z');
const NOON = new Date('2026-11-20T12:00:00Z');
const AFTERNOON = new Date('2026-11-20T12:05:00Z');

describe('what a registry says of a name in the dataset', () => {
  it('is written down, with an event and a true count, when it is a change', async () => {
    const domain = await addDomain(test.database);
    const before = await domains.readStats();
    await domains.recordAvailability(domain, false, MORNING);
    expect(await domains.findDomain(domain)).toMatchObject({ available: false, checkedAt: MORNING });
    expect((await domains.readStats()).availableRecords).toBe(before.availableRecords - 1);
    await domains.recordAvailability(domain, true, NOON);
    expect(await domains.findDomain(domain)).toMatchObject({ available: false, checkedAt: MORNING });
    await domains.recordAvailability(domain, true, AFTERNOON);
    expect(await domains.findDomain(domain)).toMatchObject({ available: true, droppedAt: AFTERNOON });
    expect(await domains.readStats()).toEqual(before);
    expect(await eventsOf(domain)).toEqual([{ type: 'domain.taken' }, { type: 'domain.dropped' }]);
  });

  it('is no event when it says what was known', async () => {
    const domain = await addDomain(test.database);
    await domains.recordAvailability(domain, true, MORNING);
    expect(await domains.findDomain(domain)).toMatchObject({ checkedAt: MORNING });
    expect(await eventsOf(domain)).toEqual([]);
  });

  it('does not replace a newer answer that came first', async () => {
    const domain = await addDomain(test.database);
    await domains.recordAvailability(domain, false, NOON);
    await domains.recordAvailability(domain, true, MORNING);
    expect(await domains.findDomain(domain)).toMatchObject({ available: false, checkedAt: NOON });
  });

  it('is nobody else’s business when the operator withholds the name', async () => {
    const domain = await addDomain(test.database, { hidden: true });
    const before = await domains.readStats();
    await domains.recordAvailability(domain, false, MORNING);
    expect(await domains.findDomain(domain)).toMatchObject({ available: false });
    expect(await domains.readStats()).toEqual(before);
    expect(await eventsOf(domain)).toEqual([]);
  });

  it('adds no name that the dataset does not have', async () => {
    await domains.recordAvailability('not-in-here.com.au', true, NOON);
    expect(await domains.findDomain('not-in-here.com.au')).toBeNull();
  });

  it('numbers events without a gap, in the order in which they become visible, whoever writes', async () => {
    const names = await Promise.all(Array.from({ length: 40 }, () => addDomain(test.database)));
    const seen: number[] = [];
    let writing = true;
    const reader = (async () => {
      while (writing) {
        const rows = await test.database.query<{ number: number }>(
          'SELECT number::int FROM domain_event WHERE number > $1 ORDER BY number',
          [seen.at(-1) ?? 0],
        );
        seen.push(...rows.map(({ number }) => number));
      }
    })();
    await Promise.all(names.map((domain) => settle(test.database, domain, false, NOON)));
    const [end] = await test.database.query<{ last: number }>('SELECT last_event::int AS last FROM dataset');
    while ((seen.at(-1) ?? 0) < (end?.last ?? 0)) await new Promise(setImmediate);
    writing = false;
    await reader;
    // A reader that asks for what comes after the last number it saw misses nothing.
    expect(seen).toEqual(Array.from({ length: end?.last ?? 0 }, (_, at) => at + 1));
  });
});
