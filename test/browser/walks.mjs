// What people come for, walked through in a real browser: find a name, be told that it was taken in between, find another and be
// handed over; check a pasted list. With the script and without, by keyboard alone, at four widths, light and dark, at 200 %.
import assert from 'node:assert/strict';
import { startService } from './service.mjs';
import { openBrowser } from './visits.mjs';

const WALKS = [
  { name: 'wide', width: 1280, height: 900 },
  { name: 'wide, without script', width: 1280, height: 900, javaScriptEnabled: false },
  { name: 'wide, by keyboard', width: 1280, height: 900, byKeyboard: true },
  { name: 'phone, dark', width: 390, height: 844, colorScheme: 'dark' },
  {
    name: 'phone, by keyboard, without script',
    width: 390,
    height: 844,
    byKeyboard: true,
    javaScriptEnabled: false,
  },
  { name: 'small phone, without script', width: 320, height: 640, javaScriptEnabled: false },
  { name: '200 %', width: 640, height: 450, deviceScaleFactor: 2 },
];
/** Each walk has a name of its own that is on offer here and registered at the registry: to ask takes it from offer. */
const TAKEN = ['com.au', 'net.au', 'org.au', 'id.au', 'asn.au', 'au'].map(
  (tld) => `sandbox-registered.${tld}`,
);
const TABS = 120;

const service = await startService({
  TIERS: JSON.stringify({ demo: { requestsPerMinute: 2_000, listPages: 2_000, recordsPerMinute: 2_000 } }),
});
const browser = await openBrowser();
try {
  for (const [place, walk] of WALKS.entries()) {
    const taken = TAKEN[place % TAKEN.length];
    await service.offer([taken]);
    const { name, width, height, byKeyboard = false, ...look } = walk;
    const context = await browser.newContext({ viewport: { width, height }, ...look });
    const visitor = await visitorOf(context, byKeyboard);
    await findAndBeHandedOver(visitor, taken);
    await checkAList(visitor);
    if (look.javaScriptEnabled !== false) {
      await readOn(visitor);
      await findWhileTyping(visitor);
      await keepAndCompare(visitor);
      await checkByKey(visitor);
      await chooseLooks(visitor, look.colorScheme ?? 'light');
    }
    assert.deepEqual(visitor.findings, [], name);
    await context.close();
    console.log(`ok   ${name}`);
  }
} finally {
  await browser.close();
  await service.stop();
}

/** Somebody with a browser: presses what has these words, by mouse or by keyboard. */
async function visitorOf(context, byKeyboard) {
  const page = await context.newPage();
  const findings = [];
  const handedTo = [];
  page.on('pageerror', (error) => findings.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && findings.push(message.text()));
  // The registrar is another site: where somebody is sent is noted, and nobody is asked.
  await context.route(
    (url) => url.origin !== service.url,
    (route) => {
      handedTo.push(route.request().url());
      return route.fulfill({ status: 200, contentType: 'text/html', body: '<title>A registrar</title>' });
    },
  );
  const press = async (target) => {
    if (!byKeyboard) return target.click();
    for (let tab = 0; tab < TABS; tab += 1) {
      await page.keyboard.press('Tab');
      const isThere = await target.evaluate((element) => element === document.activeElement);
      if (!isThere) continue;
      const seen = await target.evaluate((element) => {
        const { top, bottom, left, right } = element.getBoundingClientRect();
        return bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
      });
      assert.ok(seen, 'what has the focus is on the screen');
      return page.keyboard.press('Enter');
    }
    throw new Error(`the keyboard does not reach ${target}`);
  };
  const fill = async (target, text) => {
    if (!byKeyboard) return target.fill(text);
    for (let tab = 0; tab < TABS; tab += 1) {
      await page.keyboard.press('Tab');
      if (await target.evaluate((element) => element === document.activeElement)) {
        await page.keyboard.press('Control+A');
        return page.keyboard.insertText(text);
      }
    }
    throw new Error(`the keyboard does not reach ${target}`);
  };
  const noSideways = async () => {
    // Before its style sheet has come a page has no layout that anybody would see.
    await page.waitForLoadState('load');
    const { scrollWidth, clientWidth } = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return { scrollWidth, clientWidth };
    });
    assert.ok(
      scrollWidth <= clientWidth,
      `${page.url()} is ${scrollWidth} wide, where ${clientWidth} are shown`,
    );
  };
  return { page, findings, handedTo, press, fill, noSideways };
}

async function findAndBeHandedOver({ page, press, fill, noSideways, handedTo }, taken) {
  const chip = page.locator('.hero .chip').first();
  const search = async (words) => {
    await page.goto(`${service.url}/`);
    await fill(page.getByRole('searchbox'), words);
    await page.keyboard.press('Enter');
    await page.waitForURL(/[?&]q=/);
    await noSideways();
  };
  await search(taken);
  await press(page.locator(`a.name[href="/domains/${taken}"]`));
  await page.waitForURL(/\/domains\//);
  assert.equal(await chip.textContent(), 'Available');
  await noSideways();
  await press(page.getByRole('button', { name: /^Check (now|again)$/ }));
  await page.locator('.hero .lead-col .chip', { hasText: 'Registered' }).first().waitFor();
  assert.equal(
    await page.getByRole('link', { name: /^Register at/ }).count(),
    0,
    'nobody is sent to buy a taken name',
  );

  await search('coffee');
  const first = page.locator('a.name').first();
  const other = (await first.getAttribute('href')).slice('/domains/'.length);
  await press(first);
  await page.waitForURL(/\/domains\//);
  await press(page.getByRole('button', { name: /^Check (now|again)$/ }));
  const registrar = page.getByRole('link', { name: /^Register at/ });
  await registrar.waitFor();
  await noSideways();
  await press(registrar);
  await page.waitForURL((url) => url.origin !== service.url);
  assert.ok(handedTo.at(-1)?.endsWith(other), `handed over with ${other}`);
}

async function checkAList({ page, press, fill, noSideways }) {
  const names = ['sandbox-reserved.com.au', 'nonsense', 'slowcoffee.au', 'sandbox-available.net.au'];
  await page.goto(`${service.url}/check`);
  await fill(page.getByLabel(/^Names/), names.join('\n'));
  await press(page.getByRole('button', { name: 'Check names' }));
  await page.waitForURL(/\/check\/./);
  for (let looks = 0; looks < 20 && (await page.getByText('Show new answers').count()) > 0; looks += 1)
    await page.goto(`${page.url().split('?')[0]}?more`);
  await noSideways();
  const shown = await page.locator('.rows .name').allTextContents();
  assert.deepEqual(
    shown.map((name) => name.trim()),
    names.filter((name) => name.endsWith('.au')),
  );
  const csv = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
  const { status, text } = await page.request
    .get(service.url + csv)
    .then(async (answer) => ({ status: answer.status(), text: await answer.text() }));
  assert.equal(status, 200);
  assert.equal(text.trim().split('\r\n').length, names.length + 1);
}

/** The script's own: more rows below these. */
async function readOn({ page, press, noSideways }) {
  await page.goto(`${service.url}/`);
  const rows = page.locator('.rows > .row:not(.head)');
  const before = await rows.count();
  await press(page.getByRole('link', { name: 'Show more' }));
  await rows.nth(before).waitFor();
  assert.equal(await rows.count(), 2 * before);
  await noSideways();
}

/** Rows come while somebody types, and no more requests than promised. */
async function findWhileTyping({ page, noSideways }) {
  await page.goto(`${service.url}/`);
  const asked = [];
  page.on('request', (request) => request.url().includes('?q=') && asked.push(Date.now()));
  await page.getByRole('searchbox').focus();
  await page.keyboard.type('slowcoffeeslowcoffee', { delay: 20 });
  for (let letter = 0; letter < 10; letter += 1) await page.keyboard.press('Backspace');
  await page.locator('a.name[href="/domains/slowcoffee.au"]').waitFor();
  await page.waitForURL(/[?&]q=slowcoffee(&|$)/);
  for (const [place, at] of asked.entries())
    assert.ok(asked.slice(place).filter((other) => other - at < 1_900).length <= 4, 'at most 4 in 2 s');
  assert.ok(await page.getByRole('searchbox').evaluate((box) => box === document.activeElement));
  await noSideways();
}

/** Three names on the shortlist of this device, side by side, and one taken off again by its key. */
async function keepAndCompare({ page, press, noSideways }) {
  await page.goto(`${service.url}/`);
  const stars = page.locator('.rows .star');
  for (const place of [0, 1, 2]) await press(stars.nth(place));
  for (const place of [0, 1, 2]) assert.equal(await stars.nth(place).getAttribute('aria-pressed'), 'true');
  const kept = page.locator('#menu .kept');
  assert.equal(await kept.textContent(), 'Shortlist (3)');
  // A reload forgets nothing, and the page finds the names of the device.
  await page.goto(`${service.url}/shortlist`);
  await page.waitForURL(/[?]names=/);
  await page.locator('.rows .row:not(.head)').nth(2).waitFor();
  await noSideways();
  await press(page.getByRole('button', { name: 'Compare' }));
  await page.waitForURL(/\/compare[?]/);
  assert.equal(await page.locator('table.cmp thead th').count(), 4);
  await noSideways();
  await page.goto(`${service.url}/`);
  await page.locator('.rows a.name').first().focus();
  await page.keyboard.press('s');
  assert.equal(await stars.first().getAttribute('aria-pressed'), 'false');
  assert.equal(await kept.textContent(), 'Shortlist (2)');
  await page.evaluate(() => localStorage.clear());
}

/** A name of a list is checked where it has the focus. */
async function checkByKey({ page }) {
  await page.goto(`${service.url}/?q=coffee`);
  await page.keyboard.press('j');
  const name = await page.locator('a.name:focus').getAttribute('href');
  await page.keyboard.press('c');
  await page.waitForURL((url) => url.pathname === name);
  await page
    .locator('.hero .lead-col time')
    .filter({ hasText: /just now|in a moment/ })
    .first()
    .waitFor();
}

/** A theme other than the system's, and lower rows in the table: kept by this device, on every page. */
async function chooseLooks({ page, press, noSideways }, system) {
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  const other = system === 'dark' ? 'light' : 'dark';
  const choose = (name) => press(page.getByRole('button', { name, exact: true }));
  await page.goto(`${service.url}/status`);
  assert.equal(await scheme(), 'light dark');
  await choose(other === 'dark' ? 'Dark' : 'Light');
  assert.equal(await scheme(), other);
  await page.goto(`${service.url}/`);
  assert.equal(await scheme(), other);
  if (await page.getByRole('button', { name: 'Compact' }).isVisible()) {
    const row = page.locator('.rows .row:not(.head)').first();
    const height = () => row.evaluate((one) => one.offsetHeight);
    const roomy = await height();
    await choose('Compact');
    assert.ok((await height()) < 0.8 * roomy, 'compact rows are lower');
    await page.reload();
    assert.ok((await height()) < 0.8 * roomy, 'and stay so');
    await noSideways();
  }
  await page.goto(`${service.url}/status`);
  await choose('Auto');
  assert.equal(await scheme(), 'light dark');
  await page.evaluate(() => localStorage.clear());
}
