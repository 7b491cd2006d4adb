import { join } from 'node:path';
import { startTestApp, type TestApp } from '../support/app.js';
import { addDomain } from '../support/domains.js';
import { compiledSources, run } from '../support/processes.js';

const REASON = 'asked for by its owner';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

it('bowerbird dataset says and does what operators can by HTTP', async () => {
  const domain = await addDomain(test.database);
  const cli = join(await compiledSources(), 'dist/cli.js');
  const command = async (...parameters: string[]) => {
    const running = run(cli, parameters, { environment: { DATABASE_URL: test.databaseUrl } });
    return { code: await running.ended, text: running.output() };
  };
  const [hidden, missing] = await Promise.all([
    command('dataset', 'hide', domain, '--reason', REASON, '--by', 'carol'),
    command('dataset', 'show', 'nobody-knows.com.au'),
  ]);
  expect(hidden).toEqual({ code: 0, text: `${domain} is hidden\n` });
  expect(missing).toEqual({ code: 1, text: 'The dataset does not have nobody-knows.com.au.\n' });
  const shown = await command('dataset', 'show', domain);
  expect(shown.text).toMatch(/hidden: true[^]*actor: command:carol[^]*reason: asked for by its owner/);
});
