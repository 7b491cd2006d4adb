// The day of an operator who knows no shell, from /ops/docs alone: authorises, sees the status, tries a list and imports it, hides a
// name, pauses a job and has it run, and finds all of it in the audit log. Then what a stranger sees.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from './service.mjs';
import { openBrowser } from './visits.mjs';

const KEY = `dau_operator_${randomBytes(32).toString('hex')}`;
const HASH = createHash('sha256').update(KEY).digest('hex');
const LIST = join(tmpdir(), `expired-${process.pid}.csv`);
const NAME = 'walked-by-an-operator.com.au';
const WAIT_MS = 30_000;

await writeFile(LIST, `domain,wayback,first_seen\n${NAME},12,2026-11-01\nno name at all,1,2026-11-01\n`);
const service = await startService({ OPERATOR_KEY_HASH: `walker:${HASH}` });
const browser = await openBrowser();
const wrong = [];
try {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  page.setDefaultTimeout(WAIT_MS);
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== service.url) wrong.push(`asks ${request.url()}`);
  });
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
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['job.resume', 'job.run', 'job.pause', 'domain.hide', 'import.done', 'import', 'import.dry-run'],
    );
    assert(entries.every(({ actor, reason }) => actor === 'operator:walker' && reason.length >= 3));
  });
  assert.deepEqual(wrong, []);
  console.log('ok   no error in the console, and nobody else was asked');
} finally {
  await browser.close();
  await service.stop();
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
