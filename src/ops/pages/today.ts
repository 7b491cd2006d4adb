import { grouped } from '../../texts/texts.js';
import { QUEUES, waitingOf } from '../../web/facts/status-page.js';
import type { AnswerOf, Fetch, Import, Job } from '../answers.js';
import {
  act,
  type Block,
  type Cell,
  cellOf,
  chip,
  type Link,
  type PageRequest,
  plain,
  type Row,
  state,
} from './blocks.js';

const DAY_MS = 86_400_000;

/** What came, what waits and until when, what failed, what needs a decision. */
export async function showToday({ services, now }: PageRequest): Promise<Block[]> {
  const { records, jobs, imports, registry, orders } = services;
  const [status, { jobs: all }, { lists }, { fetches }, { imports: uploads }, unknown, stops, registrars] =
    await Promise.all([
      records.readStatus(),
      jobs.list(),
      records.listLists(),
      records.listFetches(5),
      imports.list(),
      registry.listUnknown(1),
      orders.listStops(),
      orders.readRegistrars(),
    ]);
  const recent = uploads.filter(({ started_at: at }) => now.getTime() - Date.parse(at) < DAY_MS);
  const { dataset, webhooks, accounts } = status;
  return [
    {
      heading: 'Needs a decision',
      heads: ['What', 'Why'],
      rows: [
        ...decisionsOf(status, { jobs: all, lists, imports: recent, unknown }),
        ...orderDecisions(stops, registrars),
      ],
      empty: 'Nothing needs a decision.',
    },
    {
      heading: 'What failed',
      heads: ['What', 'Failures', 'Last failure', 'When'],
      rows: [
        ...all.filter(({ failures }) => failures > 0).map((job) => failedJob(job, now)),
        ...lists.flatMap(({ kind, failures, latest }) =>
          failures > 0 ? [failedRow(`${kind} list`, failures, latest?.detail, latest?.started_at, now)] : [],
        ),
      ],
      empty: 'No job and no list fails.',
    },
    fetchTable('What came', fetches, now),
    ...(recent.length > 0 ? [importTable('Uploaded today', recent, now)] : []),
    {
      heading: 'What waits',
      heads: ['Queue', 'Waiting', 'Oldest', 'Expected end'],
      rows: Object.entries(QUEUES).map(([name, words]) => {
        const queue = dataset.queues[name as keyof typeof QUEUES];
        const waiting = plain(waitingOf(queue));
        return { cells: [plain(words), waiting, cellOf(queue.oldest, now), cellOf(queue.ends_at, now)] };
      }),
    },
    {
      heading: 'In numbers',
      facts: [
        ['Names on offer', cellOf(dataset.offers.available, now)],
        [`Confirmed in ${dataset.confirmation.days} days`, cellOf(dataset.confirmation.confirmed, now)],
        ['Deliveries due', cellOf(webhooks.pending, now)],
        ['Failed deliveries', cellOf(webhooks.failed_today, now)],
        ['Accounts', cellOf(accounts.all, now)],
        ['Working keys', cellOf(accounts.working_keys, now)],
        ['Version', plain(status.version)],
      ],
    },
  ];
}

interface Findings {
  readonly jobs: AnswerOf<'Jobs'>['jobs'];
  readonly lists: AnswerOf<'Lists'>['lists'];
  readonly imports: AnswerOf<'Imports'>['imports'];
  readonly unknown: AnswerOf<'UnknownAnswers'>;
}

function decisionsOf(
  { stalled, jobs: { are_done }, webhooks, dataset }: AnswerOf<'OperatorsStatus'>,
  { jobs, lists, imports, unknown }: Findings,
): Row[] {
  const stop = dataset.writes_stopped;
  const row = (word: Cell, why: string, ...links: Link[]): Row => ({ cells: [word, plain(why)], links });
  const to = (words: string, path: string): Link => ({ words, href: `/ops/${path}` });
  return [
    ...stalled.map((words) => row(chip('Stalled', 'gone'), words, to('Examine', 'doctor'))),
    ...(are_done ? [] : [row(chip('Jobs', 'gone'), 'No process does the jobs.', to('Examine', 'doctor'))]),
    ...(stop
      ? [
          row(
            chip('Answers', 'gone'),
            `Not written: ${stop.reason ?? ''}`,
            act('Reset', 'resetCircuit', {}, '/ops'),
          ),
        ]
      : []),
    ...lists
      .filter(({ latest }) => latest?.outcome === 'alarm')
      .map(({ kind, latest }) =>
        row(
          chip('List', 'gone'),
          `The ${kind} list was refused: ${latest?.detail ?? ''}`,
          ...(latest ? [act('Import it', 'acceptList', { id: String(latest.id) }, '/ops')] : []),
          to('Look', 'imports'),
        ),
      ),
    ...imports
      .filter(({ state }) => state === 'failed' || state === 'interrupted')
      .map(({ id, file, state, problem }) =>
        row(chip('Import', 'gone'), `${file} ${state}. ${problem ?? ''}`, to('Look', `imports/${id}`)),
      ),
    ...unknown.texts
      .slice(0, 3)
      .map(({ source, answers, text }) =>
        row(
          chip('Registry', 'wait'),
          `${grouped(answers)} answers of ${source} are not understood: ${(text ?? '').slice(0, 200)}`,
          to('Look', 'show/listUnknownAnswers'),
        ),
      ),
    ...jobs.flatMap(({ name, paused }) =>
      paused
        ? [
            row(
              chip('Paused', 'wait'),
              `${name}, by ${paused.by}: ${paused.reason}`,
              act('Resume', 'resumeJob', { name }, '/ops'),
            ),
          ]
        : [],
    ),
    ...(webhooks.held > 0
      ? [
          row(
            chip('Webhooks', 'wait'),
            `${grouped(webhooks.held)} deliveries are held.`,
            to('Look', 'webhooks'),
          ),
        ]
      : []),
  ];
}

function orderDecisions(
  stops: readonly { readonly words: string }[],
  { findings_all: all, findings: [newest] }: AnswerOf<'Registrars'>,
): Row[] {
  return [
    ...stops.map(({ words }) => ({
      cells: [chip('Ordering', 'gone'), plain(`Stopped: ${words}`)],
      links: [{ words: 'Look', href: '/ops/orders' }],
    })),
    ...(newest
      ? [
          {
            cells: [
              chip('Registrar', 'gone'),
              plain(`${grouped(all)} differences, such as ${newest.subject}: ${newest.words}`),
            ],
            links: [{ words: 'Look', href: '/ops/registrars' }],
          },
        ]
      : []),
  ];
}

function failedJob({ name, failures, last_error, last_error_at }: JobDto, now: Date): Row {
  const links = [act('Run now', 'runJob', { name }, '/ops'), act('Pause', 'pauseJob', { name }, '/ops')];
  return { ...failedRow(name, failures, last_error, last_error_at, now), links };
}

function failedRow(
  what: string,
  failures: number,
  why: string | null | undefined,
  at: string | null | undefined,
  now: Date,
): Row {
  return { cells: [plain(what), cellOf(failures, now), cellOf(why, now), cellOf(at, now)] };
}

type JobDto = InstanceType<typeof Job>;

export function fetchTable(
  heading: string,
  fetches: readonly InstanceType<typeof Fetch>[],
  now: Date,
): Block {
  return {
    heading,
    heads: ['List', 'Result', 'When', 'Rows', 'Rejected', 'Why'],
    rows: fetches.map((one) => ({
      cells: [
        plain(`${one.kind}, ${new URL(one.address).host}`),
        state(one.outcome ?? 'running'),
        cellOf(one.started_at, now),
        cellOf(one.rows, now),
        cellOf(one.rejected, now),
        cellOf(one.detail, now),
      ],
    })),
    empty: 'No list was fetched yet.',
  };
}

export function importTable(
  heading: string,
  imports: readonly InstanceType<typeof Import>[],
  now: Date,
): Block {
  return {
    heading,
    heads: ['File', 'State', 'When', 'By', 'Rows', 'New', 'Rejected'],
    rows: imports.map(({ id, file, state: word, dry_run, started_at, by, rows, report }) => ({
      cells: [
        { words: `${file}${dry_run ? ' (dry run)' : ''}`, href: `/ops/imports/${id}` },
        state(word),
        cellOf(started_at, now),
        plain(by),
        cellOf(rows, now),
        cellOf(report?.added, now),
        cellOf(report?.rejected, now),
      ],
    })),
    empty: 'Nothing was uploaded in the last 30 days.',
  };
}
