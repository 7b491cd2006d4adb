import { fillIn, t } from '../../texts/texts.js';
import { ApiError } from '../../errors/api-error.js';
import { isObject } from '../../validation/unknown-values.js';
import type { AnswerOf } from '../answers.js';
import type { ServiceCommand } from '../command.js';
import { argumentsOf, SERVED, show } from '../perform.js';
import {
  act,
  type Block,
  blocksOf,
  cellOf,
  chip,
  formOf,
  type FormView,
  type Link,
  type PageRequest,
  plain,
  type Row,
  state,
  timesInWords,
} from './blocks.js';
import { distanceInWords } from '../../web/layout/words.js';
import { showOrder, showOrdering, showRegistrars } from './orders.js';
import { fetchTable, importTable, showToday } from './today.js';

interface OperatorPage {
  readonly name: string;
  readonly title: string;
  view(request: PageRequest): Promise<Block[]>;
}

/** Rows of a list on a page. */
const SHOWN = 100;

/** The pages by their addresses below /ops, in the order of the menu. Other commands are reached by the last one. */
export const PAGES: Readonly<Record<string, OperatorPage>> = {
  '': { name: t.ops.today, title: t.ops.today, view: showDay },
  doctor: { name: t.ops.doctor, title: t.ops.doctor, view: showDiagnosis },
  imports: { name: t.ops.imports, title: t.ops.listsAndImports, view: showImports },
  names: { name: t.ops.names, title: t.ops.names, view: showName },
  accounts: { name: t.ops.accounts, title: t.ops.accounts, view: showAccounts },
  subscriptions: { name: t.ops.subscriptions, title: t.ops.subscriptions, view: showSubscriptions },
  abuse: { name: t.ops.abuse, title: t.ops.whoTakesMost, view: showTakers },
  webhooks: { name: t.ops.webhooks, title: t.ops.webhooks, view: showWebhooks },
  orders: { name: t.ops.orders, title: t.ops.orders, view: showOrdering },
  registrars: { name: t.ops.registrars, title: t.ops.registrars, view: showRegistrars },
  incidents: { name: t.ops.incidents, title: t.ops.incidents, view: showIncidents },
  jobs: { name: t.ops.jobs, title: t.ops.jobs, view: showJobs },
  backups: { name: t.ops.backups, title: t.ops.backups, view: showBackups },
  audit: { name: t.ops.audit, title: t.ops.auditLog, view: showAudit },
  more: { name: t.ops.more, title: t.ops.allCommands, view: showCommands },
};

/** Pages of one thing each, by the page of their list. */
export const DETAILS: Readonly<Record<string, OperatorPage>> = {
  imports: { name: t.ops.imports, title: t.ops.import, view: showImport },
  accounts: { name: t.ops.accounts, title: t.ops.account, view: showAccount },
  orders: { name: t.ops.orders, title: t.ops.order, view: showOrder },
};

export function missing(): ApiError {
  return new ApiError('not_found', 'There is no such page.');
}

/** @throws {ApiError} not_found */
export function commandOf(name: string): ServiceCommand {
  const command = SERVED.get(name);
  if (!command) throw missing();
  return command;
}

/** The arguments of a command that the address of a page has. */
function givenTo(command: ServiceCommand, query: Readonly<Record<string, string>>): Record<string, string> {
  const known = argumentsOf(command);
  return Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(known, name)));
}

async function showDiagnosis({ services }: PageRequest): Promise<Block[]> {
  const { problems, checks } = await services.doctor.examine();
  const rank = (one: string) => ['problem', 'well', 'off'].indexOf(one);
  const lead =
    problems === 0 ? t.ops.noProblemFound : `${problems} ${problems === 1 ? 'problem' : 'problems'}.`;
  return [
    {
      lead: fillIn(t.ops.examinedHint, { found: lead }),
      heading: t.ops.examinedNow,
      heads: [t.ops.part, t.ops.state, t.ops.found, t.ops.whatToDo],
      rows: checks
        .toSorted((one, other) => rank(one.state) - rank(other.state))
        .map(({ part, state: word, finding, remedy }) => ({
          cells: [
            plain(part.replaceAll('_', ' ')),
            state(word),
            plain(timesInWords(finding)),
            plain(remedy ?? '–'),
          ],
        })),
      links: [{ words: t.ops.examineAgain, href: '/ops/doctor' }],
    },
  ];
}

async function showImports({ services, now, query }: PageRequest): Promise<Block[]> {
  const { records, imports } = services;
  const [{ lists }, { fetches }, { imports: uploads }] = await Promise.all([
    records.listLists(),
    records.listFetches(10),
    imports.list(),
  ]);
  const fetched =
    lists.length === 0 ? t.ops.noAddresses : fillIn(t.ops.addressesFetched, { addresses: lists.length });
  return [
    {
      heading: t.ops.importAFile,
      lead: t.ops.dryRunHint,
      form: formOf('uploadList', commandOf('uploadList'), { values: query }),
    },
    importTable(t.ops.uploaded, uploads, now),
    {
      ...fetchTable(t.ops.fetched, fetches, now),
      lead: fetched,
      ...(lists.length > 0 && {
        links: [act(t.ops.fetchNow, 'runJob', { name: 'list-fetch' }, '/ops/imports')],
      }),
    },
  ];
}

async function showImport({ services, now, id }: PageRequest): Promise<Block[]> {
  const { report, ...found } = await services.imports.show(id);
  const { state: word, dry_run: isDry, has_rejects: hasRejects } = found;
  const rejects = { words: t.ops.rejectedFile, href: `/ops/file/downloadRejects?id=${id}` };
  return [
    ...blocksOf({ ...found }, now).map((block) => ({
      ...block,
      links: [
        ...(word === 'running' ? [{ words: t.ops.lookAgain, href: `/ops/imports/${id}` }] : []),
        ...(hasRejects ? [rejects] : []),
      ],
    })),
    ...(report ? blocksOf(report, now, undefined, isDry ? t.ops.dryRunResult : t.ops.whatItDid) : []),
    ...(isDry && word === 'done'
      ? [
          {
            heading: t.ops.importIt,
            lead: t.ops.fileNotKept,
            form: formOf('uploadList', commandOf('uploadList'), {
              values: { dry_run: 'false', reason: found.reason },
            }),
          },
        ]
      : []),
  ];
}

/** What waits for an operator, and the way to a name. */
async function showDay(request: PageRequest): Promise<Block[]> {
  const lookUp = { isAside: true, heading: t.ops.lookUpName, form: nameForm({}) };
  return [lookUp, ...(await showToday(request))];
}

function nameForm(values: PageRequest['query']): FormView {
  const form = formOf('showName', commandOf('showName'), { values });
  return { ...form, path: '/ops/names', button: t.ops.showAll };
}

async function showName({ services, now, query }: PageRequest): Promise<Block[]> {
  const { domain } = query;
  const ask = { form: nameForm(query) };
  if (domain === undefined) return [ask];
  const { row, ...evidence } = await services.dataset.show(domain);
  const back = `/ops/names?domain=${encodeURIComponent(evidence.domain)}`;
  const to = (words: string, command: string) => act(words, command, { domain: evidence.domain }, back);
  return [
    ask,
    {
      heading: evidence.domain,
      ...(row ? { facts: [] } : { lead: t.ops.noRow }),
      links: [
        ...(row
          ? [row.hidden === true ? to(t.ops.showItAgain, 'unhideName') : to(t.ops.hideIt, 'hideName')]
          : []),
        ...(row ? [to(t.ops.removeIt, 'removeName')] : []),
        to(t.ops.removeFormerSite, 'removeSite'),
        to(t.ops.checkNow, 'checkName'),
        to(t.ops.releaseAHold, 'releaseHold'),
      ],
    },
    ...(row ? blocksOf(row, now, undefined, t.ops.row) : []),
    ...blocksOf(evidence, now).filter(({ heading }) => heading !== ''),
  ];
}

async function showAccounts({ services, now, query }: PageRequest): Promise<Block[]> {
  const command = commandOf('listAccounts');
  const { email } = query;
  const { accounts } = await services.accounts.list(SHOWN, email === '' ? undefined : email);
  const form = formOf('listAccounts', command, { values: query });
  const fields = form.fields.filter(({ name }) => name === 'email');
  return [
    { form: { ...form, fields, path: '/ops/accounts', button: t.ops.find } },
    {
      heading: email ? t.ops.found : fillIn(t.ops.theNewest, { count: SHOWN }),
      heads: [t.ops.account, t.ops.state, t.ops.tier, t.ops.workingKeys, t.ops.created],
      rows: accounts.map((one) => ({
        cells: [
          { words: one.email, href: `/ops/accounts/${one.id}` },
          one.disabled_at
            ? chip('disabled', 'gone')
            : one.confirmed
              ? chip('on', 'free')
              : chip('not confirmed', 'wait'),
          plain(one.tier),
          cellOf(one.working_keys, now),
          cellOf(one.created_at, now),
        ],
      })),
      empty: t.ops.noAccount,
      links: [
        { words: t.ops.keys, href: '/ops/show/listKeys' },
        { words: t.ops.usage, href: '/ops/show/listUsage' },
      ],
    },
  ];
}

async function showAccount({ services, now, id }: PageRequest): Promise<Block[]> {
  const [account, usage, audit] = await Promise.all([
    services.accounts.show({ id }),
    services.accounts.usage({ id }),
    services.records.listAudit({ subject: `account:${id}`, limit: 20 }),
  ]);
  const back = `/ops/accounts/${id}`;
  const to = (words: string, command: string) => act(words, command, { id }, back);
  const [facts = {}, ...others] = blocksOf({ ...account }, now, (list, row) =>
    list === 'keys' && row.works === true && typeof row.id === 'string'
      ? [act(t.ops.revoke, 'revokeKey', { id: row.id }, back)]
      : [],
  );
  return [
    {
      ...facts,
      links: [
        to(t.ops.setTheTier, 'setTier'),
        account.disabled_at === null
          ? to(t.ops.disable, 'disableAccount')
          : to(t.ops.enable, 'enableAccount'),
        to(t.ops.revokeAllKeys, 'revokeKeys'),
        to(t.ops.remove, 'removeAccount'),
        { words: t.ops.charged, href: `/ops/show/listUsage?account=${id}` },
      ],
    },
    ...others,
    ...blocksOf({ minute: usage.minute, quota: usage.quota }, now),
    ...blocksOf({ audit: audit.entries }, now),
  ];
}

async function showSubscriptions({ services, now }: PageRequest): Promise<Block[]> {
  const { subscriptions } = await services.accounts.listSubscriptions(SHOWN);
  return blocksOf({ subscriptions }, now, (_, { account }) => [
    { words: t.ops.look, href: `/ops/accounts/${String(account)}` },
  ]);
}

async function showTakers({ services, now, query }: PageRequest): Promise<Block[]> {
  const command = commandOf('listTakers');
  const [{ takers }, { rules }] = await Promise.all([
    show(command, services, givenTo(command, query)) as Promise<AnswerOf<'Takers'>>,
    services.networks.listRules(),
  ]);
  const form = formOf('listTakers', command, { values: query });
  return [
    {
      heading: t.ops.takers,
      heads: [t.ops.who, t.ops.records, t.ops.listPages, t.ops.refusals],
      rows: takers.map(({ taker, records, pages, refusals }) => ({
        cells: [plain(taker), cellOf(records, now), cellOf(pages, now), cellOf(refusals, now)],
        links: linksOfTaker(taker),
      })),
      empty: t.ops.noTakers,
    },
    {
      heading: t.ops.blockedAndAllowed,
      heads: [t.ops.network, t.ops.state, t.ops.ends, t.ops.why, t.ops.by],
      rows: rules.map(({ network, verdict, ends_at, reason, set_by }) => ({
        cells: [
          plain(network),
          verdict === 'block' ? chip('blocked', 'gone') : chip('allowed', 'free'),
          cellOf(ends_at, now),
          plain(reason),
          plain(set_by),
        ],
        links: [act(t.ops.clear, 'clearNetwork', { network }, '/ops/abuse')],
      })),
      empty: t.ops.noNetworks,
      links: [
        act(t.ops.blockANetwork, 'blockNetwork', {}, '/ops/abuse'),
        act(t.ops.allowANetwork, 'allowNetwork', {}, '/ops/abuse'),
      ],
    },
    { heading: t.ops.otherHours, form: { ...form, path: '/ops/abuse' } },
  ];
}

function linksOfTaker(taker: string): Link[] {
  const id = taker.slice(taker.indexOf(':') + 1);
  if (taker.startsWith('account:')) return [{ words: t.ops.look, href: `/ops/accounts/${id}` }];
  if (taker.startsWith('key:')) return [act(t.ops.revoke, 'revokeKey', { id }, '/ops/abuse')];
  return [
    act(t.ops.block, 'blockNetwork', { network: id }, '/ops/abuse'),
    act(t.ops.allow, 'allowNetwork', { network: id }, '/ops/abuse'),
  ];
}

async function showWebhooks({ services, now }: PageRequest): Promise<Block[]> {
  return blocksOf(await services.records.readWebhooks(), now).map((block) => ({
    ...block,
    lead: t.ops.heldHint,
    links: [act(t.ops.deliverNow, 'runJob', { name: 'webhook-outbox' }, '/ops/webhooks')],
  }));
}

async function showIncidents({ services, now }: PageRequest): Promise<Block[]> {
  const { incidents } = await services.incidents.list();
  return [
    {
      heading: t.ops.statusPage,
      lead: t.ops.incidentHint,
      heads: [t.ops.title, t.ops.state, t.ops.began, t.ops.ended, t.ops.words],
      rows: incidents.map(({ id, title, words, began_at: began, ended_at: ended }) => ({
        cells: [
          { words: title, href: '/status/incidents' },
          ended === null ? chip('open', 'gone') : chip('resolved', 'free'),
          cellOf(began, now),
          cellOf(ended, now),
          plain(words),
        ],
        links: [
          act(t.ops.change, 'updateIncident', { id, title, words }, '/ops/incidents'),
          ...(ended === null ? [act(t.ops.itIsOver, 'endIncident', { id, words }, '/ops/incidents')] : []),
          act(t.ops.remove, 'removeIncident', { id }, '/ops/incidents'),
        ],
      })),
      empty: t.ops.noIncidents,
      links: [act(t.ops.writeAnIncident, 'openIncident', {}, '/ops/incidents')],
    },
  ];
}

async function showJobs({ services, now }: PageRequest): Promise<Block[]> {
  const { holder, jobs } = await services.jobs.list();
  return [
    {
      heading: t.ops.allJobs,
      lead: holder
        ? fillIn(t.ops.worker, { until: distanceInWords(new Date(holder.until), now) })
        : t.ops.noWorker,
      heads: [t.ops.job, t.ops.state, t.ops.nextRun, t.ops.lastSuccess, t.ops.lastFailure],
      rows: jobs.map((job) => ({
        cells: [
          plain(job.name),
          state(job.paused ? 'paused' : job.failures > 0 ? 'failing' : job.is_due ? 'due' : 'on time'),
          cellOf(job.next_due, now),
          cellOf(job.last_success_at, now),
          plain(timesInWords(job.last_error ?? '–')),
        ],
        links: [
          act(t.ops.runNow, 'runJob', { name: job.name }, '/ops/jobs'),
          job.paused
            ? act(t.ops.resume, 'resumeJob', { name: job.name }, '/ops/jobs')
            : act(t.ops.pause, 'pauseJob', { name: job.name }, '/ops/jobs'),
        ],
      })),
      empty: t.ops.noJobs,
    },
  ];
}

async function showBackups({ services, now }: PageRequest): Promise<Block[]> {
  const [{ backups }, { jobs }] = await Promise.all([services.records.readStatus(), services.jobs.list()]);
  const links = jobs
    .filter(({ name }) => name.startsWith('backup'))
    .map(({ name }) => act(fillIn(t.ops.run, { name }), 'runJob', { name }, '/ops/backups'));
  const lead = t.ops.backupHint;
  return blocksOf({ ...backups }, now).map((block) => ({ ...block, lead, links }));
}

async function showAudit(request: PageRequest): Promise<Block[]> {
  return showAnswer('readAudit', request, '/ops/audit');
}

/** The form of a command that shows something, and its answer once all that it needs is given. */
export async function showAnswer(
  name: string,
  { services, now, query }: PageRequest,
  path = `/ops/show/${name}`,
): Promise<Block[]> {
  const command = commandOf(name);
  // Changes have forms, and files are no page.
  if (command.answer === undefined || command.action !== undefined) throw missing();
  const known = Object.entries(argumentsOf(command));
  const given = Object.fromEntries(
    Object.entries(givenTo(command, query)).filter(([, value]) => value !== ''),
  );
  const form = { ...formOf(name, command, { values: given }), path };
  const ask = known.length > 0 ? [{ form }] : [];
  if (known.some(([one, { isRequired }]) => isRequired && given[one] === undefined)) return ask;
  const answer = await show(command, services, given);
  if (!isObject(answer)) return ask;
  return [...ask, ...blocksOf(answer, now), ...pagesOf(answer, given, path)];
}

/** Where a long answer goes on. */
function pagesOf(
  answer: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, string>>,
  path: string,
): Block[] {
  const { entries, has_more: hasMore } = answer;
  const last: unknown = Array.isArray(entries) ? entries.at(-1) : undefined;
  const next = hasMore === true ? { page: String(Number(given.page ?? 1) + 1) } : undefined;
  const older =
    isObject(last) && Array.isArray(entries) && entries.length >= SHOWN
      ? { before: String(last.id) }
      : undefined;
  const more = next ?? older;
  if (!more) return [];
  return [
    {
      links: [
        { words: t.ops.older, href: `${path}?${new URLSearchParams({ ...given, ...more }).toString()}` },
      ],
    },
  ];
}

async function showCommands(): Promise<Block[]> {
  const rows = [...SERVED].map(([name, { summary, words, action, file, arguments: own = {} }]): Row => {
    const door = action !== undefined ? 'do' : file !== undefined ? 'file' : 'show';
    // A file has no form of its own: the page of what it belongs to leads to it.
    const isLed = door === 'file' && Object.values(own).some(({ isRequired }) => isRequired);
    return {
      cells: [
        isLed ? plain(summary) : { words: summary, href: `/ops/${door}/${name}` },
        plain(action === undefined ? 'shows' : 'changes'),
        plain(words === null ? '–' : `bowerbird ${words}`),
      ],
    };
  });
  return [{ heads: [t.ops.command, t.ops.it, t.ops.commandLine], heading: t.ops.everyCommand, rows }];
}
