// A person registers names in a real browser: registrant, top-up, quote, order, registered, receipt; a refusal for eligibility;
// an unclear answer that is settled. By mouse and with script, and by keyboard without it at 390 px. axe on every page.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { startService } from './service.mjs';
import { lookAt, measureWidths, openBrowser } from './visits.mjs';

const PASSWORD = 'correct horse battery';
const MAX_STOPS = 80;
const SETTLED_LIMIT_MS = 90_000;
/** The page of an order that was approved now. */
const APPROVED = /\/profile\/orders\/[\da-f-]{36}\?done=order-approved$/;
const WIDTHS = [320, 390, 660, 768, 900, 1024, 1440];

const WALKS = [
  { name: 'wide', viewport: { width: 1280, height: 900 }, label: 'coffeecart' },
  {
    name: 'phone, by keyboard, without script, dark',
    ...{ viewport: { width: 390, height: 844 }, javaScriptEnabled: false, colorScheme: 'dark' },
    ...{ byKeyboard: true, label: 'slowcoffee' },
  },
];

const service = await startService(
  {
    ORDERS: 'on',
    ORDER_SECRET_KEY: randomBytes(32).toString('base64'),
    TIERS: '{"demo":{"requestsPerMinute":600}}',
  },
  'localhost',
);
const browser = await openBrowser();
const looked = new Set();
const findings = [];
try {
  for (const { name, byKeyboard = false, label, ...look } of WALKS) {
    const context = await browser.newContext(look);
    const page = await context.newPage();
    page.on('pageerror', (error) => findings.push(`${name}: ${error}`));
    await orderNames(personAt(page, byKeyboard), label, look.javaScriptEnabled === false);
    await context.close();
    console.log(`ok   ${name}`);
  }
  assert.deepEqual(findings, []);
  console.log(`ok   axe: no finding on ${looked.size} pages (${[...looked].join(', ')})`);
} finally {
  await browser.close();
  await service.stop();
}

async function orderNames(person, label, isScriptless) {
  const { page, fill, press, choose, select } = person;
  const see = (title) => look(page, title, isScriptless);
  await signUp(person);

  await page.goto(`${service.url}/profile/registrants`);
  await see('registrants, none');
  for (const contact of ['Max Example', 'Mia Example']) {
    await page.goto(`${service.url}/profile/registrants`);
    await addRegistrant(person, contact);
  }
  await see('registrants');

  await page.goto(`${service.url}/domains/coffeecart.com.au`);
  await press(page.getByRole('button', { name: 'Check the holder' }).first());
  await page.getByText('May register it').waitFor();
  await see('name, eligible');

  const name = `${label}.au`;
  await page.goto(`${service.url}/profile/order?name=${name}`);
  await page.getByText('short. ').waitFor();
  await see('order, balance short');
  await topUp(person);

  await page.goto(`${service.url}/profile/order?name=${name}`);
  await page.getByText('May register it').waitFor();
  await see('order');
  // The registrant that is not chosen at first, and another term: no price was shown for them yet.
  await choose(page.getByRole('radio', { name: /Mia Example/ }));
  await select(page.getByLabel('Term', { exact: true }), '2 years');
  await register(person);
  await page.getByText('Look at the price of it, then register.').waitFor();
  await see('order, chosen again');
  await page.getByText(`${name}, 2 years`).waitFor();
  await register(person);
  await page.waitForURL(APPROVED);
  await see('order, approved');
  await settles(page, `${name} is yours`);
  await see('order, registered');
  await press(page.getByRole('link', { name: /^Receipt \d+$/ }));
  await page.getByText(`Registration of a domain name: ${name}, 2 years`).waitFor();
  await page.getByText('Play money: nothing was paid').waitFor();
  await see('receipt');
  const file = await page.getByRole('link', { name: 'Download as PDF' }).getAttribute('href');
  const pdf = await page.request.get(`${service.url}${file}`);
  assert.equal(pdf.headers()['content-type'], 'application/pdf');
  assert.equal((await pdf.body()).subarray(0, 5).toString(), '%PDF-');

  await page.goto(`${service.url}/profile/order?name=${label}.id.au`);
  await page.getByText('id.au is for natural persons').waitFor();
  await see('order, refused');

  const unclear = `sandbox-unclear-${label}.au`;
  await page.goto(`${service.url}/profile/order?name=${unclear}`);
  // Without an order, the chosen registrant has its price.
  await choose(page.getByRole('radio', { name: /Mia Example/ }));
  await press(page.getByRole('button', { name: 'Show the price' }));
  await page.waitForURL(/holder=/);
  assert.ok(await page.getByRole('radio', { name: /Mia Example/ }).isChecked());
  await register(person);
  await settles(page, `We’re asking the registrar about ${unclear}`);
  await see('order, unknown');
  await settles(page, `${unclear} is yours`);

  await page.goto(`${service.url}/profile/orders`);
  await page.getByText(unclear, { exact: true }).first().waitFor();
  await see('orders');
  await page.goto(`${service.url}/profile/mandates`);
  await see('mandates, without programs');
  // A browser asks for passkeys by script.
  if (!isScriptless) await approveByPasskey(page, `by-passkey-${label}.au`, see);
}

async function addRegistrant({ page, fill, press }, contact) {
  for (const [field, text] of [
    ['Legal name', 'Coffee Cart Pty Ltd'],
    ['ABN or ACN', '53 004 085 616'],
    ['Contact', contact],
    ['Email', 'mia@example.com'],
    ['Telephone', '03 6200 0000'],
    ['Street', '12 Elizabeth St'],
    ['Suburb or city', 'Hobart'],
    ['Postcode', '7000'],
  ])
    await fill(page.getByLabel(field, { exact: true }), text);
  await press(page.getByRole('button', { name: 'Save' }));
  await page.getByText('The registrant is saved.').waitFor();
}

async function register({ page, press, tick }) {
  for (const box of await page.locator('input[name=accept]').all())
    if (!(await box.isChecked())) await tick(box);
  await press(page.getByRole('button', { name: /^Register for A\$/ }));
}

/** A program orders a name without a mandate, and a passkey approves exactly that order. */
async function approveByPasskey(page, domain, see) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const authenticator = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true };
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...authenticator, hasUserVerification: true, isUserVerified: true },
  });
  await page.goto(`${service.url}/profile/security`);
  const add = page.locator('form[data-passkey]');
  await add.getByLabel('Name').fill('Phone');
  await add.getByLabel('Password').fill(PASSWORD);
  await add.getByRole('button').click();
  await page.getByText('The passkey is added.').waitFor();
  await page.goto(`${service.url}/profile/api-keys`);
  await page.getByLabel('Name', { exact: true }).fill('agent');
  for (const scope of ['read', 'quote', 'place']) await page.getByLabel(`orders:${scope}`).check();
  await page.getByRole('button', { name: 'Make the key' }).click();
  const bearer = await page.locator('#key').inputValue();
  const call = async (method, path, data, headers = {}) => {
    const options = { method, data, headers: { ...headers, Authorization: `Bearer ${bearer}` } };
    const answer = await page.request.fetch(`${service.url}/api/v1/${path}`, options);
    assert.ok(answer.ok(), `${path}: ${await answer.text()}`);
    return answer.json();
  };
  const { results } = await call('GET', 'registrants');
  const wanted = { domain, years: 1, registrant: results[0].id };
  const { quote, agreements } = await call('POST', 'registrations/quote', wanted);
  const accept = agreements.map(({ name }) => name);
  const { order } = await call('POST', 'registrations', { quote, accept }, { 'Idempotency-Key': domain });
  assert.equal(order.state, 'awaiting_approval');
  await page.goto(`${service.url}/profile/orders/${order.id}`);
  await see('order, awaiting approval');
  for (const box of await page.locator('input[name=accept]').all()) await box.check();
  await page.getByRole('button', { name: 'Approve with a passkey' }).click();
  await page.waitForURL(APPROVED);
  await settles(page, `${domain} is yours`);
}

async function topUp({ page, fill, press }) {
  await page.goto(`${service.url}/profile/orders`);
  await fill(page.getByLabel('Amount'), '100');
  await press(page.getByRole('button', { name: 'Top up' }));
  await press(page.getByRole('link', { name: 'Go on to the card provider' }));
  await press(page.getByRole('button', { name: /Pay/ }));
  // The provider's page has the amount as well.
  await page.waitForURL(({ href }) => href.startsWith(service.url));
  await settles(page, 'A$\u00a0100.00');
}

/** Loads the page again until it has these words. */
async function settles(page, words) {
  const until = Date.now() + SETTLED_LIMIT_MS;
  while (!(await page.getByText(words).first().isVisible())) {
    assert.ok(Date.now() < until, `no "${words}" on ${page.url()}`);
    await page.waitForTimeout(500);
    await page.reload();
  }
}

async function signUp({ page, fill, press }) {
  const email = `person-${randomBytes(6).toString('hex')}@example.com`;
  await page.goto(`${service.url}/sign-up`);
  await fill(page.getByLabel('Email address'), email);
  await press(page.getByRole('button', { name: 'Send me a link' }));
  await page.goto(await service.mailedLink(email));
  await fill(page.getByLabel('Password'), PASSWORD);
  await press(page.getByRole('button', { name: 'Make my account' }));
  await page.getByRole('link', { name: 'API keys' }).first().waitFor();
}

/** Somebody with a browser, by mouse or by keyboard alone. */
function personAt(page, byKeyboard) {
  const tabTo = async (target) => {
    for (let stop = 0; stop < MAX_STOPS; stop += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`the keyboard does not reach ${target}`);
  };
  return {
    page,
    async fill(target, text) {
      if (!byKeyboard) return target.fill(text);
      await tabTo(target);
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(text);
    },
    async press(target) {
      if (!byKeyboard) return target.click();
      await tabTo(target);
      await page.keyboard.press('Enter');
      await page.waitForLoadState('load');
    },
    async choose(target) {
      if (!byKeyboard) return target.check();
      // Tab stops at the chosen one of a group.
      await tabTo(page.locator('input[type=radio]:checked'));
      while (!(await target.isChecked())) await page.keyboard.press('ArrowDown');
    },
    async select(target, words) {
      if (!byKeyboard) return target.selectOption(words);
      await tabTo(target);
      await page.keyboard.type(words);
    },
    async tick(target) {
      if (!byKeyboard) return target.check();
      await tabTo(target);
      await page.keyboard.press('Space');
    },
  };
}

/** axe and every width, once for each page and kind of browser. */
async function look(page, title, isScriptless) {
  const own = isScriptless ? `${title}, without script` : title;
  if (looked.has(own)) return;
  looked.add(own);
  const before = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: before.height });
    // axe needs script in the page.
    if (!isScriptless) await lookAt(page, `${own} ${width}`, findings);
  }
  await page.setViewportSize(before);
  await measureWidths(page, own, findings);
}
