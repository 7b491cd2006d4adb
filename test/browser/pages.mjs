// Every page for people in a real browser, wide and narrow, light and dark: axe, sideways scrolling, requests to other hosts, the
// console, and what a page weighs with its styles. SCREENSHOTS=FOLDER keeps a picture of each; SITE=ADDRESS looks at a service
// that runs already; PICTURES=1 draws the pictures of the README anew (best of a demo that has run for an hour: SITE=ADDRESS ONLY=none).
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MADE_UP_LANGUAGE, startService } from './service.mjs';
import { inLook, LOOKS, openBrowser, signUp, visit, weigh, WIDTHS } from './visits.mjs';

/** By the name of the picture. */
const PAGES = {
  home: '/',
  search: '/?q=coffee',
  filtered: '/?tld=com.au&max_length=8&hyphens=exclude',
  nothing: '/?q=zzzzzzzz&min_wayback=9',
  problem: '/?q=%3F',
  drops: '/drops',
  dropped: '/drops?list=dropped',
  name: '/domains/slowcoffee.au',
  unknown: '/domains/sandbox-available.com.au',
  reserved: '/domains/www.au',
  invalid: '/domains/www.slowcoffee.au',
  check: '/check',
  docs: '/docs',
  'docs-samples': '/docs/samples',
  'docs-api': '/docs/api',
  'docs-limits': '/docs/limits',
  'docs-errors': '/docs/errors',
  'docs-webhooks': '/docs/webhooks',
  'docs-mcp': '/docs/mcp',
  'docs-changelog': '/docs/changelog',
  about: '/about',
  terms: '/terms',
  privacy: '/privacy',
  pricing: '/pricing',
  status: '/status',
  'no-page': '/no-such-page',
  'api-error': '/api/v1/search?per_page=x',
  help: '/help',
  'long-name': '/domains/northern-reef-garden-and-landscape-supplies-of-far-north-qld.com.au',
  long: '/?q=wideman',
  'sign-up': '/sign-up',
  'sign-in': '/sign-in',
  compare:
    '/compare?names=slowcoffee.au,wideman-wideman-wideman1.com.au,northern-reef-garden-and-landscape-supplies.com.au',
  'compare-none': '/compare',
  shortlist: '/shortlist?names=slowcoffee.au,sandbox-available.com.au,www.au',
  'shortlist-none': '/shortlist',
};
/** The widest that may not break, one that breaks between its words, and one without words. */
const LONG_NAMES = [
  'wideman-wideman-wideman1.com.au',
  'northern-reef-garden-wideman-and-landscape-supplies.com.au',
  'widemannorthernreefgardenandlandscapesuppliesoffarnorthqld.com.au',
];
/** Of pages in the made-up language, whose words are longer. */
const SOME_WIDTHS = [320, 390, 660, 768, 900, 1024, 1440];

/** The same for who has an account. */
const ACCOUNT_PAGES = {
  home: '/',
  shortlist: '/shortlist',
  keys: '/profile/api-keys',
  profile: '/profile',
  watch: '/watch',
  'watch-chosen': '/watch?name=slowcoffee.au',
  'watch-search': '/watch?question=q%3Dcoffee%26max_length%3D9',
  usage: '/profile/usage',
  webhooks: '/profile/webhooks',
  sessions: '/profile/sessions',
  activity: '/profile/activity',
  security: '/profile/security',
  'second-factor': '/profile/second-factor',
  apps: '/profile/apps',
};
/** Drawn by Swagger UI, which weighs what it weighs. */
const REFERENCES = { reference: '/v1/docs', 'reference-planned': '/api/v1/docs' };

/** What the README shows: the pictures of docs/pictures/, with the look of each. */
const PICTURES = {
  // The newest are those that dropped meanwhile: the archive of the demo knows their years.
  search: { path: '/?sort=first_seen', colorScheme: 'light' },
  drops: { path: '/drops?list=dropped', colorScheme: 'light' },
  name: { path: '/drops?list=dropped', colorScheme: 'dark' },
  status: { path: '/status', colorScheme: 'light' },
};
const PICTURE_FOLDER = resolve(fileURLToPath(import.meta.url), '../../../docs/pictures');
const MAX_PICTURE_BYTES = 150_000;

const SETTINGS = { TIERS: JSON.stringify({ demo: { requestsPerMinute: 1_000, listPages: 1_000 } }) };
const service = process.env.SITE
  ? { url: process.env.SITE, stop: async () => undefined }
  : await startService(SETTINGS);
const only = process.env.ONLY?.split(',');
const browser = await openBrowser();
const findings = [];
try {
  const session = service.mailedLink ? await signIn(service) : null;
  await service.offer?.(LONG_NAMES);
  await measureWidths(service, WIDTHS, PAGES);
  if (session) await measureWidths(service, WIDTHS, ACCOUNT_PAGES, session);
  if (session) await measureOtherLanguage();
  for (const one of LOOKS) {
    const context = await inLook(browser, one);
    const look = `${one.width}-${one.colorScheme}`;
    for (const [name, path] of Object.entries({ ...PAGES, ...REFERENCES })) {
      if (only && !only.includes(name)) continue;
      const isReference = Object.values(REFERENCES).includes(path);
      const ready = (page) => isReference && page.locator('.opblock-tag').first().waitFor();
      await visit(context, service.url + path, `${name}-${look}`, findings, ready);
    }
    if (session) {
      await context.addCookies(session);
      for (const [name, path] of Object.entries(ACCOUNT_PAGES))
        await visit(context, service.url + path, `account-${name}-${look}`, findings);
    }
    await context.close();
  }
  for (const [name, path] of Object.entries(PAGES)) {
    const bytes = await weigh(service.url, name, path, findings);
    console.log(`     ${name.padEnd(12)} ${bytes} bytes gzipped with its styles`);
  }
  await drawPictures();
  assert.deepEqual(findings, []);
  console.log(`ok   ${Object.keys(PAGES).length} pages in ${LOOKS.length} looks`);
} finally {
  await browser.close();
  await service.stop();
}

/** The same pages with longer words and other plurals. */
async function measureOtherLanguage() {
  const other = await startService(SETTINGS, '127.0.0.1', MADE_UP_LANGUAGE);
  try {
    const session = await signIn(other);
    await measureWidths(other, SOME_WIDTHS, PAGES);
    await measureWidths(other, SOME_WIDTHS, ACCOUNT_PAGES, session);
  } finally {
    await other.stop();
  }
}

/** At every width: nothing scrolls sideways, and no name breaks within a word; with reduced motion nothing moves. */
async function measureWidths({ url }, widths, pages, cookies = []) {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  await context.addCookies(cookies);
  const page = await context.newPage();
  for (const [name, path] of Object.entries(pages)) {
    if (only && !only.includes(name)) continue;
    await page.goto(url + path);
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll('*')]
        .filter((one) => {
          const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(one);
          return animationName !== 'none' || /[1-9]/.test(transitionDuration) || scrollBehavior === 'smooth';
        })
        .map(({ localName }) => localName),
    );
    if (moving.length > 0) findings.push(`${name} with reduced motion: ${moving.join(', ')} moving`);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      const { sideways, broken } = await page.evaluate(() => ({
        sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        broken: [...document.querySelectorAll('.name:not(.long) b, .lbl:not(.x)')]
          .filter(
            (label) =>
              label.checkVisibility() && new Set([...label.getClientRects()].map(({ top }) => top)).size > 1,
          )
          .map((label) => label.textContent),
      }));
      if (sideways > 0) findings.push(`${name} at ${width}: ${sideways} px sideways`);
      if (broken.length > 0) findings.push(`${name} at ${width}: ${broken.join(', ')} broken`);
    }
  }
  await context.close();
}

/** Those of the README, where they are asked for; and that they stay small. */
async function drawPictures() {
  if (process.env.PICTURES)
    for (const [name, { path, colorScheme }] of Object.entries(PICTURES)) {
      const page = await browser.newPage({
        viewport: { width: 1160, height: 800 },
        deviceScaleFactor: 0.7,
        colorScheme,
      });
      await page.goto(service.url + path);
      if (name === 'name') await followToChart(page);
      const file = join(PICTURE_FOLDER, `${name}.jpg`);
      await page.screenshot({ path: file, type: 'jpeg', quality: 48 });
      await page.close();
    }
  const sizes = await Promise.all(
    Object.keys(PICTURES).map((name) => stat(join(PICTURE_FOLDER, `${name}.jpg`)).then(({ size }) => size)),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`     pictures     ${bytes} bytes`);
  if (bytes > MAX_PICTURE_BYTES) findings.push(`pictures: ${bytes} bytes`);
}

/** From the list of a day to the first name whose years in the archive are known; else the list stays. */
async function followToChart(page) {
  const row = page.locator('.row', { has: page.locator('.spark') });
  if ((await row.count()) > 0) await row.first().locator('.name').click();
}

/** @returns the cookies of a new account that has a key */
async function signIn(service) {
  const { url } = service;
  const context = await browser.newContext();
  const page = await context.newPage();
  await signUp(page, service, 'somebody@example.com');
  await page.goto(`${url}/profile/api-keys`);
  await page.locator('#name').fill('A key with a name that is rather long for a phone');
  await page.keyboard.press('Enter');
  await page.locator('p.key').waitFor();
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}
