import { startTestApp, type TestApp } from '../support/app.js';
import { setBudgetTime } from '../support/clock.js';
import { addDomain, addInState } from '../support/domains.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
  setBudgetTime(test.app, new Date());
});
afterAll(() => test.close());

describe.each(['/v1/stats', '/api/v1/stats'])('GET %s', (path) => {
  describe('200', () => {
    it('says that an empty dataset was never refreshed', async () => {
      const empty = await startTestApp();
      const { body } = await empty.caller().get(path).expect(200);
      expect(body).toEqual({
        ok: true,
        available_records: 0,
        tlds: ['com.au', 'net.au', 'org.au', 'id.au', 'asn.au', 'au'],
        refreshed: null,
        note: expect.stringContaining('empty'),
      });
      await empty.close();
    });

    it('says how many names await the registry where nothing is on offer', async () => {
      const first = await startTestApp();
      await addInState(first.database, [
        { domain: 'waits-one.com.au', state: 'purged' },
        { domain: 'waits-two.com.au', state: 'unconfirmed' },
        { domain: 'still-held.com.au', state: 'listed' },
      ]);
      await first.database.query('UPDATE dataset SET refreshed = now()');
      const { body } = await first.caller().get(path).expect(200);
      expect(body).toMatchObject({ available_records: 0, note: expect.stringContaining(': 2 names await') });
      expect(body.note).toContain('The registry is a sandbox: its answers are made up.');
      await first.close();
    });

    it('counts what discovery can find', async () => {
      const before = (await test.caller().get(path)).body.available_records;
      await addDomain(test.database);
      await addDomain(test.database, { hidden: true });
      await addDomain(test.database, { available: false });
      const { body } = await test.caller().get(path).expect(200);
      expect(body.available_records).toBe(before + 1);
      expect(body.note).toMatch(/called available.*The registry is a sandbox: its answers are made up\.$/);
      expect(new Date(body.refreshed).toISOString()).toBe(body.refreshed);
    });

    it('costs nothing', async () => {
      const caller = test.caller();
      for (let call = 0; call < 10; call += 1) await caller.get(path).expect(200);
      const { body } = await caller.get('/v1/suggest').expect(200);
      expect(body.rate.remaining).toBe(5 - body.count);
    });

    it('answers 304 to a caller who has this answer already', async () => {
      const caller = test.caller();
      const { headers } = await caller.get(path).expect(200);
      await caller.get(path).set('If-None-Match', String(headers.etag)).expect(304);
    });
  });

  describe('400', () => {
    it('refuses a parameter that it does not know', async () => {
      const { body } = await test.caller().get(`${path}?tld=au`).expect(400);
      expect(body.error).toMatchObject({
        code: 'invalid_parameter',
        message: 'tld is not a parameter here',
      });
    });
  });
});
