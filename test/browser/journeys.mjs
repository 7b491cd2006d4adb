// The journeys that people come for, with their clicks and seconds: from a word to the registrar, two words, a misspelling, three
// names side by side, a watch. Keys pressed in the search box are no clicks. Clicks are held; seconds are printed, as they depend
// on the machine.
import assert from 'node:assert/strict';
import { startService } from './service.mjs';
import { countClicks, openBrowser, signUp } from './visits.mjs';

const SIZES = [
  { name: 'wide', viewport: { width: 1280, height: 900 } },
  { name: 'phone', viewport: { width: 390, height: 844 } },
];

const limits = { requestsPerMinute: 2_000, listPages: 2_000, recordsPerMinute: 2_000 };
const service = await startService({ TIERS: JSON.stringify({ demo: limits, member: limits }) });
const browser = await openBrowser();
try {
  for (const { name, ...look } of SIZES) {
    const context = await browser.newContext(look);
    // A registrar is another site: nobody asks it.
    await context.route(
      (url) => url.origin !== service.url,
      (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '<title>A registrar</title>' }),
    );
    const clicks = await countClicks(context);
    const page = await context.newPage();
    const walk = async (journey, maxClicks, work) => {
      await page.goto(`${service.url}/`);
      const [before, began] = [clicks(), performance.now()];
      await work(page);
      const seconds = (performance.now() - began) / 1_000;
      const made = clicks() - before;
      console.log(`ok   ${name}: ${journey} in ${made} clicks and ${seconds.toFixed(1)} s`);
      assert.ok(made <= maxClicks, `${journey}: ${made} clicks`);
    };
    await walk('from a word to the registrar, checked on the way', 3, wordToRegistrar);
    await walk('two words', 0, (page) => search(page, 'coffee shop'));
    await walk('a misspelling', 0, async (page) => {
      await search(page, 'cofee');
      await page.getByText('coffee (for cofee)').first().waitFor();
    });
    await walk('three names side by side', 6, compareThree);
    await signUp(page, service, `journey-${name}@example.com`);
    await walk('a watch', 3, async (page) => {
      await search(page, 'coffee');
      await page.locator('a.name').first().click();
      await page.getByRole('button', { name: 'Watch', exact: true }).click();
      await page.getByText('We’re now watching').waitFor();
    });
    await context.close();
  }
} finally {
  await browser.close();
  await service.stop();
}

/** Types the words, and has rows on the screen. */
async function search(page, words) {
  await page.getByRole('searchbox').fill(words);
  await page.keyboard.press('Enter');
  await page.waitForURL(/[?&]q=/);
  const { top } = await page
    .locator('a.name')
    .first()
    .evaluate((name) => name.getBoundingClientRect().toJSON());
  assert.ok(top < page.viewportSize().height, `the first name of "${words}" is at ${top} px`);
}

async function wordToRegistrar(page) {
  await search(page, 'coffee');
  await page.locator('a.name').first().click();
  await page.getByRole('button', { name: /^Check (now|again)$/ }).click();
  await page
    .locator('.hero time')
    .filter({ hasText: /just now|in a moment/ })
    .first()
    .waitFor();
  await page
    .getByRole('link', { name: /^Register at/ })
    .first()
    .click();
  await page.waitForURL((url) => url.origin !== service.url);
}

async function compareThree(page) {
  const stars = page.locator('.rows .star');
  for (const place of [0, 1, 2]) await stars.nth(place).click();
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await menu.click();
  await page.locator('#menu .kept').click();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.waitForURL(/\/compare[?]/);
  assert.equal(await page.locator('table.cmp thead th').count(), 4);
}
