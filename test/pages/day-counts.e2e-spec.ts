import type { DataSource } from 'typeorm';
import { readConfig } from '../../src/config/read-config.js';
import { createDataSource } from '../../src/db/data-source.js';
import { Database } from '../../src/db/database.js';
import { DayEventRepository } from '../../src/domains/feed/day-event.repository.js';
import { DomainEventRepository } from '../../src/domains/feed/domain-event.repository.js';
import { DayCounts } from '../../src/web/drops/drops-view.js';
import { ReadDatabase } from '../../src/db/replicas/read-database.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { addDomain } from '../support/domains.js';

let url: string;
let dataSource: DataSource;
let database: Database;
let reads: ReadDatabase;
let counts: DayCounts;
beforeAll(async () => {
  url = await cloneTemplate();
  dataSource = createDataSource(url, 3, () => undefined);
  await dataSource.initialize();
  database = new Database(dataSource);
  reads = ReadDatabase.open(database, readConfig({ DATABASE_URL: url }), () => undefined);
  counts = new DayCounts({ days: new DayEventRepository(reads, new DomainEventRepository(database, reads)) });
});
afterAll(async () => {
  await reads.onApplicationShutdown();
  await dataSource.destroy();
  dropDatabase(url);
});

/** Noon of the day in the registry's zone. */
async function happen(number: number, day: string): Promise<void> {
  const at = `${day}T02:00:00Z`;
  const domain = await addDomain(database);
  await database.query(`INSERT INTO domain_event VALUES ($1, 'domain.dropped', $2, $3)`, [
    number,
    domain,
    at,
  ]);
  await database.query('UPDATE dataset SET last_event = $1, last_event_at = $2', [number, at]);
}

const namesByDay = async (first: string, last: string) =>
  (await counts.count(first, last))?.map(({ day, names }) => `${day} ${names}`);

it('days that are over are counted once, and the last ones anew', async () => {
  expect(await namesByDay('2026-11-01', '2026-11-30')).toEqual([]);
  for (const [place, day] of ['2026-11-01', '2026-11-01', '2026-11-04', '2026-11-05'].entries())
    await happen(place + 1, day);
  expect(await namesByDay('2026-11-02', '2026-11-05')).toEqual(['2026-11-04 1', '2026-11-05 1']);
  expect(await namesByDay('2026-11-01', '2026-11-30')).toEqual([
    '2026-11-01 2',
    '2026-11-04 1',
    '2026-11-05 1',
  ]);
  // What is kept is not looked at again.
  await database.query('DELETE FROM domain_event WHERE number IN (1, 3)');
  await happen(5, '2026-11-05');
  expect(await namesByDay('2026-11-01', '2026-11-30')).toEqual(['2026-11-01 2', '2026-11-05 2']);
  await happen(6, '2026-11-08');
  expect(await namesByDay('2026-10-30', '2026-11-08')).toEqual([
    '2026-11-01 2',
    '2026-11-05 2',
    '2026-11-08 1',
  ]);
});
