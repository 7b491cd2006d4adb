import { join } from 'node:path';
import { RESUME_COMMAND } from '../../src/domains/lifecycle/lifecycle.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { addDomain } from '../support/domains.js';
import { lifecycleOn } from '../support/lifecycle.js';
import { compiledSources, run } from '../support/processes.js';

let compiled: string;
let test: TestDatabase;
beforeAll(async () => {
  compiled = await compiledSources();
  test = await createTestDatabase();
});
afterAll(() => test.close());

it('bowerbird circuit shows that the guard has stopped the writing of answers, resets it, and keeps who did', async () => {
  const environment = { DATABASE_URL: test.url, REGISTRY_MAX_FLIPS_PER_HOUR: '1' };
  const outputOf = async (...parameters: string[]) => {
    const running = run(join(compiled, 'dist/cli.js'), parameters, { environment });
    return [await running.ended, running.output()];
  };
  const lifecycle = lifecycleOn(test.database, environment);
  const take = async (checkedAt: Date) =>
    lifecycle.observeAnswer(await addDomain(test.database), {
      ...{ state: 'registered', source: 'rdap', registeredAt: null, checkedAt },
    });
  await take(new Date('2026-11-20T03:10:00Z'));
  await take(new Date('2026-11-20T03:11:00Z'));
  const counted = '2 in the hour from 2026-11-20T03:00:00.000Z; more than 1 stop all writes';
  const why = 'more than 1 answers within an hour contradicted what was known';
  const stopped = `STOPPED since 2026-11-20T03:11:00.000Z: ${why}`;
  expect(await outputOf('circuit')).toEqual([
    0,
    `${stopped}\ncontradictions  ${counted}\nWhen the registry can be believed again: ${RESUME_COMMAND}\n`,
  ]);
  const [code, output] = await outputOf('circuit', 'reset', '--by', 'night shift', '--reason', 'asked it');
  expect([code, output]).toEqual([0, expect.stringMatching(/^Answers are written again\.\n/)]);
  expect(await take(new Date('2026-11-20T03:12:00Z'))).toMatchObject({ to: 'taken', isStopped: false });
  const resumed = new RegExp(
    `^Answers are written\\.\\ncontradictions  1 in the hour .*\\nreset           \\S+ by command:night shift; stopped since 2026-11-20T03:11:00.000Z after 2: ${why}\\n$`,
  );
  expect(await outputOf('circuit')).toEqual([0, expect.stringMatching(resumed)]);
  const audit = `SELECT actor, subject, reason FROM audit_log WHERE action = 'circuit.reset'`;
  const entry = { actor: 'command:night shift', subject: 'circuit', reason: 'asked it' };
  expect(await test.database.query(audit)).toEqual([entry]);
  // The former words.
  const warning = '`writes` is now `circuit, circuit reset`. The former name works until 2027-02-21.\n';
  expect(await outputOf('writes')).toEqual([0, expect.stringContaining(`${warning}Answers are written.`)]);
  expect(await outputOf('writes', '--resume', '--by', 'night shift')).toEqual([
    0,
    `${warning}Answers were not stopped.\n`,
  ]);
});
