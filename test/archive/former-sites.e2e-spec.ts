import { FormerSiteJob } from '../../src/archive/former-site/former-sites.js';
import { FormerSiteRepository } from '../../src/archive/former-site/former-site.repository.js';
import { ArchiveQueue } from '../../src/archive/archive-queue.repository.js';
import { ArchiveRateLimiter } from '../../src/archive/archive-rate-limiter.repository.js';
import { ArchiveScorer } from '../../src/archive/archive-scorer.js';
import { Config } from '../../src/config/config.js';
import { type SandboxArchive, startSandboxArchive } from '../../src/demo/sandbox-archive.js';
import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { addDomain } from '../support/domains.js';
import { after } from '../support/jobs.js';
import { type AccountsApp, startAccountsApp } from '../support/visitor.js';

// Later than any request of this test.
const NOW = new Date('2040-01-01T00:00:00Z');
const WORK = { kind: 'former-sites', key: '', cursor: null, failures: 0, isSlow: false };
const OPERATOR = mintOperatorKey();
const SCRIPT = '<script>alert(1)</script>';

let archive: SandboxArchive;
let test: AccountsApp;
let job: FormerSiteJob;
/** Each run an hour later: after a rest of the archive, too. */
let hours = 0;
beforeAll(async () => {
  archive = await startSandboxArchive({ port: 0, days: new Map([['casino.com.au', 90]]) });
  test = await startAccountsApp({
    ...{
      ARCHIVE_CDX_URL: archive.url,
      ARCHIVE_PAGES_URL: archive.pagesUrl,
      ARCHIVE_TITLES: 'on',
      ARCHIVE_TIMEOUT_MS: '500',
      ARCHIVE_SOURCE: 'sandbox',
    },
    OPERATOR_KEY_HASH: `alice:${OPERATOR.hash}`,
  });
  const get = test.app.get.bind(test.app);
  job = new FormerSiteJob(
    get(FormerSiteRepository),
    get(ArchiveScorer),
    get(ArchiveRateLimiter),
    get(ArchiveQueue),
    get(Config),
  );
});
afterAll(async () => {
  await test.close();
  await archive.close();
});

const run = () => job.run(WORK, after(NOW, 3_600 * hours++), new AbortController().signal);
const asked = (domain: string) => archive.asked.filter((question) => question.domain === domain);
const found = async (title: string) => {
  const { status, body } = await test.caller().get('/api/v1/search').query({ former_title: title });
  return status === 200
    ? (body as { results: { domain: string }[] }).results.map(({ domain }) => domain)
    : status;
};

async function archived(domain: string, days = 40): Promise<string> {
  await addDomain(test.database, { domain, wayback: days });
  await test.database.query(
    `WITH score AS (INSERT INTO domain_archive (domain, source, computed_at, version, wayback, captures, days, first_capture,
                                 last_capture, active_years, longest_gap_days, days_by_year)
                    VALUES ($1, 'sandbox', now(), 1, $2, $2, $2, '2001-01-01', '2020-01-01', 20, 1, '{"2001": 20}'))
     UPDATE domain SET archive_status = 'ok', archive_first_capture = '2001-01-01', archive_last_capture = '2020-01-01'
      WHERE domain = $1`,
    [domain, days],
  );
  return domain;
}

async function readAll(domain: string): Promise<void> {
  for (let runs = 0; runs < 60; runs += 1) {
    await run();
    const site = await test.app.get(FormerSiteRepository).find(domain);
    if (site?.state === 'read') return;
  }
  throw new Error(`${domain} was not read in 60 runs`);
}

describe('a former site', () => {
  it('503 not_ready: nothing is found by titles until those of all names are read', async () => {
    const domain = await archived('first-title.com.au');
    archive.show(domain, '<title>Kookaburra Ceramics</title>');
    expect(await found('kookaburra')).toBe(503);
    const { text } = await test.caller().get('/?former_title=kookaburra').set('Accept', 'text/html');
    expect(text).toContain('The titles of former sites are not all read yet');
    await readAll(domain);
    expect(asked(domain)).toHaveLength(2);
    await run();
    await run();
    expect(await found('kookaburra')).toEqual([domain]);
    expect(await found('CERAMICS Kookaburra')).toEqual([domain]);
    expect(await found('cera kooka')).toEqual([domain]);
    expect(await found('ramics')).toEqual([]);
    expect(await found('ce')).toEqual([]);
    expect(await found('!')).toBe(400);
  });

  it('is read when somebody asks, a page a year, and shown as text', async () => {
    const domain = await archived('casino.com.au', 90);
    archive.show(
      domain,
      `<title>Best &lt;b&gt; casino</title>Pokies and free spins &lt;script&gt;alert(1)&lt;/script&gt;`,
    );
    const page = () => test.caller().get(`/domains/${domain}`).expect(200);
    expect((await page()).text).toContain('Read the former site');
    const leads = await test.caller().post(`/domains/${domain}/former-site`).expect(303);
    expect(leads.headers.location).toBe(`/domains/${domain}#former-site`);
    expect((await page()).text).toContain(
      'The former site is being read from the web archive, with 1 site in the queue',
    );
    await readAll(domain);
    const { text } = await page();
    expect(text).toContain('Best &lt;b&gt; casino</summary>');
    expect(text).not.toContain(SCRIPT);
    expect(text).toContain('Some pages look like gambling.');
    expect(text).toMatch(/<li>\d{4}: “casino”, “pokies”, “free spins”<\/li>/);
    const pages = asked(domain).filter(({ query }) => query.timestamp);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.length).toBeLessThanOrEqual(8);
    await test.caller().post(`/domains/${domain}/former-site`).expect(303);
    await run();
    expect(asked(domain)).toHaveLength(pages.length + 1);
  });

  it('is removed by an operator, and not read again until it is allowed', async () => {
    const domain = 'first-title.com.au';
    const alice = test.caller().set('Authorization', `Bearer ${OPERATOR.text}`);
    const act = (verb: string) =>
      alice
        .post(`/ops/v1/dataset/${domain}/former-site/${verb}`)
        .send({ reason: 'its owner asked' })
        .expect(200);
    expect((await act('remove')).body).toMatchObject({ changed: true });
    expect((await act('remove')).body).toMatchObject({ changed: false });
    expect(await found('kookaburra')).toEqual([]);
    const before = asked(domain).length;
    await test.caller().post(`/domains/${domain}/former-site`).expect(303);
    for (let runs = 0; runs < 4; runs += 1) await run();
    expect(asked(domain)).toHaveLength(before);
    const { text } = await test.caller().get(`/domains/${domain}`).expect(200);
    expect(text).toContain('because we were asked to');
    expect((await act('restore')).body).toMatchObject({ changed: true });
    await test.caller().post(`/domains/${domain}/former-site`).expect(303);
    await readAll(domain);
    expect(await found('kookaburra')).toEqual([domain]);
  });

  it.each(['server_error', 'hang', 'excluded', 'html'] as const)(
    'ends, whatever the archive does: %s',
    async (how) => {
      const domain = await archived(`trouble-${how.replace('_', '-')}.com.au`);
      archive.behave(how, domain);
      await test.caller().post(`/domains/${domain}/former-site`).expect(303);
      await readAll(domain);
      expect((await test.app.get(FormerSiteRepository).find(domain))?.state).toBe('read');
      expect(asked(domain).length).toBeLessThanOrEqual(3);
      const { text } = await test.caller().get(`/domains/${domain}`).expect(200);
      // What did not answer may be asked again.
      expect(text).toContain(
        how === 'excluded' ? 'The archive has no page of it that could be read.' : 'Read the former site',
      );
      expect(text.includes('The web archive did not answer when we last asked it')).toBe(how !== 'excluded');
    },
  );

  it('404: a name that the archive has nothing of, and 400 from another site', async () => {
    const domain = await addDomain(test.database, { domain: 'no-site.com.au' });
    await test.caller().post(`/domains/${domain}/former-site`).expect(404);
    await test
      .caller()
      .post('/domains/casino.com.au/former-site')
      .set('Origin', 'https://evil.example')
      .expect(400);
  });
});
