/**
 * Asks the registry about the packages: whether each is signed as it should be, and which of those that the service runs on have a known
 * hole of the levels high and critical. Prints a line each.
 *
 *   node scripts/audit.mjs [--behind]
 *
 * --behind: and which are older than the newest release, once a month (.github/workflows/packages.yml). Some are so because others
 * want them so; that alone is nothing to be done.
 *
 * Ends with 1 where there is something to be done, and with 3 where a question was not answered: not every registry does, and a
 * machine without a network has none.
 */
import { spawnSync } from 'node:child_process';

const LIMIT_MS = 180_000;
const GRAVE = ['high', 'critical'];
const [OK, FOUND, SKIPPED] = [0, 1, 3];

const outcomes = [
  ask('signatures', ['audit', 'signatures', '--json'], judgeSignatures),
  ask('known holes', ['audit', '--json', '--omit=dev'], judgeHoles),
];
if (process.argv.includes('--behind')) {
  const behind = asked(['outdated', '--json']);
  if (behind === null) outcomes.push(SKIPPED);
  for (const [name, { current, latest }] of Object.entries(behind ?? {}))
    console.log(`behind: ${name} ${current}, newest ${latest}`);
}
process.exitCode = outcomes.includes(FOUND) ? FOUND : outcomes.includes(SKIPPED) ? SKIPPED : OK;

function ask(name, parameters, judge) {
  const problems = judge(asked(parameters));
  if (problems === null) {
    console.log(`-- ${name}: skipped, as the registry did not answer`);
    return SKIPPED;
  }
  for (const problem of problems) console.log(`!! ${name}: ${problem}`);
  if (problems.length === 0) console.log(`${name}: nothing to be done`);
  return problems.length === 0 ? OK : FOUND;
}

/** What npm answers; null where it does not. */
function asked(parameters) {
  const options = ['--fetch-retries=0', '--fetch-timeout=30000', '--loglevel=error'];
  const { stdout } = spawnSync('npm', [...parameters, ...options], { encoding: 'utf8', timeout: LIMIT_MS });
  return parsed(stdout);
}

/** @returns null where it is no answer to the question */
function judgeSignatures(answer) {
  if (!Array.isArray(answer?.invalid) || !Array.isArray(answer.missing)) return null;
  const named = (list, what) => list.map(({ name, version }) => `${name}@${version} ${what}`);
  return [...named(answer.invalid, 'has a wrong signature'), ...named(answer.missing, 'has no signature')];
}

function judgeHoles(answer) {
  if (answer?.auditReportVersion === undefined || !answer.vulnerabilities) return null;
  return Object.values(answer.vulnerabilities)
    .filter(({ severity }) => GRAVE.includes(severity))
    .map(({ name, severity, range }) => `${name} ${range}: ${severity}`);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
