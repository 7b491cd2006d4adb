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
  type Link,
  type PageRequest,
  plain,
  type Row,
  state,
} from './blocks.js';
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
  '': { name: 'Today', title: 'Today', view: showToday },
  doctor: { name: 'Doctor', title: 'Doctor', view: showDiagnosis },
  imports: { name: 'Imports', title: 'Lists and imports', view: showImports },
  names: { name: 'Names', title: 'Names', view: showName },
  accounts: { name: 'Accounts', title: 'Accounts', view: showAccounts },
  subscriptions: { name: 'Subscriptions', title: 'Subscriptions', view: showSubscriptions },
  abuse: { name: 'Abuse', title: 'Who takes most', view: showTakers },
  webhooks: { name: 'Webhooks', title: 'Webhooks', view: showWebhooks },
  orders: { name: 'Orders', title: 'Orders', view: showOrdering },
  registrars: { name: 'Registrars', title: 'Registrars', view: showRegistrars },
  incidents: { name: 'Incidents', title: 'Incidents', view: showIncidents },
  jobs: { name: 'Jobs', title: 'Jobs', view: showJobs },
  backups: { name: 'Backups', title: 'Backups', view: showBackups },
  audit: { name: 'Audit', title: 'Audit log', view: showAudit },
  more: { name: 'More', title: 'All commands', view: showCommands },
};

/** Pages of one thing each, by the page of their list. */
export const DETAILS: Readonly<Record<string, OperatorPage>> = {
  imports: { name: 'Imports', title: 'Import', view: showImport },
  accounts: { name: 'Accounts', title: 'Account', view: showAccount },
  orders: { name: 'Orders', title: 'Order', view: showOrder },
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
    problems === 0 ? 'No problem found.' : `${problems} ${problems === 1 ? 'problem' : 'problems'}.`;
  return [
    {
      lead: `${lead} Connections were opened and closed; no registry was asked about a name.`,
      heading: 'Examined now',
      heads: ['Part', 'State', 'Found', 'What to do'],
      rows: checks
        .toSorted((one, other) => rank(one.state) - rank(other.state))
        .map(({ part, state: word, finding, remedy }) => ({
          cells: [plain(part.replaceAll('_', ' ')), state(word), plain(finding), plain(remedy ?? '–')],
        })),
      links: [{ words: 'Examine again', href: '/ops/doctor' }],
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
    lists.length === 0
      ? 'No list is fetched: LIST_DELETED_URLS and LIST_EXPIRED_URLS are empty.'
      : `${lists.length} addresses are fetched by themselves.`;
  return [
    {
      heading: 'Import a file',
      lead: 'A dry run checks and counts everything and changes nothing. Then send the file again without it.',
      form: formOf('uploadList', commandOf('uploadList'), { values: query }),
    },
    importTable('Uploaded', uploads, now),
    {
      ...fetchTable('Fetched', fetches, now),
      lead: fetched,
      ...(lists.length > 0 && {
        links: [act('Fetch now', 'runJob', { name: 'list-fetch' }, '/ops/imports')],
      }),
    },
  ];
}

async function showImport({ services, now, id }: PageRequest): Promise<Block[]> {
  const { report, ...found } = await services.imports.show(id);
  const { state: word, dry_run: isDry, has_rejects: hasRejects } = found;
  const rejects = { words: 'Rejected rows as a file', href: `/ops/file/downloadRejects?id=${id}` };
  return [
    ...blocksOf({ ...found }, now).map((block) => ({
      ...block,
      links: [
        ...(word === 'running' ? [{ words: 'Look again', href: `/ops/imports/${id}` }] : []),
        ...(hasRejects ? [rejects] : []),
      ],
    })),
    ...(report ? blocksOf(report, now, undefined, isDry ? 'What an import would do' : 'What it did') : []),
    ...(isDry && word === 'done'
      ? [
          {
            heading: 'Import it',
            lead: 'The file was not kept: choose it again.',
            form: formOf('uploadList', commandOf('uploadList'), {
              values: { dry_run: 'false', reason: found.reason },
            }),
          },
        ]
      : []),
  ];
}

async function showName({ services, now, query }: PageRequest): Promise<Block[]> {
  const { domain } = query;
  const form = { ...formOf('showName', commandOf('showName'), { values: query }), path: '/ops/names' };
  const ask = { form: { ...form, button: 'Show everything we know' } };
  if (domain === undefined) return [ask];
  const { row, ...evidence } = await services.dataset.show(domain);
  const back = `/ops/names?domain=${encodeURIComponent(evidence.domain)}`;
  const to = (words: string, command: string) => act(words, command, { domain: evidence.domain }, back);
  return [
    ask,
    {
      heading: evidence.domain,
      ...(row ? { facts: [] } : { lead: 'The dataset has no row of it.' }),
      links: [
        ...(row ? [row.hidden === true ? to('Show it again', 'unhideName') : to('Hide it', 'hideName')] : []),
        ...(row ? [to('Remove it', 'removeName')] : []),
        to('Remove its former site', 'removeSite'),
        to('Check now', 'checkName'),
        to('Release a hold', 'releaseHold'),
      ],
    },
    ...(row ? blocksOf(row, now, undefined, 'Row') : []),
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
    { form: { ...form, fields, path: '/ops/accounts', button: 'Find' } },
    {
      heading: email ? 'Found' : `The newest ${SHOWN}`,
      heads: ['Account', 'State', 'Tier', 'Working keys', 'Created'],
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
      empty: 'There is no such account.',
      links: [
        { words: 'Keys', href: '/ops/show/listKeys' },
        { words: 'Usage', href: '/ops/show/listUsage' },
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
      ? [act('Revoke', 'revokeKey', { id: row.id }, back)]
      : [],
  );
  return [
    {
      ...facts,
      links: [
        to('Set the tier', 'setTier'),
        account.disabled_at === null ? to('Disable', 'disableAccount') : to('Enable', 'enableAccount'),
        to('Revoke all keys', 'revokeKeys'),
        to('Remove', 'removeAccount'),
        { words: 'Charged', href: `/ops/show/listUsage?account=${id}` },
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
    { words: 'Look', href: `/ops/accounts/${String(account)}` },
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
      heading: 'Networks, accounts and keys',
      heads: ['Who', 'Records', 'List pages', 'Refusals'],
      rows: takers.map(({ taker, records, pages, refusals }) => ({
        cells: [plain(taker), cellOf(records, now), cellOf(pages, now), cellOf(refusals, now)],
        links: linksOfTaker(taker),
      })),
      empty: 'Nobody took anything in these hours.',
    },
    {
      heading: 'Blocked and allowed',
      heads: ['Network', 'State', 'Ends', 'Why', 'By'],
      rows: rules.map(({ network, verdict, ends_at, reason, set_by }) => ({
        cells: [
          plain(network),
          verdict === 'block' ? chip('blocked', 'gone') : chip('allowed', 'free'),
          cellOf(ends_at, now),
          plain(reason),
          plain(set_by),
        ],
        links: [act('Clear', 'clearNetwork', { network }, '/ops/abuse')],
      })),
      empty: 'No network is blocked or allowed.',
      links: [
        act('Block a network', 'blockNetwork', {}, '/ops/abuse'),
        act('Allow a network', 'allowNetwork', {}, '/ops/abuse'),
      ],
    },
    { heading: 'Other hours', form: { ...form, path: '/ops/abuse' } },
  ];
}

function linksOfTaker(taker: string): Link[] {
  const id = taker.slice(taker.indexOf(':') + 1);
  if (taker.startsWith('account:')) return [{ words: 'Look', href: `/ops/accounts/${id}` }];
  if (taker.startsWith('key:')) return [act('Revoke', 'revokeKey', { id }, '/ops/abuse')];
  return [
    act('Block', 'blockNetwork', { network: id }, '/ops/abuse'),
    act('Allow', 'allowNetwork', { network: id }, '/ops/abuse'),
  ];
}

async function showWebhooks({ services, now }: PageRequest): Promise<Block[]> {
  return blocksOf(await services.records.readWebhooks(), now).map((block) => ({
    ...block,
    lead: 'Held are deliveries of disabled accounts, of tiers without webhooks, and to hosts that are not proven.',
    links: [act('Deliver now', 'runJob', { name: 'webhook-outbox' }, '/ops/webhooks')],
  }));
}

async function showIncidents({ services, now }: PageRequest): Promise<Block[]> {
  const { incidents } = await services.incidents.list();
  return [
    {
      heading: 'On the status page',
      lead: 'Everybody reads title and words, within a minute.',
      heads: ['Title', 'State', 'Began', 'Ended', 'Words'],
      rows: incidents.map(({ id, title, words, began_at: began, ended_at: ended }) => ({
        cells: [
          { words: title, href: '/status/incidents' },
          ended === null ? chip('open', 'gone') : chip('resolved', 'free'),
          cellOf(began, now),
          cellOf(ended, now),
          plain(words),
        ],
        links: [
          act('Change', 'updateIncident', { id, title, words }, '/ops/incidents'),
          ...(ended === null ? [act('It is over', 'endIncident', { id, words }, '/ops/incidents')] : []),
          act('Remove', 'removeIncident', { id }, '/ops/incidents'),
        ],
      })),
      empty: 'No incident was written yet.',
      links: [act('Write an incident', 'openIncident', {}, '/ops/incidents')],
    },
  ];
}

async function showJobs({ services, now }: PageRequest): Promise<Block[]> {
  const { holder, jobs } = await services.jobs.list();
  return [
    {
      heading: 'Every job that has run',
      lead: holder ? `A process does them; its lease ends at ${holder.until}.` : 'No process does the jobs.',
      heads: ['Job', 'State', 'Next run', 'Last success', 'Last failure'],
      rows: jobs.map((job) => ({
        cells: [
          plain(job.name),
          state(job.paused ? 'paused' : job.failures > 0 ? 'failing' : job.is_due ? 'due' : 'on time'),
          cellOf(job.next_due, now),
          cellOf(job.last_success_at, now),
          cellOf(job.last_error, now),
        ],
        links: [
          act('Run now', 'runJob', { name: job.name }, '/ops/jobs'),
          job.paused
            ? act('Resume', 'resumeJob', { name: job.name }, '/ops/jobs')
            : act('Pause', 'pauseJob', { name: job.name }, '/ops/jobs'),
        ],
      })),
      empty: 'No job has run yet.',
    },
  ];
}

async function showBackups({ services, now }: PageRequest): Promise<Block[]> {
  const [{ backups }, { jobs }] = await Promise.all([services.records.readStatus(), services.jobs.list()]);
  const links = jobs
    .filter(({ name }) => name.startsWith('backup'))
    .map(({ name }) => act(`Run ${name}`, 'runJob', { name }, '/ops/backups'));
  const lead = 'Files, restores and recovery are work for the command line: docs/operations/backup.md.';
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
    { links: [{ words: 'Older', href: `${path}?${new URLSearchParams({ ...given, ...more }).toString()}` }] },
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
  return [{ heads: ['Command', 'It', 'On the command line'], heading: 'Every command', rows }];
}
