// The day of an operator who knows no shell, from the pages at /ops alone, and then from /ops/docs: signs in, sees what there is to
// do, tries a list and imports it, hides a name, has one checked, writes an incident, adds a passkey, pauses a job and has it run,
// blocks a network, and finds all of it in the audit log.
// Every page is looked at, from 320 to 1440 px, light and dark.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { startService } from './service.mjs';
import { countClicks, inLook, lookAt, measureWidths, openBrowser, WIDTHS } from './visits.mjs';

const KEY = `dau_operator_${randomBytes(32).toString('hex')}`;
const HASH = createHash('sha256').update(KEY).digest('hex');
const NAME = 'walked-by-an-operator.com.au';
const LIST = {
  ...{ name: 'list.csv', mimeType: 'text/csv' },
  buffer: Buffer.from(`domain,wayback,first_seen\n${NAME},12,2026-11-01\nno name at all,1,2026-11-01\n`),
};
const SHOWN = 'shown-by-an-operator.com.au';
const WAIT_MS = 30_000;
const LOOKED_AT = [320, 768, 1440];
const PAGES = {
  today: '',
  doctor: 'doctor',
  imports: 'imports',
  names: 'names',
  'a name': `names?domain=${SHOWN}`,
  accounts: 'accounts',
  subscriptions: 'subscriptions',
  abuse: 'abuse',
  webhooks: 'webhooks',
  incidents: 'incidents',
  passkeys: 'passkeys',
  jobs: 'jobs',
  backups: 'backups',
  audit: 'audit',
  'all commands': 'more',
  'a form': `do/hideName?domain=${SHOWN}&back=/ops/names`,
  'a list of names': 'do/loadHolds',
  tiers: 'show/readTiers',
  status: 'show/readStatus',
};

const service = await startService({ OPERATOR_KEY_HASH: `walker:${HASH}` }, 'localhost');
const browser = await openBrowser();
const wrong = [];
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const clicks = await countClicks(context);
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== service.url) wrong.push(`asks ${request.url()}`);
  });
  const began = performance.now();
  await walkPages(page);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(`ok   an operator's day in the pages: ${clicks()} clicks and ${seconds} s`);
  // The browser notes the one form that was refused on purpose.
  assert.equal(wrong.length, 1);
  assert.match(wrong.pop(), /status of 400/);
  await lookAtPages();
  await page.goto(`${service.url}/ops/docs`);
  await step('authorises', () => authorise(page));
  await step('sees the status', async () => {
    const status = await run(page, 'readStatus');
    assert.equal(status.jobs.are_done, true);
    assert.equal(status.dataset.ok, true);
  });
  await step('tries a list, with its rejects as a file, and imports it', async () => {
    const tried = await upload(page, 'true');
    assert.deepEqual([tried.report.added, tried.report.rejected, tried.has_rejects], [1, 1, true]);
    const rejects = await run(page, 'downloadRejects', { id: tried.id }, {}, true);
    assert.match(rejects, /no name at all/);
    const imported = await upload(page, 'false');
    assert.deepEqual([imported.state, imported.report.added], ['done', 1]);
  });
  await step('looks at a name and hides it', async () => {
    assert.equal((await run(page, 'showName', { domain: NAME })).row.hidden, false);
    assert.equal((await change(page, 'hideName', { domain: NAME })).changed, true);
    assert.equal((await run(page, 'showName', { domain: NAME })).row.hidden, true);
  });
  await step('pauses a job, has it run, and resumes it', async () => {
    await change(page, 'pauseJob', { name: 'stale' });
    const paused = (await run(page, 'listJobs')).jobs.find(({ name }) => name === 'stale');
    assert.equal(paused.paused.by, 'operator:walker');
    await change(page, 'runJob', { name: 'stale' });
    await until(async () => {
      const { last_run_at, wanted_at } = (await run(page, 'listJobs')).jobs.find(
        ({ name }) => name === 'stale',
      );
      return last_run_at >= wanted_at;
    });
    await change(page, 'resumeJob', { name: 'stale' });
  });
  await step('finds all of it in the audit log', async () => {
    const { entries } = await run(page, 'readAudit');
    assert.deepEqual(entries.map(({ action }) => action).slice(0, 7), [
      'job.resume',
      'job.run',
      'job.pause',
      'domain.hide',
      'import.done',
      'import',
      'import.dry-run',
    ]);
    assert(entries.every(({ actor, reason }) => actor === 'operator:walker' && reason.length >= 3));
  });
  assert.deepEqual(wrong, []);
  console.log('ok   no error in the console, and nobody else was asked');
} finally {
  await browser.close();
  await service.stop();
}

/** A day in the pages, with mouse and keyboard. */
async function walkPages(page) {
  const main = page.locator('main');
  const go = (name) =>
    page.getByRole('navigation', { name: 'Operations' }).getByRole('link', { name }).click();
  const send = async (reason) => {
    await main.getByLabel('Reason').fill(reason);
    await main.locator('form button').click();
    await main.locator('.notice').waitFor();
  };
  await step('signs in to the pages with the key', async () => {
    await page.goto(`${service.url}/ops`);
    await main.getByLabel('Operator key').fill(KEY);
    await page.keyboard.press('Enter');
    await main.getByRole('heading', { name: 'Today', exact: true }).waitFor();
  });
  await step('reads what waits, and what the doctor says', async () => {
    await main.getByRole('heading', { name: 'Needs a decision' }).waitFor();
    await go('Doctor');
    await main.getByRole('rowheader', { name: 'lists' }).waitFor();
  });
  await step('drops a list: a dry run, the rejects, then the import', async () => {
    const file = { name: 'shown.csv', mimeType: 'text/csv' };
    const text = `domain,wayback,first_seen\n${SHOWN},12,2026-11-01\nno name at all,1,2026-11-01\n`;
    const drop = async () => {
      await main.getByLabel('File').setInputFiles({ ...file, buffer: Buffer.from(text) });
      await main.getByLabel('Reason').fill('the list of the day');
      await main.locator('form button').click();
      await main.getByRole('heading', { name: 'Import', exact: true }).waitFor();
      while ((await main.getByText('running', { exact: true }).count()) > 0)
        await main.getByRole('link', { name: 'Look again' }).click();
    };
    await go('Imports');
    await drop();
    await main.getByRole('heading', { name: 'What an import would do' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      main.getByRole('link', { name: 'Rejected rows as a file' }).click(),
    ]);
    assert.match(await readFile(await download.path(), 'utf8'), /no name at all/);
    await drop();
    await main.getByRole('heading', { name: 'What it did' }).waitFor();
  });
  await step('looks at a name and hides it, with a reason', async () => {
    await go('Names');
    await main.getByLabel('Domain').fill(SHOWN);
    await page.keyboard.press('Enter');
    await main.getByRole('link', { name: 'Hide it' }).click();
    await send('asked for by its owner');
    await main.getByRole('link', { name: 'Show it again' }).waitFor();
  });
  await step('has a name checked now', async () => {
    await go('Names');
    await main.getByLabel('Domain').fill('sandbox-registered.com.au');
    await page.goto(`${service.url}/ops/do/checkName?domain=sandbox-registered.com.au&back=/ops`);
    await send('somebody says that it is free');
  });
  await step('writes an incident, which everybody reads, and ends it', async () => {
    await go('Incidents');
    await main.getByRole('link', { name: 'Write an incident' }).click();
    await main.getByLabel('Title').fill('The registry is slow');
    await main.getByLabel('Words').fill('Checks take up to 20 s. No wrong answers.');
    await send('seen on the dashboard');
    await main.getByRole('link', { name: /^It is over/ }).click();
    await main.getByLabel('Words').fill('Checks took up to 20 s. No wrong answers.');
    await send('it answers again');
    const seen = await (await page.context().request.get(`${service.url}/status/incidents`)).text();
    assert.match(seen, /The registry is slow.*Checks took up to 20 s.*Resolved/s);
  });
  await step('adds a passkey, and signs in with it', async () => {
    const tools = await page.context().newCDPSession(page);
    await tools.send('WebAuthn.enable');
    await tools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        isUserVerified: true,
      },
    });
    await page.getByRole('link', { name: 'Passkeys' }).click();
    await main.getByRole('button', { name: 'Add a passkey of this device' }).click();
    await main.getByText('The passkey is added.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await main.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await main.getByRole('heading', { name: 'Today', exact: true }).waitFor();
  });
  await step('pauses a job, and has it run', async () => {
    await go('Jobs');
    await main.getByRole('link', { name: /^Pause.*stale$/ }).click();
    await send('a look at it');
    await main.getByRole('link', { name: /^Run now.*stale$/ }).click();
    await send('after the look');
    await main.getByRole('link', { name: /^Resume.*stale$/ }).click();
    await send('done with it');
  });
  await step('blocks a network, and clears it', async () => {
    await go('Abuse');
    await main.getByRole('link', { name: 'Block a network' }).click();
    await main.getByLabel('Network').fill('203.0.113.0/24');
    await send('310 sign-ups in 20 minutes');
    await main.getByRole('link', { name: /^Clear.*203/ }).click();
    await send('a mistake');
  });
  await step('is told what is wrong beside the field', async () => {
    await main.getByRole('link', { name: 'Block a network' }).click();
    await main.getByLabel('Network').fill('10.0.0.0/8');
    await main.getByLabel('Reason').fill('too wide');
    await main.locator('form button').click();
    await main.getByText('Network must be an IPv4 network from /32 to /24').last().waitFor();
    assert.equal(await main.getByLabel('Reason').inputValue(), 'too wide');
  });
  await step('finds the day in the audit log, and signs out', async () => {
    await go('Audit');
    for (const action of [
      'operator.sign-in',
      'import.done',
      'domain.hide',
      'domain.check',
      'incident.end',
      'operator.passkey-add',
      'job.pause',
      'network.clear',
    ])
      await main.getByRole('cell', { name: action, exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await main.getByLabel('Operator key').waitFor();
  });
}

/** Every page in every width, light and dark, without script. */
async function lookAtPages() {
  const findings = [];
  for (const colorScheme of ['light', 'dark']) {
    const context = await inLook(browser, { width: 1440, height: 900, colorScheme });
    const page = await context.newPage();
    await page.goto(`${service.url}/ops`);
    await lookAt(page, `ops sign-in ${colorScheme}`, findings);
    await page.getByLabel('Operator key').fill(KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Today', exact: true }).waitFor();
    for (const [name, path] of Object.entries(PAGES)) {
      await page.goto(`${service.url}/ops/${path}`);
      if (colorScheme === 'light') await measureWidths(page, `ops ${name}`, findings);
      for (const width of LOOKED_AT) {
        await page.setViewportSize({ width, height: 900 });
        await lookAt(page, `ops ${name} ${width} ${colorScheme}`, findings);
      }
    }
    await context.close();
  }
  assert.deepEqual(findings, []);
  console.log(
    `ok   ${Object.keys(PAGES).length} pages of operators in ${LOOKED_AT.length} widths, light and dark, and none sideways in ${WIDTHS.length}`,
  );
}

async function step(name, work) {
  await work();
  console.log(`ok   ${name}`);
}

async function authorise(page) {
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const dialog = page.locator('.modal-ux');
  await dialog.locator('input').fill(KEY);
  await dialog.getByRole('button', { name: /Apply credentials|Authorize/ }).click();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
}

/** Fills in an operation and executes it, as somebody does with a mouse. @returns what it answered */
async function run(page, operation, parameters = {}, { body, file } = {}, isFile = false) {
  const block = page.locator(`[id$="-${operation}"].opblock`);
  if (!(await block.getAttribute('class')).includes('is-open'))
    await block.locator('.opblock-summary').click();
  for (const [name, value] of Object.entries(parameters)) {
    const row = block.locator(`tr[data-param-name="${name}"]`);
    const choice = row.locator('select');
    if (await choice.count()) await choice.selectOption(value);
    else await row.locator('input').first().fill(value);
  }
  if (body !== undefined) await block.locator('.body-param textarea').fill(body);
  if (file !== undefined) await block.locator('input[type=file]').setInputFiles(file);
  const answered = page.waitForResponse((response) => response.url().includes('/ops/v1/'));
  await block.getByRole('button', { name: 'Execute' }).click();
  const response = await answered;
  const shown = block.locator('.live-responses-table');
  await shown.waitFor();
  // What a person reads there: the answer, or a link to the file that came.
  const said = () => shown.locator('.highlight-code code, .highlight-code pre').first().textContent();
  if (response.status() !== 200) throw new Error(`${operation}: ${response.status()} ${await said()}`);
  if (isFile) {
    await shown.getByRole('link', { name: /Download file/ }).waitFor();
    return response.text();
  }
  return JSON.parse(await said());
}

function change(page, operation, parameters) {
  return run(page, operation, parameters, { body: JSON.stringify({ reason: 'a walk through the day' }) });
}

async function upload(page, dryRun) {
  const parameters = { reason: 'the list of the day', file: 'list.csv', dry_run: dryRun };
  const { id } = await run(page, 'uploadList', parameters, { file: LIST });
  return until(async () => {
    const found = await run(page, 'showImport', { id });
    return found.state === 'running' ? undefined : found;
  });
}

async function until(look) {
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline;) {
    const found = await look();
    if (found) return found;
    await new Promise((next) => setTimeout(next, 250));
  }
  throw new Error('not in time');
}
