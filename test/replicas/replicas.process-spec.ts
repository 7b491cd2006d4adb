import { MATCH_MODES, SUFFIXES } from '../../src/domains/schema/domain.js';
import { orderOf, SORTS } from '../../src/api/search/search.dto.js';
import { discover, passing } from '../support/discovery-oracle.js';
import { addDomain, addDomains, type DomainSeed, settle } from '../support/domains.js';
import {
  type Answer,
  BEGINNING,
  feed,
  PATIENT,
  readAtReplica,
  type Reader,
  startReader,
  untilUsed,
} from '../support/reader.js';
import { type Pair, startPair } from '../support/streaming-replica.js';

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
});
afterAll(() => pair.close());
afterEach(() => pair.resumeReplay());

const ROWS: DomainSeed[] = Array.from({ length: 120 }, (_, place) => ({
  domain: `${['shop', 'cafe-', 'c0ffee', 'a'][place % 4]}${place}.${SUFFIXES[place % 6]}`,
  wayback: place % 3 === 0 ? 0 : (place * 37) % 1500,
  first_seen: place % 9 === 0 ? null : `2026-11-${String(1 + (place % 19)).padStart(2, '0')}`,
  available: place % 20 !== 11,
  hidden: place % 20 === 12,
}));
const namesOf = ({ results }: Answer) => results.map(({ domain }) => domain);

describe('a replica that is no further behind than allowed', () => {
  let patient: Reader;
  beforeAll(async () => {
    patient = await startReader(pair, PATIENT);
  });
  afterAll(() => patient.close());

  it('answers searches and suggestions as a look at every row does', async () => {
    await addDomains(patient.database, ROWS);
    await pair.caughtUp();
    await untilUsed(pair, patient);
    await pair.pauseReplay();
    // The first of every list, were the primary asked.
    await addDomain(patient.database, {
      domain: 'a-shop-0.com.au',
      wayback: 99_999,
      first_seen: '2026-11-21',
    });
    for (const mode of MATCH_MODES)
      for (const q of ['shop', '0', 'e']) {
        const filter = { q, mode, suffixes: [], minWayback: 0 };
        for (const sort of SORTS) {
          const search = `/api/v1/search?q=${q}&mode=${mode}&sort=${sort}&per_page=100`;
          const body = await readAtReplica(pair, patient, search);
          expect(namesOf(body)).toEqual(discover(ROWS, { ...filter, sort: orderOf(sort), limit: 100 }));
          expect(body.total).toBe(passing(ROWS, filter).length);
        }
        const body = await readAtReplica(pair, patient, `/v1/suggest?q=${q}&mode=${mode}&limit=50`);
        expect(namesOf(body)).toEqual(discover(ROWS, { ...filter, limit: 50 }));
      }
  });

  it('answers suggest, search, report, feed, stats, facets and pages', async () => {
    await pair.caughtUp();
    await untilUsed(pair, patient);
    const before = (await patient.get('/v1/stats')).body.available_records;
    await pair.pauseReplay();
    await addDomain(patient.database, { domain: 'unseen.com.au', wayback: 900 });
    await settle(patient.database, 'unseen.com.au', false);

    expect((await patient.get('/v1/stats')).body.available_records).toBe(before);
    expect((await patient.get('/v1/suggest?q=unseen')).body.count).toBe(0);
    expect((await patient.get('/api/v1/search?q=unseen&state=taken')).body.count).toBe(0);
    expect((await patient.get('/api/v1/facets')).body.total).toBe(before);
    expect((await patient.get(feed(BEGINNING))).body.results).toEqual([]);
    for (const path of ['/api/v1/domains/unseen.com.au', '/domains/unseen.com.au'])
      expect((await patient.get(path)).status).toBe(404);

    await pair.resumeReplay();
    await pair.caughtUp();
    expect((await patient.get('/api/v1/domains/unseen.com.au')).status).toBe(200);
  });

  it('says how many names there are for it, whatever the instance remembers', async () => {
    const totalOf = async () => (await patient.get('/api/v1/search?q=remembered')).body.total;
    await addDomain(patient.database, { domain: 'remembered-1.com.au' });
    await pair.caughtUp();
    await untilUsed(pair, patient);
    for (const names of [1, 2, 3]) {
      expect([await totalOf(), await totalOf()]).toEqual([names, names]);
      await pair.pauseReplay();
      await addDomain(patient.database, { domain: `remembered-${names + 1}.com.au` });
      expect([await totalOf(), await totalOf()]).toEqual([names, names]);
      await pair.resumeReplay();
      await pair.caughtUp();
    }
    await settle(patient.database, 'remembered-1.com.au', false);
    await pair.caughtUp();
    expect(await totalOf()).toBe(3);
  });
});
