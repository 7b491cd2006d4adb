// The pages of accounts and keys in a real browser: a person's whole walk, the same without JavaScript and with the keyboard
// alone, and axe on every page that is met. SCREENSHOTS=FOLDER keeps a picture of each.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { startService } from './service.mjs';
import { lookAt, openBrowser } from './visits.mjs';

const PASSWORD = 'correct horse battery';
/** More than there are on any page. */
const MAX_STOPS = 60;

// All walks come from one address, in less than a minute. By a name: browsers take no passkey for a number.
const service = await startService({ TIERS: '{"demo":{"requestsPerMinute":600}}' }, 'localhost');
const browser = await openBrowser();
const looked = new Set();
const findings = [];
try {
  for (const [name, walk] of Object.entries({
    ...{ wholeWalk, withoutJavaScript, withTheKeyboard, passkeys, connectAnApp },
  })) {
    await walk();
    console.log(`ok   ${name}`);
  }
  assert.deepEqual(findings, []);
  console.log(`ok   axe: no finding on ${looked.size} pages (${[...looked].join(', ')})`);
} finally {
  await browser.close();
  await service.stop();
}

/** Signs up, makes a key, copies it, uses it up, renames and revokes it, and is refused. */
async function wholeWalk() {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  await signUp(page);

  await page.getByRole('link', { name: 'API keys' }).first().click();
  await look(page, 'keys, none yet');
  await page.getByLabel('Name').fill('My script');
  await page.getByRole('button', { name: 'Make the key' }).click();
  await look(page, 'new key');
  const text = await page.getByLabel('Key', { exact: true }).inputValue();
  assert.match(text, /^dau_live_/);
  await page.getByRole('button', { name: 'Copy the key' }).click();
  await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
  await page.getByRole('link', { name: 'I have copied it' }).click();
  assert.ok(!(await page.content()).includes(text), 'the key is on no page any more');

  const ask = (path) => fetch(service.url + path, { headers: { Authorization: `Bearer ${text}` } });
  const used = await ask('/api/v1/search?q=coffee');
  assert.equal(used.status, 200);
  const { count, rate } = await used.json();
  const refused = [];
  while (refused.length === 0) {
    const { status } = await ask('/v1/suggest?limit=50');
    if (status === 429) refused.push(status);
  }
  const usage = await (await ask('/api/v1/usage')).json();
  assert.ok(count > 0 && rate.limit_per_min === 100);
  assert.equal(usage.quota.remaining, 0);
  await page.reload();
  await page.getByText('0 of 100 this hour').waitFor();
  assert.equal(await page.getByRole('cell', { name: 'never' }).count(), 0, 'the last use is shown');
  await look(page, 'keys, used up');

  const row = page.getByRole('row').filter({ hasText: 'My script' });
  await row.getByText('Change').click();
  await row.getByLabel('New name').fill('My other script');
  await row.getByRole('button', { name: 'Rename' }).click();
  const renamed = page.getByRole('row').filter({ hasText: 'My other script' });
  await renamed.getByText('Change').click();
  await look(page, 'keys, one being changed');
  await renamed.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByText(/revoked \d{1,2} \w+ \d{4}/).waitFor();
  await look(page, 'keys, one revoked');
  assert.equal((await ask('/api/v1/usage')).status, 401);
  assert.ok(!service.written().includes(text), 'the key is not in the log');

  await page.goto(`${service.url}/profile/second-factor`);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set it up' }).click();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  await look(page, 'second factor, new');

  await page.goto(`${service.url}/profile`);
  const strength = page.locator('[data-strength] + [role=status]');
  const typed = page.getByLabel('New password');
  for (const [text, words] of [
    ['short', '5 more characters.'],
    ['qwertyuiop', 'tried first'],
    [`${PASSWORD}!`, 'is strong'],
  ]) {
    await typed.fill(text);
    await strength.filter({ hasText: words }).waitFor();
  }
  await look(page, 'profile');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.goto(`${service.url}/profile/api-keys`);
  assert.match(page.url(), /\/sign-in/);
  await page.goto(`${service.url}/forgotten-password`);
  await look(page, 'forgotten password');
  assert.deepEqual(wrong, []);
  await context.close();
}

/** The same pages, plain: no button to copy, and everything else as before. */
async function withoutJavaScript() {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    viewport: { width: 360, height: 740 },
  });
  const page = await context.newPage();
  await signUp(page);
  await page.goto(`${service.url}/profile/api-keys`);
  await page.getByLabel('Name').fill('Plain');
  await page.getByRole('button', { name: 'Make the key' }).click();
  assert.equal(await page.getByRole('button', { name: 'Copy the key' }).count(), 0);
  const text = await page.getByLabel('Key', { exact: true }).inputValue();
  await page.getByRole('link', { name: 'I have copied it' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Plain' });
  await row.getByText('Change').click();
  await row.getByRole('button', { name: /^Revoke/ }).click();
  const answer = await fetch(`${service.url}/v1/suggest`, { headers: { Authorization: `Bearer ${text}` } });
  assert.equal(answer.status, 401);
  await context.close();
}

/** Nothing but Tab, Space, Enter and letters, and the focus can always be seen. */
async function withTheKeyboard() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signUp(page);
  await page.goto(`${service.url}/profile/api-keys`);
  await page.keyboard.press('Tab');
  assert.match(await focused(page), /skip/i, 'the first stop leads past the navigation');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Name');
  await page.keyboard.type('By keyboard');
  await tabTo(page, 'Make the key');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your new key' }).waitFor();
  await tabTo(page, 'I have copied it');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await tabTo(page, 'Change the key By keyboard');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Revoke the key By keyboard');
  await page.keyboard.press('Enter');
  await page.getByText(/revoked \d{1,2} \w+ \d{4}/).waitFor();
  await context.close();
}

/** One is added, signs in, is removed and signs in no more; a browser's own authenticator is in the place of a finger. */
async function passkeys() {
  const context = await browser.newContext();
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  const tools = await context.newCDPSession(page);
  await tools.send('WebAuthn.enable');
  const { authenticatorId } = await tools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      isUserVerified: true,
    },
  });
  await signUp(page);
  await page.goto(`${service.url}/profile/security`);
  await look(page, 'security');
  const add = page.locator('form[data-passkey]');
  await add.getByLabel('Name').fill('My laptop');
  await add.getByLabel('Password').fill('not the password');
  await add.getByRole('button').click();
  await page.getByText('The current password is not right.').waitFor();
  await look(page, 'security, refused');
  assert.equal(wrong.splice(0).length, 1, 'the browser notes that refusal, and nothing else');
  await add.getByLabel('Password').fill(PASSWORD);
  await add.getByRole('button').click();
  await page.getByText('The passkey is added.').waitFor();
  await page.getByRole('rowheader', { name: 'My laptop' }).waitFor();
  await look(page, 'security, a passkey');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  const { credentials } = await tools.send('WebAuthn.getCredentials', { authenticatorId });
  assert.deepEqual([credentials.length, credentials[0].signCount > 1], [1, true]);

  await page.goto(`${service.url}/profile/security`);
  await page.getByRole('row').filter({ hasText: 'My laptop' }).locator('summary').click();
  await page.getByRole('row').filter({ hasText: 'My laptop' }).getByLabel('Password').fill(PASSWORD);
  await look(page, 'security, one being removed');
  await page.getByRole('button', { name: /^Remove it/ }).click();
  await page.getByText('The passkey is removed').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('No account has this passkey').waitFor();
  assert.equal(wrong.splice(0).length, 1);

  const plain = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
  const small = await plain.newPage();
  await small.goto(`${service.url}/sign-in`);
  await small.getByText('Passkeys need JavaScript').waitFor();
  assert.equal(await small.getByRole('button', { name: /passkey/ }).isVisible(), false);
  await signUp(small);
  await small.goto(`${service.url}/profile/security`);
  await small.getByText('Adding a passkey needs JavaScript').waitFor();
  const sideways = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  assert.equal(await small.getByRole('button', { name: 'Add a passkey' }).isVisible(), false);
  await plain.close();
  await page.setViewportSize({ width: 320, height: 640 });
  assert.equal(await page.evaluate(sideways), 0);
  await context.close();
}

/** An app on this computer asks for the account, is allowed, and is disconnected; then without JavaScript one is refused. */
async function connectAnApp() {
  const told = [];
  const app = createServer((request, response) => {
    told.push(new URL(request.url, 'http://127.0.0.1').searchParams);
    response.end('The app has its answer.');
  }).listen(0, '127.0.0.1');
  await once(app, 'listening');
  const redirect = `http://127.0.0.1:${app.address().port}/callback`;
  const registered = await fetch(`${service.url}/oauth2/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'My <agent>', redirect_uris: [redirect] }),
  });
  const { client_id } = await registered.json();
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id, redirect_uri: redirect },
    ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
  });
  const asked = `${service.url}/oauth2/authorize?${query}`;

  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(asked);
  assert.match(page.url(), /\/sign-in$/, 'who has no session is led to sign in');
  // And to the question when that is done, behind the mail as well.
  await signUp(page);
  await page.getByText('My <agent>').waitFor();
  await look(page, 'connect an app');
  await page.getByRole('button', { name: 'Connect it' }).click();
  await page.getByText('The app has its answer.').waitFor();
  await page.goto(`${service.url}/profile/apps`);
  await look(page, 'connected apps');
  await page.getByRole('button', { name: /^Disconnect/ }).click();
  await page.getByText('The app is disconnected').waitFor();
  await look(page, 'connected apps, none');

  const plain = await browser.newContext({
    ...{ javaScriptEnabled: false, storageState: await context.storageState() },
    viewport: { width: 320, height: 640 },
  });
  const small = await plain.newPage();
  await small.goto(asked);
  await small.getByRole('button', { name: 'Refuse' }).click();
  await small.getByText('The app has its answer.').waitFor();
  assert.deepEqual([told[0].has('code'), told.at(-1).get('error')], [true, 'access_denied']);
  await plain.close();
  await context.close();
  app.closeAllConnections();
  app.close();
}

async function signUp(page) {
  const email = `person-${randomBytes(6).toString('hex')}@example.com`;
  await page.goto(`${service.url}/sign-up`);
  await look(page, 'sign up');
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await look(page, 'mail sent');
  await page.goto(await service.mailedLink(email));
  await look(page, 'confirm');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Make my account' }).click();
  await page.getByRole('link', { name: 'API keys' }).first().waitFor();
}

/** axe on the page as it stands, once for each kind of page. Where the page runs no scripts, another walk has looked. */
async function look(page, name) {
  if (looked.has(name)) return;
  looked.add(name);
  await lookAt(page, name, findings);
}

async function tabTo(page, name) {
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${name}`);
}

/** What has the focus, by the name that a screen reader says; fails when nothing shows where that is. */
async function focused(page) {
  const { name, outline } = await page.evaluate(() => {
    const element = document.activeElement;
    const label =
      element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? element.textContent;
    return { name: label.replace(/\s+/g, ' ').trim(), outline: getComputedStyle(element).outlineStyle };
  });
  if (name !== '' && name.length < 100) assert.notEqual(outline, 'none', `the focus on ${name} can be seen`);
  return name;
}
