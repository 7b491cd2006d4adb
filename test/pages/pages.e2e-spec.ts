import { startTestApp, type TestApp } from '../support/app.js';
import { addDomain } from '../support/domains.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describe('GET /domains/{domain}', () => {
  describe('200', () => {
    it('is where the detail_url of every answer leads', async () => {
      const domain = await addDomain(test.database, { wayback: 77, first_seen: '2026-10-02' });
      const caller = test.caller();
      const { body } = await caller.get('/v1/suggest').query({ q: domain.split('.')[0] });
      const { text, headers } = await caller.get(new URL(body.results[0].detail_url).pathname).expect(200);
      expect(headers['content-type']).toContain('text/html');
      for (const fact of [domain, '77', '2026-10-02', body.results[0].wayback_url])
        expect(text).toContain(fact);
      expect(text).toContain('https://ventraip.com.au/domain-names?domain=');
      expect(text).not.toContain('<script');
    });

    it('offers no registration of a name that is taken', async () => {
      const domain = await addDomain(test.database, { available: false });
      const { text } = await test.caller().get(`/domains/${domain}`).expect(200);
      expect(text).not.toContain('ventraip');
    });

    it('says who may have the name, and what is known against it', async () => {
      const domain = await addDomain(test.database, { domain: 'anzac-biscuits.org.au' });
      const { text } = await test.caller().get(`/domains/${domain}`).expect(200);
      expect(text).toContain('A not-for-profit entity');
      expect(text).toContain('Not everybody can have this name (restricted)');
      const plain = await addDomain(test.database);
      const other = await test.caller().get(`/domains/${plain}`).expect(200);
      expect(other.text).not.toContain('Not everybody');
    });

    it('shows the label under the other suffixes, and what is not known of it', async () => {
      const domain = await addDomain(test.database, { domain: 'kinship.com.au' });
      await addDomain(test.database, { domain: 'kinship.net.au', available: false });
      const { text } = await test.caller().get(`/domains/${domain}`).expect(200);
      expect(text).toMatch(
        /<a href="https:\/\/bowerbird\.example\/domains\/kinship\.net\.au">kinship\.net\.au<\/a><\/td>\s*<td>taken<\/td>/,
      );
      expect(text).toMatch(/<td>kinship\.au<\/td>\s*<td>not known<\/td>/);
    });

    it('costs one record, as at every other door', async () => {
      const domain = await addDomain(test.database);
      const { headers } = await test.caller().get(`/domains/${domain}`).expect(200);
      expect(headers['x-ratelimit-remaining']).toBe('4');
    });
  });

  describe('400', () => {
    it('says what is wrong with the name, and shows nothing of it unescaped', async () => {
      const { body } = await test
        .caller()
        .get(`/domains/${encodeURIComponent('<script>.au')}`)
        .expect(400);
      expect(body.error.code).toBe('domain_invalid');
    });

    it('refuses percent-encoding that cannot be decoded', async () => {
      const { body } = await test.caller().get('/domains/%E0%A4%A').expect(400);
      expect(body.error.code).toBe('bad_request');
    });
  });

  describe('404', () => {
    it('is a page too, says that the dataset does not hold the name and where to ask, free of charge', async () => {
      const hidden = await addDomain(test.database, { hidden: true });
      for (const domain of ['nobody-has-this.com.au', hidden]) {
        const { text, headers } = await test.caller().get(`/domains/${domain}`).expect(404);
        expect(headers['content-type']).toContain('text/html');
        expect(text).toContain(`<h1>${domain}</h1>`);
        expect(text).toContain('does not hold this name');
        expect(text).toContain(`href="https://bowerbird.example/v1/domains/check?domain=${domain}"`);
        expect(text).not.toContain('ventraip');
        expect(headers['x-ratelimit-remaining']).toBe('5');
      }
    });
  });

  describe('429', () => {
    it('comes when the budget is spent', async () => {
      const domain = await addDomain(test.database);
      const caller = test.caller();
      const answers = await Promise.all(Array.from({ length: 11 }, () => caller.get(`/domains/${domain}`)));
      // Eleven requests are at least one more than two windows hold.
      expect(answers.some(({ status }) => status === 429)).toBe(true);
    });
  });
});
