/**
 * Asks the registry about the packages: whether each is signed as it should be, and which of those that the service runs on have a known
 * hole of the levels high and critical. Prints a line each.
 *
 *   node scripts/audit.mjs
 *
 * Ends with 1 where there is something to be done, and with 3 where one of the two was not answered: not every registry does, and a
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
process.exitCode = outcomes.includes(FOUND) ? FOUND : outcomes.includes(SKIPPED) ? SKIPPED : OK;

function ask(name, parameters, judge) {
  const options = ['--fetch-retries=0', '--fetch-timeout=30000', '--loglevel=error'];
  const { stdout } = spawnSync('npm', [...parameters, ...options], { encoding: 'utf8', timeout: LIMIT_MS });
  const problems = judge(parsed(stdout));
  if (problems === null) {
    console.log(`-- ${name}: skipped, as the registry did not answer`);
    return SKIPPED;
  }
  for (const problem of problems) console.log(`!! ${name}: ${problem}`);
  if (problems.length === 0) console.log(`${name}: nothing to be done`);
  return problems.length === 0 ? OK : FOUND;
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
