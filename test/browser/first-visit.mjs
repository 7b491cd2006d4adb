// A visitor without an account and with the limits as they are: types searches at the speed of ordinary typing, looks at names and
// drops between them, and no page is refused. What the search form says of a mistake, where only a browser shows it.
import assert from 'node:assert/strict';
import { startService } from './service.mjs';
import { openBrowser } from './visits.mjs';

const KEY_MS = 180;
const SEARCHES = [
  'coffee shop melbourne',
  'kids party hire',
  'wedding photographer',
  'garden cafe',
  'plumbing sydney',
];

const service = await startService();
const browser = await openBrowser();
try {
  await visitAsUsual(await browser.newPage());
  await goOnAfterRefusals(await browser.newPage());
  await openTheSheet(await browser.newPage());
} finally {
  await browser.close();
  await service.stop();
}

/** Searches, names and drops; each search asks for few pages while it is typed. */
async function visitAsUsual(page) {
  const asked = [];
  const refused = [];
  page.on('request', (request) => request.resourceType() === 'fetch' && asked.push(request.url()));
  page.on(
    'response',
    (answer) => answer.status() >= 400 && refused.push(`${answer.status()} ${answer.url()}`),
  );
  for (const words of SEARCHES) {
    await page.goto(`${service.url}/?q=cafe`);
    const before = asked.length;
    const box = page.getByRole('searchbox');
    await box.fill('');
    await box.pressSequentially(words, { delay: KEY_MS });
    await page.waitForURL((url) => url.searchParams.get('q') === words);
    assert.ok(asked.length - before <= 3, `“${words}” asked for ${asked.slice(before)}`);
    assert.equal(new URL(page.url()).search, `?${new URLSearchParams({ q: words })}`, 'without defaults');
    assert.match(await page.locator('h1').textContent(), new RegExp(words));
    await page.goto(`${service.url}/domains/slowcoffee.au`);
    await page.goto(`${service.url}/drops`);
  }
  assert.deepEqual(refused, []);
  console.log(
    `ok   ${SEARCHES.length} searches, names, drops: ${asked.length} pages while typing, none refused`,
  );
}

/** What a wrong field or a limit refuses is no end of results while typing. */
async function goOnAfterRefusals(page) {
  const refusals = [
    { status: 400, body: '' },
    { status: 429, headers: { 'Retry-After': '0' }, body: '' },
  ];
  await page.goto(`${service.url}/?q=cafe`);
  await page.route('**/?q=*', (route) => {
    const refusal = refusals.shift();
    return refusal ? route.fulfill(refusal) : route.continue();
  });
  const box = page.getByRole('searchbox');
  for (const words of ['co', 'coff', 'coffee']) {
    const answered = page.waitForResponse((answer) => answer.url().endsWith(`q=${words}`));
    await box.fill(words);
    await answered;
  }
  await page.waitForURL(/[?]q=coffee$/);
  console.log('ok   results while typing go on after a wrong field and after a limit');
}

/** Enter says what is wrong in the closed sheet. */
async function openTheSheet(page) {
  await page.goto(`${service.url}/?q=cafe`);
  await page.getByRole('button', { name: /^More/ }).click();
  const field = page.getByLabel('Fewest characters');
  await field.fill('1');
  await page.keyboard.press('Escape');
  assert.ok(!(await field.isVisible()));
  await page.getByRole('searchbox').focus();
  await page.keyboard.press('Enter');
  await field.waitFor({ timeout: 2_000 });
  assert.ok(await field.evaluate((one) => one === document.activeElement));
  console.log('ok   a wrong field in the closed sheet opens it');
}
