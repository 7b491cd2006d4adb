import { TIER_NAMES, TIERS } from '../config/tiers.js';
import { LIST_KINDS, OPERATOR_ROLES } from '../config/product.js';
import { VOUCHER, VOUCHER_RULE } from '../ingest/import/vouch.js';
import type { AccountReference } from './accounts.service.js';
import { BACKUP_COMMANDS } from './backup-commands.js';
import {
  type Argument,
  change,
  choice,
  csv,
  type CommandEntry,
  day,
  flag,
  UNTIL,
  id,
  local,
  look,
  moment,
  number,
  onCommandLine,
  optional,
  text,
  withDefault,
} from './command.js';
import { INCIDENT_COMMANDS } from './incident-commands.js';
import { DOMAIN, NAME_COMMANDS } from './name-commands.js';
import { NETWORK_COMMANDS } from './network-commands.js';
import { ORDER_COMMANDS } from './order-commands.js';
import * as printing from './printing.js';
import { REGISTRY_COMMANDS } from './registry-commands.js';

const NOT_FOUND = ['not_found'] as const;

const JOB = text('The name of a job, as the list has it.', {
  rule: 'must be the name of a job',
  pattern: /^[a-z][a-z-]{0,59}$/,
  example: 'list-fetch',
});
const EMAIL = text('The address of one account.', {
  rule: 'must be an e-mail address',
  maxLength: 254,
  pattern: /^[^\s@]+@[^\s@]+$/,
  example: 'someone@example.com',
});
const ACCOUNT_ID = id('The id of the account, as the list has it.', 'an account');
/** Over HTTP the id alone: addresses of people would stand in logs of proxies. */
const ACCOUNT: Argument<AccountReference> = {
  ...ACCOUNT_ID,
  commandLine: { name: 'email', read: (email) => ({ email }) },
  read(value) {
    const found = ACCOUNT_ID.read(value);
    return found === undefined ? undefined : { id: found };
  },
};
const ACCOUNT_TIERS = TIER_NAMES.filter((name) => TIERS[name].keyRequired);
/** A page over HTTP is short; the output of the command line can be cut by a pipe. */
const LIMIT = onCommandLine(withDefault(number('How many.', { minimum: 1, maximum: 1_000 }), 100), {
  default: 1_000,
});
const exactly = (description: string, example: string) =>
  optional(text(description, { rule: 'must be text of 300 characters at most', example }));
const DAYS = {
  from: optional(day('First day (UTC).', '2026-11-01')),
  to: optional(day('Last day (UTC); without it, today. A year at most.', '2026-11-30')),
  account: optional(id('One account; without it, all.', 'an account')),
};
const LIST_KIND = optional(
  choice('Which official drop list it is; without it, the name of the file says.', LIST_KINDS),
);
const VOUCHED_BY = optional(
  text('Who confirmed elsewhere that the names are free; they are offered on that evidence.', {
    rule: `must be ${VOUCHER_RULE}`,
    maxLength: 40,
    pattern: VOUCHER,
    example: 'registrar-a',
  }),
);
const CONFIRMED_AT = optional(moment('When that was; needed with vouched_by.', '2026-11-20T04:00:00Z'));
const MAX_REJECTS = number('Import nothing when a larger share of the rows is rejected, in percent.', {
  minimum: 0,
  maximum: 100,
  whole: false,
});
const FILE = (description: string) => text(description, { rule: 'must be a file', maxLength: 4_096 });
const OF_AN_ACCOUNT = { arguments: { id: ACCOUNT }, failures: NOT_FOUND } as const;
const OF_A_JOB = { arguments: { name: JOB }, failures: NOT_FOUND } as const;

interface Applied {
  readonly snapshot: string;
  readonly diff: string;
  readonly file: string;
  readonly key_file: string | undefined;
}
const APPLY = {
  only: 'it reads and writes local files',
  summary: 'Make the next snapshot from a snapshot and the diff after it, as uncompressed NDJSON',
  description:
    'Addresses are those of the API: https://HOST/api/v1/exports/ID, or /latest in the place of the id.',
  arguments: {
    snapshot: FILE('The folder or address of the snapshot, or the file that this command wrote last.'),
    diff: FILE('The folder or address of the diff.'),
    file: FILE('Where the lines are written.'),
    key_file: optional(FILE('For addresses: a file with an API key that has the scope export.')),
  },
  runHere: async ({ snapshot, diff, file, key_file }: Applied) =>
    (await import('./local/export.js')).applyDiff(snapshot, diff, file, key_file),
} as const;

const READ_STATUS = look('status', 'GET status', 'OperatorsStatus', {
  summary: 'The service at a glance',
  description: 'Jobs, webhooks, accounts; accuracy and freshness of the dataset.',
  run: ({ records }) => records.readStatus(),
});

const READ_DIAGNOSIS = look('doctor', 'GET doctor', 'Diagnosis', {
  summary: 'Examine the installation: what is wrong, and what to do',
  description:
    'Lists, registry, archive, mail, disk, clock, secrets, base address and backups. Connections are opened and ' +
    'closed; no registry is asked about a name.',
  run: ({ doctor }) => doctor.examine(),
});

/**
 * Every command of operators, by its operation id: the command line, /ops/v1 with its OpenAPI document, the
 * names in the audit log and docs/operations/commands.md come from here.
 */
export const COMMANDS = {
  readStatus: { ...READ_STATUS, words: null, only: 'on the command line, use `status`' },
  showStatus: local({
    words: 'status',
    only: 'it is the answer of `readStatus` in 20 lines',
    summary: 'The service at a glance, in 20 lines',
    arguments: { all: flag('Every figure.') },
    async runHere({ all }) {
      const { runCommand } = await import('./local/service.js');
      const { describeStatus } = await import('./status-lines.js');
      await runCommand(all ? READ_STATUS : { ...READ_STATUS, print: describeStatus }, {}, {});
    },
  }),
  readDiagnosis: { ...READ_DIAGNOSIS, words: null, only: 'on the command line, use `doctor`' },
  runDoctor: local({
    words: 'doctor',
    only: 'it is `readDiagnosis` with an exit code, and works without a database',
    summary: 'Examine the installation: what is wrong, and what to do',
    arguments: { json: flag('As JSON, as /ops/v1 answers.') },
    help: '\nExit code 1: there are problems.',
    async runHere({ json }) {
      await (await import('./local/doctor.js')).runDoctor(READ_DIAGNOSIS, json ?? false);
    },
  }),
  readAudit: look('audit', 'GET audit', 'Audit', {
    summary: 'Who did what, when and why',
    description: 'The newest first; for older entries, give the id of the last one as `before`.',
    arguments: {
      limit: LIMIT,
      actor: exactly('Only what this actor did.', 'operator:alice'),
      action: exactly('Only this kind of action.', 'domain.hide'),
      subject: exactly('Only what was done to it.', 'domain:surf.com.au'),
      before: optional(
        number('Only entries older than the one with this id.', {
          minimum: 1,
          maximum: 999_999_999_999_999,
        }),
      ),
    },
    run: ({ records }, query) => records.listAudit(query),
  }),
  readTiers: look('tiers', 'GET tiers', 'TiersInForce', {
    summary: 'The tier table in force',
    run: ({ records }) => records.readTiers(),
  }),
  readWebhooks: look('webhooks', 'GET webhooks', 'Webhooks', {
    summary: 'Webhooks, what waits, and since when',
    run: ({ records }) => records.readWebhooks(),
    print: printing.describeBacklog,
  }),
  listFetches: look('lists fetches', 'GET fetches', 'Fetches', {
    summary: 'Fetches of the official drop lists, the newest first',
    arguments: { limit: LIMIT },
    run: ({ records }, { limit }) => records.listFetches(limit),
  }),
  listExports: look('export list', 'GET exports', 'MadeExports', {
    summary: 'Exports that were made, the newest first',
    arguments: { limit: LIMIT },
    run: ({ records }, { limit }) => records.listExports(limit),
  }),

  listJobs: look('jobs list', 'GET jobs', 'Jobs', {
    summary: 'Every job: when it is due, its last failure, whether it is paused',
    run: ({ jobs }) => jobs.list(),
  }),
  runJob: change('jobs run', 'POST jobs/:name/run', 'job.run', 'Done', {
    summary: 'Run a job now',
    description: 'One run begins within a second in the process that does the jobs, also of a paused job.',
    ...OF_A_JOB,
    run: ({ jobs }, { name }, command) => jobs.runNow(name, command),
    print: (_, { name }) => `${name} runs now\n`,
  }),
  pauseJob: change('jobs pause', 'POST jobs/:name/pause', 'job.pause', 'Done', {
    summary: 'Pause a job until it is resumed',
    description: 'In every process. A run in progress is finished.',
    ...OF_A_JOB,
    run: ({ jobs }, { name }, command) => jobs.pause(name, command),
    print: (_, { name }) => `${name} is paused\n`,
  }),
  resumeJob: change('jobs resume', 'POST jobs/:name/resume', 'job.resume', 'Done', {
    summary: 'Resume a paused job',
    ...OF_A_JOB,
    run: ({ jobs }, { name }, command) => jobs.resume(name, command),
    print: (_, { name }) => `${name} is resumed\n`,
  }),

  import: local({
    words: 'import',
    only: 'it reads a local file; over HTTP, upload it',
    summary: 'Import dropped names',
    arguments: {
      file: FILE('CSV, plain or gzipped; a folder of them; - for standard input.'),
      dry_run: flag('Read, check and count everything, change nothing.'),
      rejects: optional(
        FILE('Write the rows that were not imported to this CSV file, with line number and reason.'),
      ),
      max_rejects: optional(MAX_REJECTS),
      kind: LIST_KIND,
      vouched_by: VOUCHED_BY,
      confirmed_at: CONFIRMED_AT,
      events: flag('Publish events also for drops that are more than 7 days old.'),
      add: flag('Add names also from a file of scores.'),
      after: optional(FILE('Of a folder, import the lists behind this one: where an import ended early.')),
    },
    help: `
The first row is a header, in one of two layouts:
  domain,wayback,first_seen,hidden          only domain is required; any order
  Date,Eligible Purge Time,Domain Name      auDA's official drop list
An empty cell keeps what the dataset has. A first file appears at once, others some hundred rows at a time: after
an interruption the same command goes on where it stopped.
Of a folder, every .csv and .csv.gz is imported, in the order of the dates (YYYY-MM-DD) in the names, each by itself.

Names are offered after a registry has called them free, or with --vouched-by. Names of a drop list wait for
their purge and are then checked; other names without evidence are unconfirmed. A file without first_seen, such
as domain,wayback, changes names that are there and adds none. A drop list that is imported again checks again
the names whose purge has passed.

Exit code 1: it failed; 130: interrupted; either message says how many rows are in, or none. 2: it is imported and a
later step failed, such as printing the report, or the outcome is not known. Importing the file again does no harm.`,
    runHere: async (values) => (await import('./local/import.js')).runImport(values),
  }),
  uploadList: change(null, 'POST imports', 'import', 'ImportDetails', {
    takesFile: true,
    makes: 'imports',
    only: 'the body is the file; on the command line, use `import`',
    summary: 'Import a list',
    description:
      'A dry run unless dry_run is false. It answers when the file has arrived; `showImport` has ' +
      'progress and result. One at a time.',
    arguments: {
      file: text('The name of the file; "deleted" or "expired" in it says which drop list it is.', {
        rule: 'must be the name of a file, up to 120 characters',
        maxLength: 120,
        pattern: /^[\w][\w .()+-]{0,119}$/,
        example: 'expired-2026-11-22.csv',
      }),
      dry_run: withDefault(
        choice('Read, check and count everything, change nothing.', ['true', 'false']),
        'true',
      ),
      kind: LIST_KIND,
      vouched_by: VOUCHED_BY,
      confirmed_at: CONFIRMED_AT,
      max_rejects_percent: withDefault(MAX_REJECTS, 100),
    },
    failures: ['bad_request', 'body_too_large', 'limit_reached'],
    run: ({ imports }, values, command, body) => imports.upload(body, values, command),
  }),
  listImports: look('imports list', 'GET imports', 'Imports', {
    summary: 'Uploaded imports of the last 30 days',
    run: ({ imports }) => imports.list(),
  }),
  showImport: look('imports show', 'GET imports/:id', 'ImportDetails', {
    summary: 'Progress and result of an uploaded import',
    arguments: { id: id('The id of an import.', 'an import') },
    failures: NOT_FOUND,
    run: ({ imports }, values) => imports.show(values.id),
  }),
  downloadRejects: csv('imports rejects', 'GET imports/:id/rejects', 'rejects.csv', {
    summary: 'The rows that were not imported, as a file',
    description: 'CSV: line, domain, reason.',
    arguments: { id: id('The id of an import.', 'an import') },
    failures: NOT_FOUND,
    run: ({ imports }, values) => imports.readRejects(values.id),
  }),
  discardImport: change('imports discard', 'POST imports/discard', 'import.discard', 'Done', {
    summary: 'Forget where an import ended early',
    description:
      'Its file then begins at the first row; rows that are in stay. `status` and `doctor` name it.',
    run: ({ imports }, _, command) => imports.discard(command),
    print: ({ changed }) => (changed ? 'it is forgotten\n' : 'no import ended early\n'),
  }),
  readLists: look('lists', 'GET lists', 'Lists', {
    summary: 'The official drop lists: last fetch, last import, alarms',
    run: ({ records }) => records.listLists(),
    print: printing.describeLists,
  }),
  acceptList: change('lists accept', 'POST fetches/:id/accept', 'list.accept', 'Done', {
    summary: 'Import a list in spite of its alarm',
    description:
      'After you have looked at it. It is fetched again within a minute, and imported if it still has the same rows.',
    arguments: {
      id: number('The id of the newest fetch of the list, as `lists fetches` has it.', {
        minimum: 1,
        maximum: 999_999_999_999_999,
      }),
    },
    failures: NOT_FOUND,
    run: ({ lists }, { id: fetch }, command) => lists.accept(fetch, command),
    print: (_, { id: fetch }) => `the list of fetch ${fetch} is imported soon\n`,
  }),
  fetchLists: local({
    words: 'lists fetch',
    only: 'it waits for the lists; over HTTP, run the job `list-fetch`',
    summary: 'Fetch every list now, due or not',
    arguments: { accept_alarms: flag('Import a list in spite of an alarm, after you have looked at it.') },
    help: '\nExit code 1: a list was not fetched, or raised an alarm.',
    runHere: async ({ accept_alarms }) =>
      (await import('./local/import.js')).fetchLists(accept_alarms === true, printing.describeFetch),
  }),

  ...NAME_COMMANDS,
  ...REGISTRY_COMMANDS,
  score: local({
    words: 'score',
    only: 'it waits minutes for the web archive',
    summary: 'Ask the web archive about a name now, compute its score and print the steps',
    arguments: {
      name: { ...DOMAIN, description: 'The name; when the dataset has it, the score is saved.' },
      file: optional(FILE('Read the answer of a CDX server from a file instead; nothing is saved.')),
    },
    runHere: async ({ name, file }) => (await import('./local/score.js')).score(name, file),
  }),

  listAccounts: look('account list', 'GET accounts', 'Accounts', {
    summary: 'Accounts, the newest first',
    arguments: { limit: LIMIT, email: optional(EMAIL) },
    run: ({ accounts }, { limit, email }) => accounts.list(limit, email),
    print: ({ accounts }) => accounts.map(printing.describeAccount).join(''),
  }),
  listSubscriptions: look('account subscriptions', 'GET subscriptions', 'Subscriptions', {
    summary: 'Subscriptions at the payment provider, and the tiers they pay for',
    arguments: { limit: LIMIT },
    run: ({ accounts }, { limit }) => accounts.listSubscriptions(limit),
  }),
  showAccount: look('account show', 'GET accounts/:id', 'AccountDetails', {
    summary: 'An account, and what belongs to it',
    ...OF_AN_ACCOUNT,
    run: ({ accounts }, values) => accounts.show(values.id),
  }),
  showUsage: look('account usage', 'GET accounts/:id/usage', 'AccountUsage', {
    summary: 'What is left of the budgets of an account',
    ...OF_AN_ACCOUNT,
    run: ({ accounts }, values) => accounts.usage(values.id),
  }),
  setTier: change('account set-tier', 'POST accounts/:id/tier', 'account.tier', 'TierSet', {
    summary: 'Put an account on a tier',
    description: 'Works within a second on every instance.',
    arguments: {
      id: ACCOUNT,
      tier: choice('The tier.', ACCOUNT_TIERS),
    },
    failures: NOT_FOUND,
    run: ({ accounts }, values, command) => accounts.setTier(values.id, values.tier, command),
    print: ({ email, before }, { tier }) => `${email}: ${before} -> ${tier}\n`,
  }),
  disableAccount: change('account disable', 'POST accounts/:id/disable', 'account.disable', 'Done', {
    summary: 'Disable an account until it is enabled again',
    description: 'Sign-in is refused, its keys do not work and its webhooks wait.',
    ...OF_AN_ACCOUNT,
    run: ({ accounts }, values, command) => accounts.setDisabled(values.id, true, command),
    print: ({ changed }, values) => `${printing.nameOf(values.id)} is disabled${printing.asItWas(changed)}\n`,
  }),
  enableAccount: change('account enable', 'POST accounts/:id/enable', 'account.enable', 'Done', {
    summary: 'Enable a disabled account',
    ...OF_AN_ACCOUNT,
    run: ({ accounts }, values, command) => accounts.setDisabled(values.id, false, command),
    print: ({ changed }, values) => `${printing.nameOf(values.id)} is enabled${printing.asItWas(changed)}\n`,
  }),
  removeAccount: change('account remove', 'POST accounts/:id/remove', 'account.remove', 'Done', {
    summary: 'Remove an account for good',
    description: 'With its keys, webhooks and everything else that belongs to it.',
    ...OF_AN_ACCOUNT,
    run: ({ accounts }, values, command) => accounts.remove(values.id, command),
    print: (_, values) => `${printing.nameOf(values.id)} is removed\n`,
  }),
  revokeKeys: change(
    'account revoke-keys',
    'POST accounts/:id/revoke-keys',
    'account.revoke-keys',
    'KeysRevoked',
    {
      summary: 'Revoke every key of an account for good',
      ...OF_AN_ACCOUNT,
      run: ({ accounts }, values, command) => accounts.revokeKeys(values.id, command),
      print: ({ revoked }, values) =>
        `${printing.nameOf(values.id)}: ${revoked} ${revoked === 1 ? 'key' : 'keys'} revoked\n`,
    },
  ),
  listKeys: look('keys list', 'GET keys', 'Keys', {
    summary: 'API keys, the newest first: never their text',
    arguments: { limit: LIMIT, email: onCommandLine(optional(EMAIL), { name: 'account' }) },
    run: ({ accounts }, { email, limit }) => accounts.listKeys(email ?? null, limit),
    print: ({ keys }) => keys.map(printing.describeKey).join(''),
  }),
  revokeKey: change('keys revoke', 'POST keys/:id/revoke', 'key.revoke', 'Done', {
    summary: 'Revoke an API key for good',
    arguments: { id: id('The id of a key, as the list has it.', 'a key') },
    failures: NOT_FOUND,
    run: ({ accounts }, values, command) => accounts.revokeKey(values.id, command),
    print: (_, values) => `${values.id} is revoked\n`,
  }),

  ...INCIDENT_COMMANDS,
  ...NETWORK_COMMANDS,
  listUsage: look('usage', 'GET usage', 'Charged', {
    summary: 'What was charged, by account, key and day',
    description: 'What the budgets charged over all instances; kept for 25 months.',
    arguments: {
      ...DAYS,
      page: withDefault(number('Which page of 500 entries.', { minimum: 1, maximum: 10_000 }), 1),
    },
    run: ({ usage }, query) => usage.list(query),
  }),
  downloadUsage: csv('usage csv', 'GET usage.csv', 'usage.csv', {
    summary: 'The same as a file',
    arguments: DAYS,
    failures: ['limit_reached'],
    run: ({ usage }, query) => usage.write(query),
  }),
  export: local({
    words: 'export',
    only: 'it waits for the files; over HTTP, run the job `export`',
    summary: 'Make a snapshot of the dataset now, and the diff that leads to it, in EXPORT_DIR',
    arguments: { changes: flag('Only the changes since the last file.') },
    help: '\nExit code 1: nothing was made; 130: interrupted, nothing was made.',
    runHere: async ({ changes }) =>
      (await import('./local/export.js')).runExport(changes ? 'changes' : 'snapshot'),
  }),
  applyExport: local({ ...APPLY, words: 'export apply' }),
  applyDiff: local({ ...APPLY, words: 'apply-diff', replaced: { by: 'export apply', until: UNTIL } }),

  ...ORDER_COMMANDS,
  ...BACKUP_COMMANDS,
  worker: local({
    words: 'worker',
    only: 'it is a process of its own',
    summary:
      'Do the jobs and deliver webhooks, beside services with DATASET_JOBS=off and WEBHOOK_WORKER=off; ' +
      'stops at SIGTERM',
    runHere: (_, runWorker) => runWorker(),
  }),
  operatorKey: local({
    words: 'operator-key',
    only: 'the key stays with the operator',
    summary: 'Make a key for /ops, and print it with its entry for OPERATOR_KEY_HASH; nothing is stored',
    arguments: {
      name: text('The name of its holder in the audit log.', {
        rule: 'must be up to 40 letters, digits, dots, hyphens and underscores',
        maxLength: 40,
        pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/,
      }),
      role: optional(choice('Whether it may change things too; act without it.', OPERATOR_ROLES)),
      until: optional(day('The day on which it stops working (UTC).', '2027-11-21')),
    },
    async runHere({ name, role = 'act', until }) {
      const { text: key, hash } = (await import('./operator-key.js')).mintOperatorKey();
      const entry = [name, hash, role, ...(until ? [until] : [])].join(':');
      process.stdout.write(
        `The key, which is shown only now. Send it as "Authorization: Bearer KEY":\n${key}\n\n` +
          `For OPERATOR_KEY_HASH; several are separated by commas:\n${entry}\n`,
      );
    },
  }),
} satisfies Record<string, CommandEntry>;
