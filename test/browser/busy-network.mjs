// A network that has had half of its list pages, in a real browser: the page that asks for proof of work opens by itself, without
// script after its wait and with script at once; and what it looks like. SCREENSHOTS=FOLDER keeps pictures.
import assert from 'node:assert/strict';
import { startService } from './service.mjs';
import { inLook, LOOKS, openBrowser, visit } from './visits.mjs';

const LIST_PAGES = 6;
const LIMIT_MS = 90_000;
const ASKING = 'One moment';

const demo = { requestsPerMinute: 10_000, listPages: LIST_PAGES };
const service = await startService({ TRUST_PROXY: '1', TIERS: JSON.stringify({ demo }) });
const browser = await openBrowser();
const findings = [];
try {
  for (const place of [1, 2])
    for (let page = 0; page < LIST_PAGES; page += 1)
      assert.equal((await fetch(`${service.url}/drops`, { headers: addressed(place) })).status, 200);
  const waited = await open(3, { javaScriptEnabled: false });
  assert.ok(waited >= 4_000, 'without script it waits');
  console.log(`ok   without script the page opens after ${waited} ms`);
  console.log(`ok   with script it opens after ${await open(4, {})} ms`);
  for (const [place, look] of LOOKS.entries()) {
    const context = await inLook(browser, { ...look, extraHTTPHeaders: addressed(10 + place) });
    await standStill(context);
    await visit(context, `${service.url}/drops`, `work-${look.width}-${look.colorScheme}`, findings);
    await context.close();
  }
  assert.deepEqual(findings, []);
  console.log(`ok   the page that asks in ${LOOKS.length} looks: axe 0, nothing sideways, no other host`);
} finally {
  await browser.close();
  await service.stop();
}

/** A visitor of the /56 who counts alone. */
function addressed(place) {
  return { 'X-Forwarded-For': `2001:db8:5:${place}::1` };
}

/** @returns milliseconds until the page is there */
async function open(place, look) {
  const context = await browser.newContext({ ...look, extraHTTPHeaders: addressed(place) });
  const page = await context.newPage();
  page.on('pageerror', (error) => findings.push(String(error)));
  const startedAt = Date.now();
  const answer = await page.goto(`${service.url}/drops`);
  assert.equal(answer.status(), 429);
  await page
    .getByRole('heading', { name: ASKING, level: 1 })
    .waitFor({ state: 'detached', timeout: LIMIT_MS });
  await page.getByRole('navigation', { name: 'Days' }).waitFor({ timeout: LIMIT_MS });
  const ms = Date.now() - startedAt;
  await context.close();
  return ms;
}

/** The page neither solves its task nor loads again while it is looked at. */
async function standStill(context) {
  await context.route('**/assets/work.js*', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: '' }),
  );
  await context.route('**/drops', async (route) => {
    const response = await route.fetch();
    const { refresh, ...headers } = response.headers();
    assert.ok(Number(refresh) > 0, 'the page asks');
    await route.fulfill({ response, headers });
  });
}
