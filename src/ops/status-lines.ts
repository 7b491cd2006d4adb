import type { AnswerOf } from './answers.js';

type Status = AnswerOf<'OperatorsStatus'>;
type Queue = Status['dataset']['queues']['purge'];

/** Every name that waits, once; `--all` has the rest. */
const SHOWN_QUEUES = ['purge', 'drops', 'repeat', 'retry', 'recheck', 'backlog', 'archive'] as const;

/** Stalls, lists and registries, each: a glance names the first ones. */
const MAX_NAMED = 3;

/** The status in about twenty lines; a figure that is not known reads `unknown`. */
export function describeStatus({
  version,
  as_of,
  stalled,
  jobs,
  webhooks,
  accounts,
  backups,
  unfinished_import,
  dataset,
}: Status): string {
  const { truth, offers, confirmation, queues, lists, registries, archive, writes_stopped } = dataset;
  const lines: [name: string, value: string][] = [
    ['version', `${version}, at ${as_of}`],
    ['stalled', named(stalled)],
    ['jobs', jobsOf(jobs)],
    ['on offer', `${offers.available}; ${offers.stale ?? 'unknown'} more have gone stale`],
    ['false offers', shareOf(truth)],
    ['confirmed', `${confirmation.confirmed} in ${confirmation.days} days`],
    ...SHOWN_QUEUES.map((name): [string, string] => [
      `waits: ${name}`,
      name === 'archive' && archive.source === null ? 'off' : queueOf(queues[name]),
    ]),
    [
      'lists',
      lists.length === 0
        ? 'none is fetched: LIST_DELETED_URLS and LIST_EXPIRED_URLS are empty'
        : named(lists.map((one) => `${one.kind} ${one.last_outcome ?? 'never fetched'}`)),
    ],
    ...(unfinished_import ? [unfinishedLine(unfinished_import)] : []),
    ['registry', named(registries.map(registryOf))],
    ['archive', archive.source === null ? 'off' : `last answer ${archive.last_answered_at ?? 'never'}`],
    [
      'answers',
      writes_stopped ? `NOT WRITTEN since ${writes_stopped.at}: ${writes_stopped.reason}` : 'are written',
    ],
    [
      'webhooks, accounts',
      `${webhooks.enabled} on, ${webhooks.pending} deliveries pending; ${accounts.all}, ${accounts.working_keys} working keys`,
    ],
    ['backups', backups.finding],
  ];
  const rows = lines.map(([name, value]) => `${name.padEnd(22)}${value}\n`).join('');
  return `${rows}Everything: bowerbird status --all\n`;
}

function unfinishedLine({ source, at, rows }: NonNullable<Status['unfinished_import']>): [string, string] {
  return ['import', `${source} ENDED EARLY at ${at}, ${rows} rows are in: import it again, or discard it`];
}

function named(all: readonly string[]): string {
  if (all.length === 0) return 'none';
  const more = all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : '';
  return all.slice(0, MAX_NAMED).join('; ') + more;
}

function jobsOf({ are_done, failing, paused, late }: Status['jobs']): string {
  if (!are_done) return 'not done by this service';
  const wrong = Object.entries({ failing, paused, late }).filter(([, names]) => names.length > 0);
  return wrong.map(([word, names]) => `${word}: ${named(names)}`).join('; ') || 'on time';
}

/** The shortest window with a large enough sample, and any change. */
function shareOf({ windows, offers, changes }: Status['dataset']['truth']): string {
  if (offers.sampled === 0) return 'no sample yet';
  const told = windows.find((window) => window.offers.share !== null);
  if (!told) return `too few to tell: ${offers.sampled} sampled`;
  const { share, low, high, sampled } = told.offers;
  const percent = (value: number | null) => ((value ?? 0) * 100).toFixed(2);
  const interval = `${percent(low)} to ${percent(high)}, ${sampled} sampled in ${told.hours} h`;
  return `${percent(share)} % (${interval})${changes.map(changeOf).join('')}`;
}

function changeOf({
  of,
  change,
  day_taken,
  day_sampled,
  day_expected,
}: Status['dataset']['truth']['changes'][number]): string {
  if (change !== 'rise' && change !== 'fall') return '';
  const found = `${of}: ${day_taken} of ${day_sampled} in a day, ${day_expected ?? 'unknown'} expected`;
  return `; ${change === 'rise' ? 'MORE' : 'FEWER'} taken than usual (${found})`;
}

const PRECISION_WORDS = { exact: '', estimated: 'about ', at_least: 'more than ' };

function queueOf({ waiting, oldest, precision, ends_at }: Queue): string {
  if (waiting === null) return 'unknown';
  const since = oldest === null ? '' : `, the oldest since ${oldest}`;
  const until = ends_at === null ? '' : `, until about ${ends_at}`;
  return `${PRECISION_WORDS[precision ?? 'exact']}${waiting}${since}${until}`;
}

function registryOf({
  source,
  breaker,
  canary,
  last_answered_at,
}: Status['dataset']['registries'][number]): string {
  const sandbox = source === 'sandbox' ? ' (answers are made up)' : '';
  const answered = last_answered_at === null ? 'has not answered yet' : `last answer ${last_answered_at}`;
  const paused = breaker === 'open' ? ', PAUSED after failures' : '';
  return `${source}${sandbox} ${answered}${paused}${canary === 'failed' ? ', FAILS its canaries' : ''}`;
}
