// What all walks have in common: the browser, the looks, and how a page is looked at and weighed.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const MAX_GZIPPED_BYTES = 20_000;
/** As they are seen, whatever the chart was scaled to. */
const MIN_LETTER_PX = 11;

/** 1280 at 200 %. */
export const ZOOMED = { width: 640, height: 450, deviceScaleFactor: 2, colorScheme: 'light' };

export const LOOKS = [
  { width: 1280, height: 900, colorScheme: 'light' },
  { width: 1280, height: 900, colorScheme: 'dark' },
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 320, height: 640, colorScheme: 'light' },
  { width: 320, height: 640, colorScheme: 'dark' },
  ZOOMED,
];

/** Not with the package's own arguments: those switch off what is tested here, such as the same-origin policy. Root has no sandbox. */
export async function openBrowser() {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
    headless: true,
  });
}

/** Where nothing may scroll sideways. */
export const WIDTHS = Array.from({ length: 57 }, (_, place) => 320 + 20 * place);

/** Looks at the page in every width. */
export async function measureWidths(page, title, findings) {
  const before = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: before.height });
    const sideways = await page.locator('html').evaluate((one) => one.scrollWidth - one.clientWidth);
    if (sideways > 0) findings.push(`${title} at ${width}: ${sideways} px sideways`);
  }
  await page.setViewportSize(before);
}

/** A context with such a window. */
export function inLook(browser, { width, height, ...rest }) {
  return browser.newContext({ viewport: { width, height }, ...rest });
}

/**
 * Opens a page and looks at it: what it says on the console, what it asks of other hosts, and {@link lookAt}.
 *
 * @param ready waits for what a script draws
 */
export async function visit(context, address, title, findings, ready = async () => undefined) {
  const page = await context.newPage();
  page.on('pageerror', (error) => findings.push(`${title}: ${error}`));
  // A page that says what is wrong has a status that the browser notes as well.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4/.test(message.text()))
      findings.push(`${title}: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(address).origin)
      findings.push(`${title} asks ${request.url()}`);
  });
  await page.goto(address);
  await ready(page);
  await lookAt(page, title, findings);
  await page.close();
}

/** The page as it stands: axe, whatever the severity, sideways scrolling, the letters of charts. SCREENSHOTS=FOLDER keeps a picture. */
export async function lookAt(page, title, findings) {
  const { sideways, letters } = await page.evaluate(() => ({
    sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    letters: [...document.querySelectorAll('svg text')]
      .filter((text) => text.getClientRects().length > 0)
      .map((text) => Number.parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a),
  }));
  if (sideways > 0) findings.push(`${title}: ${sideways} px sideways`);
  const smallest = Math.min(...letters);
  if (smallest < MIN_LETTER_PX) findings.push(`${title}: a chart has letters of ${smallest.toFixed(1)} px`);
  // The policy of the pages lets no script in; this one comes by the protocol of the tools.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate('axe.run()');
  for (const { id, nodes } of violations)
    findings.push(`${title}: ${id} (${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')})`);
  if (process.env.SCREENSHOTS)
    await page.screenshot({
      path: join(process.env.SCREENSHOTS, `${title.replace(/[^\w-]+/g, '-')}.png`),
      fullPage: true,
    });
}

/** @returns what the page weighs with its styles and its script, gzipped */
export async function weigh(origin, name, path, findings, cookies = []) {
  const headers = {
    Accept: 'text/html',
    Cookie: cookies.map((one) => `${one.name}=${one.value}`).join('; '),
  };
  const read = async (address) => (await fetch(origin + address, { headers })).text();
  const html = await read(path);
  const assets = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js)[^"]*)"/g)].map(
    ([, asset]) => asset,
  );
  const parts = [html, ...(await Promise.all(assets.map(read)))];
  const bytes = parts.reduce((sum, part) => sum + gzipSync(part).length, 0);
  if (bytes > MAX_GZIPPED_BYTES) findings.push(`${name}: ${bytes} bytes`);
  return bytes;
}

/** @returns how often somebody clicked in the pages of the context: a form sent by a key is no click */
export async function countClicks(context) {
  let clicks = 0;
  await context.exposeBinding('noteClick', () => (clicks += 1));
  // Below the window: there the driver of the browser stops a click whose target has just moved, and clicks again.
  await context.addInitScript(() =>
    document.addEventListener(
      'click',
      ({ isTrusted, detail }) => isTrusted && detail > 0 && window.noteClick(),
      true,
    ),
  );
  return () => clicks;
}

/** A new account, with its password. */
export async function signUp(page, { url, mailedLink }, email, password = 'correct horse battery') {
  await page.goto(`${url}/sign-up`);
  await page.locator('[name=email]').fill(email);
  await page.keyboard.press('Enter');
  await page.goto(await mailedLink(email));
  await page.locator('[name=password]').fill(password);
  await Promise.all([page.waitForEvent('framenavigated'), page.keyboard.press('Enter')]);
}
