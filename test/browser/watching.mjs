// What accounts watch and what their programs are told, in a real browser: watch a name from its page, sign up on the way, and get
// its mail after a drop; end the mails by the link; make a webhook in the pages and see its delivery. With script, without, and by
// keyboard alone; then every page in each look: axe, sideways scrolling, requests to other hosts. SCREENSHOTS=FOLDER keeps pictures.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { startService } from './service.mjs';
import { inLook, LOOKS, openBrowser, visit, weigh, ZOOMED } from './visits.mjs';

const PASSWORD = 'correct horse battery';
/** More than there are on any page. */
const MAX_STOPS = 120;

const member = { requestsPerMinute: 10_000, listPages: 10_000, webhooks: true };
const demo = { requestsPerMinute: 10_000, listPages: 10_000 };
const service = await startService({
  WEBHOOKS: 'on',
  WEBHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  WEBHOOK_ALLOW_LOOPBACK: 'on',
  TIERS: JSON.stringify({ member, demo }),
});
const browser = await openBrowser();
const receiver = createServer((request, response) =>
  request.resume().on('end', () => response.end('thanks')),
);
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const receiverUrl = `http://127.0.0.1:${receiver.address().port}/hook`;
const findings = [];
try {
  const session = await watchAndBeTold();
  console.log('ok   a name is watched on the way through signing up, and told of by mail after its drop');
  await checkInSight(session);
  console.log('ok   rows in sight are checked while somebody wants it, and no more once that is refused');
  const webhook = await webhookAndItsLog(session);
  console.log(
    'ok   a webhook of what is watched is made in the pages at 200 %, and its delivery is on its page',
  );
  await withoutScriptByKeyboard();
  console.log('ok   the same without script, by keyboard alone');
  const pages = pagesWith(webhook);
  for (const look of LOOKS) {
    const context = await inLook(browser, look);
    await context.addCookies(session);
    for (const [name, path] of Object.entries(pages))
      await visit(context, service.url + path, `${name}-${look.width}-${look.colorScheme}`, findings);
    await context.close();
  }
  for (const [name, path] of Object.entries(pages)) await weigh(service.url, name, path, findings, session);
  assert.deepEqual(findings, []);
  console.log(
    `ok   ${Object.keys(pages).length} pages in ${LOOKS.length} looks: axe 0, nothing sideways, no other host`,
  );
} finally {
  await browser.close();
  receiver.close();
  await service.stop();
}

function pagesWith(webhook) {
  return {
    watch: '/watch',
    'watch-chosen': '/watch?name=somebody-else.com.au',
    'watch-question': '/watch?question=q%3Dcoffee%26max_length%3D9',
    profile: '/profile',
    usage: '/profile/usage',
    keys: '/profile/api-keys',
    webhooks: '/profile/webhooks',
    webhook,
    'webhook-nothing': `${webhook}?status=failed`,
    sessions: '/profile/sessions',
    'name-to-watch': '/domains/browser-drop.com.au',
    'search-to-watch': '/?q=browser',
  };
}

/** @returns the cookies of whoever signed up on the way */
async function watchAndBeTold() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await service.drop('browser-drop.com.au');
  await page.goto(`${service.url}/domains/browser-drop.com.au`);
  await page.getByRole('button', { name: 'Watch' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const email = newEmail();
  await signUp(page, email);
  // Behind the mail, what was to be watched is there again.
  await page.getByRole('heading', { name: 'Watch browser-drop.com.au?' }).waitFor();
  await page.getByRole('button', { name: 'Watch browser-drop.com.au' }).click();
  await page.getByText('We’re now watching').waitFor();
  await page.goto(`${service.url}/?q=browser`);
  await page.getByRole('button', { name: 'Watch this search' }).click();
  await page.getByRole('link', { name: 'with “browser”', exact: true }).waitFor();
  await service.drop('browser-news.com.au');
  const [, link] = await service.says(
    new RegExp(
      `To: ${email}\\. Subject: browser-news\\.com\\.au dropped[^]*?(http://\\S+/watch/unsubscribe\\?token=[\\w.-]+)`,
    ),
  );
  await page.reload();
  await page.getByRole('link', { name: 'browser-news.com.au' }).first().waitFor();
  const stranger = await browser.newContext();
  const mailbox = await stranger.newPage();
  await mailbox.goto(link);
  await mailbox.getByRole('button', { name: 'Stop the emails' }).click();
  await mailbox.getByRole('heading', { name: 'The emails have stopped' }).waitFor();
  await stranger.close();
  await page.reload();
  assert.ok(await page.getByLabel('No email').isChecked());
  await makeUsage(page);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

async function checkInSight(cookies) {
  const context = await browser.newContext();
  await context.addCookies(cookies);
  const page = await context.newPage();
  await service.offer(['sandbox-registered.com.au']);
  await page.goto(`${service.url}/?q=sandbox-registered`);
  const row = page.locator('#found .row', { hasText: 'sandbox-registered' }).first();
  assert.equal(await row.locator('.chip').textContent(), 'Available');
  await page.getByRole('checkbox', { name: /Check the rows in sight/ }).check();
  await row.locator('.chip', { hasText: 'Registered' }).waitFor();
  assert.equal(await row.getByRole('link', { name: /^Register/ }).count(), 0);
  await row.locator('.star').waitFor();
  await page.getByText(/^Records used: \d/).waitFor();
  await page.route('**/check/row/**', (route) =>
    route.fulfill({ status: 429, contentType: 'text/html', body: '<main><p>Try again in 40 s.</p></main>' }),
  );
  await page.goto(`${service.url}/?q=browser`);
  const box = page.getByRole('checkbox', { name: /Check the rows in sight/ });
  await box.click();
  await page.getByText('Try again in 40 s. Records used: 0').waitFor();
  assert.ok(!(await box.isChecked()));
  await context.close();
}

/** Something for the chart: two keys that are charged. */
async function makeUsage(page) {
  for (const [name, limit] of [
    ['A program with a name that is rather long for a phone', 7],
    ['Another', 3],
  ]) {
    await page.goto(`${service.url}/profile/api-keys`);
    await page.getByLabel('Name').last().fill(name);
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = await page.getByLabel('Key', { exact: true }).inputValue();
    const answer = await fetch(`${service.url}/v1/suggest?limit=${limit}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    assert.equal(answer.status, 200);
  }
  await page.goto(`${service.url}/profile/usage`);
  await page.getByRole('img', { name: /Records by day and key/ }).waitFor();
}

/** @returns the path of its page */
async function webhookAndItsLog(cookies) {
  const context = await inLook(browser, ZOOMED);
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.goto(`${service.url}/profile/webhooks`);
  await page.getByLabel('Address').fill(receiverUrl);
  await page.getByLabel('What it is for').fill('My program');
  // The search that was watched above finds the name that drops below.
  await page.getByLabel('only names and searches that I watch').check();
  await page.getByRole('button', { name: 'Make the webhook' }).click();
  assert.match(await page.getByLabel('Secret').inputValue(), /^whsec_/);
  await page.getByRole('link', { name: 'I have copied it' }).click();
  const path = new URL(page.url()).pathname;
  await service.drop('browser-hook.com.au');
  await untilShown(page, () => page.getByText('a name is confirmed as free').nth(1), 'the delivery');
  await untilShown(page, () => page.getByText(/200 in \d+ ms/).first(), 'its answer');
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('Sending').waitFor();
  await context.close();
  return path;
}

async function withoutScriptByKeyboard() {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 390, height: 844 },
  });
  const page = await context.newPage();
  await signUp(page, newEmail(), `${service.url}/watch`);
  await tabTo(page, '#domain');
  await page.keyboard.type('by-keyboard.com.au');
  await tabTo(page, 'form:has(#domain) button');
  await page.keyboard.press('Enter');
  await page.getByText('We’re now watching').waitFor();
  await page.goto(`${service.url}/profile/webhooks`);
  await tabTo(page, '#url');
  await page.keyboard.type(receiverUrl);
  await tabTo(page, 'form:has(#url) > button');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'The secret of your webhook' }).waitFor();
  await page.goto(`${service.url}/watch`);
  await tabTo(page, 'main a[href^="/watch?name="]');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Edit by-keyboard.com.au' }).waitFor();
  await tabTo(page, 'form[action$="/remove"] button');
  await page.keyboard.press('Enter');
  await page.getByText('Stopped watching.').waitFor();
  await context.close();
}

async function signUp(page, email, from) {
  if (from) await page.goto(from);
  await page.goto(`${service.url}/sign-up`);
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.goto(await service.mailedLink(email));
  await page.getByLabel('Password').fill(PASSWORD);
  // Who has chosen a password is signed in.
  await page.getByRole('button', { name: 'Make my account' }).click();
}

async function untilShown(page, find, what) {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    if ((await find().count()) > 0) return;
    await page.waitForTimeout(250);
    await page.reload();
  }
  throw new Error(`${what} is not on the page`);
}

/** Presses Tab until what the selector finds has the focus, which has to be seen. */
async function tabTo(page, selector) {
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${selector}`);
}

function newEmail() {
  return `person-${randomBytes(6).toString('hex')}@example.com`;
}
