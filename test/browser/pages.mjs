// Every page for people in a real browser, wide and narrow, light and dark: axe, sideways scrolling, requests to other hosts, the
// console, and what a page weighs with its styles. SCREENSHOTS=FOLDER keeps a picture of each; SITE=ADDRESS looks at a service
// that runs already; PICTURES=1 draws the pictures of the README anew (best of a demo that has run for an hour: SITE=ADDRESS ONLY=none).
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';
import { startService } from './service.mjs';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const MAX_GZIPPED_BYTES = 20_000;
const LOOKS = [
  { width: 1280, height: 900, colorScheme: 'light' },
  { width: 1280, height: 900, colorScheme: 'dark' },
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 320, height: 640, colorScheme: 'light' },
  // 1280 at 200 %.
  { width: 640, height: 450, deviceScaleFactor: 2, colorScheme: 'light' },
];
/** By the name of the picture. */
const PAGES = {
  home: '/',
  search: '/?q=coffee',
  filtered: '/?tld=com.au&max_length=8&hyphens=exclude',
  nothing: '/?q=zzzzzzzz&min_wayback=9',
  problem: '/?q=what%3F',
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
  'sign-up': '/sign-up',
  'sign-in': '/sign-in',
};

/** The same for who has an account. */
const ACCOUNT_PAGES = {
  home: '/',
  keys: '/profile/api-keys',
  profile: '/profile',
  watch: '/watch',
  'watch-chosen': '/watch?name=slowcoffee.au',
  'watch-search': '/watch?question=q%3Dcoffee%26max_length%3D9',
};
/** Drawn by Swagger UI, which weighs what it weighs. */
const REFERENCES = { reference: '/v1/docs', 'reference-planned': '/api/v1/docs' };

/** What the README shows: the pictures of docs/pictures/, with the look of each. */
const PICTURES = {
  search: { path: '/?q=coffee', colorScheme: 'light' },
  drops: { path: '/drops?list=dropped', colorScheme: 'light' },
  name: { path: '/domains/slowcoffee.au', colorScheme: 'dark' },
  status: { path: '/status', colorScheme: 'light' },
};
const PICTURE_FOLDER = resolve(fileURLToPath(import.meta.url), '../../../docs/pictures');
const MAX_PICTURE_BYTES = 150_000;
const PASSWORD = 'correct horse battery';

const service = process.env.SITE
  ? { url: process.env.SITE, stop: async () => undefined }
  : await startService({ TIERS: JSON.stringify({ demo: { requestsPerMinute: 1_000, listPages: 1_000 } }) });
const only = process.env.ONLY?.split(',');
const browser = await playwright.launch({
  executablePath: await chromium.executablePath(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  headless: true,
});
const findings = [];
try {
  const session = service.mailedLink ? await signIn() : null;
  for (const { width, height, colorScheme, ...rest } of LOOKS) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, ...rest });
    for (const [name, path] of Object.entries({ ...PAGES, ...REFERENCES })) {
      if (only && !only.includes(name)) continue;
      await look(context, `${name}-${width}-${colorScheme}`, path);
    }
    if (session) {
      await context.addCookies(session);
      for (const [name, path] of Object.entries(ACCOUNT_PAGES))
        await look(context, `account-${name}-${width}-${colorScheme}`, path);
    }
    await context.close();
  }
  for (const [name, path] of Object.entries(PAGES)) await weigh(name, path);
  await drawPictures();
  assert.deepEqual(findings, []);
  console.log(`ok   ${Object.keys(PAGES).length} pages in ${LOOKS.length} looks`);
} finally {
  await browser.close();
  await service.stop();
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
      const file = join(PICTURE_FOLDER, `${name}.jpg`);
      await page.screenshot({ path: file, type: 'jpeg', quality: 52 });
      await page.close();
    }
  const sizes = await Promise.all(
    Object.keys(PICTURES).map((name) => stat(join(PICTURE_FOLDER, `${name}.jpg`)).then(({ size }) => size)),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`     pictures     ${bytes} bytes`);
  if (bytes > MAX_PICTURE_BYTES) findings.push(`pictures: ${bytes} bytes`);
}

/** @returns the cookies of a new account that has a key */
async function signIn() {
  const context = await browser.newContext();
  const page = await context.newPage();
  const email = 'somebody@example.com';
  const fill = async (button) => {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: button }).click();
  };
  await page.goto(`${service.url}/sign-up`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.goto(await service.mailedLink(email));
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Make my account' }).click();
  await fill('Sign in');
  await page.getByLabel('Name').fill('A key with a name that is rather long for a phone');
  await page.getByRole('button', { name: 'Make the key' }).click();
  await page.getByRole('link', { name: 'I have copied it' }).click();
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

async function look(context, name, path) {
  const page = await context.newPage();
  page.on('pageerror', (error) => findings.push(`${name}: ${error}`));
  // A page that says what is wrong has a status that the browser notes as well.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4/.test(message.text()))
      findings.push(`${name}: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== service.url) findings.push(`${name} asks ${request.url()}`);
  });
  await page.goto(service.url + path);
  if (Object.values(REFERENCES).includes(path)) await page.locator('.opblock-tag').first().waitFor();
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  if (sideways > 0) findings.push(`${name}: ${sideways} px sideways`);
  // The policy of the pages lets no script in; this one comes by the protocol of the tools.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate('axe.run()');
  for (const { id, nodes } of violations)
    findings.push(`${name}: ${id} (${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')})`);
  if (process.env.SCREENSHOTS)
    await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), fullPage: true });
  await page.close();
}

async function weigh(name, path) {
  const read = async (address) => {
    const answer = await fetch(service.url + address, { headers: { Accept: 'text/html' } });
    return answer.text();
  };
  const html = await read(path);
  const assets = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js)[^"]*)"/g)].map(
    ([, asset]) => asset,
  );
  const parts = [html, ...(await Promise.all(assets.map(read)))];
  const bytes = parts.reduce((sum, part) => sum + gzipSync(part).length, 0);
  console.log(`     ${name.padEnd(12)} ${bytes} bytes gzipped with its styles`);
  if (bytes > MAX_GZIPPED_BYTES) findings.push(`${name}: ${bytes} bytes`);
}
