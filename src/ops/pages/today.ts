import { fillIn, grouped, t } from '../../texts/texts.js';
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
      isList: true,
      heading: t.ops.needsADecision,
      heads: [t.ops.what, t.ops.why],
      rows: [
        ...decisionsOf(status, { jobs: all, lists, imports: recent, unknown }),
        ...orderDecisions(stops, registrars),
      ],
      empty: t.ops.nothingNeedsADecision,
    },
    {
      heading: t.ops.whatFailed,
      heads: [t.ops.what, t.ops.failures, t.ops.lastFailure, t.ops.when],
      rows: [
        ...all.filter(({ failures }) => failures > 0).map((job) => failedJob(job, now)),
        ...lists.flatMap(({ kind, failures, latest }) =>
          failures > 0 ? [failedRow(`${kind} list`, failures, latest?.detail, latest?.started_at, now)] : [],
        ),
      ],
      empty: t.ops.noFailures,
    },
    fetchTable(t.ops.whatCame, fetches, now),
    ...(recent.length > 0 ? [importTable(t.ops.uploadedToday, recent, now)] : []),
    {
      heading: t.ops.waitingUntilWhen,
      heads: [t.ops.queue, t.ops.waiting, t.ops.oldest, t.ops.expectedEnd],
      rows: Object.entries(QUEUES).map(([name, words]) => {
        const queue = dataset.queues[name as keyof typeof QUEUES];
        const waiting = plain(waitingOf(queue));
        return { cells: [plain(words), waiting, cellOf(queue.oldest, now), cellOf(queue.ends_at, now)] };
      }),
    },
    {
      isAside: true,
      heading: t.ops.inNumbers,
      facts: [
        [t.ops.namesOnOffer, cellOf(dataset.offers.available, now)],
        [
          fillIn(t.ops.confirmedInDays, { days: dataset.confirmation.days }),
          cellOf(dataset.confirmation.confirmed, now),
        ],
        [t.ops.deliveriesDue, cellOf(webhooks.pending, now)],
        [t.ops.failedDeliveries, cellOf(webhooks.failed_today, now)],
        [t.ops.accounts, cellOf(accounts.all, now)],
        [t.ops.workingKeys, cellOf(accounts.working_keys, now)],
        [t.ops.version, plain(status.version)],
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
    ...stalled.map((words) => row(chip(t.ops.stalled, 'gone'), words, to(t.ops.examine, 'doctor'))),
    ...(are_done ? [] : [row(chip(t.ops.jobs, 'gone'), t.ops.noWorker, to(t.ops.examine, 'doctor'))]),
    ...(stop
      ? [
          row(
            chip(t.ops.answers, 'gone'),
            fillIn(t.ops.notWritten, { reason: stop.reason ?? '' }),
            act(t.ops.reset, 'resetCircuit', {}, '/ops'),
          ),
        ]
      : []),
    ...lists
      .filter(({ latest }) => latest?.outcome === 'alarm')
      .map(({ kind, latest }) =>
        row(
          chip(t.ops.list, 'gone'),
          fillIn(t.ops.listRefused, { kind, why: latest?.detail ?? '' }),
          ...(latest ? [act(t.ops.importIt, 'acceptList', { id: String(latest.id) }, '/ops')] : []),
          to(t.ops.look, 'imports'),
        ),
      ),
    ...imports
      .filter(({ state }) => state === 'failed' || state === 'interrupted')
      .map(({ id, file, state, problem }) =>
        row(
          chip(t.ops.import, 'gone'),
          `${file} ${state}. ${problem ?? ''}`,
          to(t.ops.look, `imports/${id}`),
        ),
      ),
    ...unknown.texts.slice(0, 3).map(({ source, answers, text }) =>
      row(
        chip(t.ops.registry, 'wait'),
        fillIn(t.ops.answersUnread, {
          answers: grouped(answers),
          source,
          text: (text ?? '').slice(0, 200),
        }),
        to(t.ops.look, 'show/listUnknownAnswers'),
      ),
    ),
    ...jobs.flatMap(({ name, paused }) =>
      paused
        ? [
            row(
              chip(t.ops.paused, 'wait'),
              fillIn(t.ops.pausedBy, { name, by: paused.by, reason: paused.reason }),
              act(t.ops.resume, 'resumeJob', { name }, '/ops'),
            ),
          ]
        : [],
    ),
    ...(webhooks.held > 0
      ? [
          row(
            chip(t.ops.webhooks, 'wait'),
            fillIn(t.ops.deliveriesAreHeld, { deliveries: grouped(webhooks.held) }),
            to(t.ops.look, 'webhooks'),
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
      cells: [chip(t.ops.ordering, 'gone'), plain(fillIn(t.ops.stopped, { words }))],
      links: [{ words: t.ops.look, href: '/ops/orders' }],
    })),
    ...(newest
      ? [
          {
            cells: [
              chip(t.ops.registrar, 'gone'),
              plain(
                fillIn(t.ops.differencesSuchAs, {
                  differences: grouped(all),
                  subject: newest.subject,
                  words: newest.words,
                }),
              ),
            ],
            links: [{ words: t.ops.look, href: '/ops/registrars' }],
          },
        ]
      : []),
  ];
}

function failedJob({ name, failures, last_error, last_error_at }: JobDto, now: Date): Row {
  const links = [
    act(t.ops.runNow, 'runJob', { name }, '/ops'),
    act(t.ops.pause, 'pauseJob', { name }, '/ops'),
  ];
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
    heads: [t.ops.list, t.ops.result, t.ops.when, t.ops.rows, t.ops.rejected, t.ops.why],
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
    empty: t.ops.noFetches,
  };
}

export function importTable(
  heading: string,
  imports: readonly InstanceType<typeof Import>[],
  now: Date,
): Block {
  return {
    heading,
    heads: [t.ops.file, t.ops.state, t.ops.when, t.ops.by, t.ops.rows, t.ops.new, t.ops.rejected],
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
    empty: t.ops.noUploads,
  };
}
