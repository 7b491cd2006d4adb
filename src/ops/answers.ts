import type { PublishedTier } from '../access/tier.dto.js';
import { IncidentDto, Status } from '../api/status/status.dto.js';
import { LIST_KINDS } from '../config/product.js';
import { EXPORT_KINDS } from '../exports/export.repository.js';
import { REGISTRY_SOURCES } from '../registry/answer.js';
import { RegistryAnswerDto } from '../registry/registry-answer.dto.js';
import { WORDING_MEANINGS } from '../registry/reviewed-wordings.js';
import { LIST_OUTCOMES } from '../ingest/lists/list-fetch.repository.js';
import {
  amount,
  day,
  field,
  id,
  many,
  named as answer,
  OK,
  one,
  oneOf,
  orNull,
  shape,
  text,
} from '../validation/shape.js';
import * as callers from './caller-answers.js';
import { count, time, yes } from './caller-answers.js';
import * as orders from './order-answers.js';

/** A row as it is stored, for operators. */
type Stored = Readonly<Record<string, unknown>>;

const texts = (description: string) => field<string[]>({ isArray: true, type: String, description });
const row = (description: string) =>
  field<Stored>({ type: 'object', additionalProperties: true, description });
const rows = (description: string) =>
  field<Stored[]>({ type: 'array', items: { type: 'object', additionalProperties: true }, description });

const Done = answer('Done', 'The answer to a change.', {
  ...OK,
  changed: yes('Whether anything is different now.', true),
});
const JobPause = answer('JobPause', 'Who paused a job, when and why.', {
  since: time('Since when (ISO 8601 UTC).'),
  by: text('Who.', 'operator:alice'),
  reason: text('Why.', 'the registry asks us to be quiet tonight'),
});
export const Job = answer('Job', 'The state of a job.', {
  name: text('Its name.', 'list-fetch'),
  is_due: yes('Whether its next run is due now; false while it is paused.'),
  next_due: time('When the next run is due (ISO 8601 UTC).'),
  last_run_at: orNull(time('When the last run began.')),
  last_success_at: orNull(time('When the last run that succeeded began.')),
  failures: count('Failures since then.'),
  last_error: orNull(text('The last failure.')),
  last_error_at: orNull(time('When that was.')),
  wanted_at: orNull(time('When an operator last asked for a run.')),
  paused: orNull(one(JobPause, 'The pause; null: it is not paused.')),
  cursor: orNull(row('Where its next run continues.')),
});
const JobHolder = answer('JobHolder', 'The process that does the jobs.', {
  id: id('The id of the process.'),
  until: time('When its lease expires.'),
});
const Jobs = answer('Jobs', 'Every job that has ever run.', {
  ...OK,
  holder: orNull(one(JobHolder, 'Null: no process does the jobs.')),
  jobs: many(Job, 'By name.'),
});

const JobsAtAGlance = answer('JobsAtAGlance', 'The jobs in short.', {
  are_done: yes('Whether a process does the jobs.', true),
  failing: texts('Jobs whose last run failed.'),
  paused: texts('Jobs that an operator has paused.'),
  late: texts('Jobs that were due more than five minutes ago.'),
});
const WEBHOOK_COUNTS = {
  all: count('Webhooks.'),
  enabled: count('Webhooks that are on.'),
  waiting_events: count('Events that are not in a delivery yet.'),
  pending: count('Deliveries that wait.'),
  held: count(
    'Deliveries of accounts that are disabled or whose tier has no webhooks, and to hosts that are not proven.',
  ),
  delivered_today: count('Delivered within a day.'),
  failed_today: count('Failed within a day.'),
  oldest_waiting: orNull(time('Since when the oldest delivery waits.')),
};
const WebhooksAtAGlance = answer('WebhooksAtAGlance', 'Webhooks in short.', WEBHOOK_COUNTS);
const Webhooks = answer('WebhookBacklog', 'Webhooks and what waits.', { ...OK, ...WEBHOOK_COUNTS });
const AccountsAtAGlance = answer('AccountsAtAGlance', 'Accounts in short.', {
  all: count('All accounts.'),
  disabled: count('Accounts that an operator has disabled.'),
  working_keys: count('Keys that work.'),
});
const BackupsAtAGlance = answer('BackupsAtAGlance', 'Backups, and what a lost disk would cost.', {
  last_at: orNull(time('When the last one was made; null: never, as far as the audit log goes.')),
  restored_at: orNull(time('When one was last restored to prove it.')),
  safe_until: orNull(time('What was committed by then survives the loss of the disk; null: nothing does.')),
  finding: text(
    'The same in words.',
    'Last backup 9 hours ago; a lost disk would cost what was committed within 12 seconds.',
  ),
});
const UnfinishedImport = answer('UnfinishedImport', 'An import that ended before its file did.', {
  source: text('Its file.', 'expired-2026-11-22.csv'),
  at: time('When its last rows came in.'),
  rows: count('Rows that are in.'),
});
const OperatorsStatus = answer('OperatorsStatus', 'The service at a glance.', {
  ...OK,
  version: text('The version of the process that answers.', '1.1.0'),
  as_of: time("By the database's clock."),
  stalled: texts('What should move and does not, a sentence each.'),
  jobs: one(JobsAtAGlance),
  webhooks: one(WebhooksAtAGlance),
  accounts: one(AccountsAtAGlance),
  backups: one(BackupsAtAGlance),
  unfinished_import: orNull(one(UnfinishedImport, 'Import the same file again: it goes on there.')),
  dataset: one(Status, 'The dataset, as /api/v1/status has it; up to a minute old.'),
});
const LiftedStop = answer('LiftedStop', 'A stop of all writes that an operator lifted.', {
  stopped_at: time('When writes stopped.'),
  resumed_at: time('When they were resumed.'),
  resumed_by: text('Who resumed them.', 'command:alice'),
  flips: count('Contradictions of the hour in which they stopped.'),
  reason: text('Why they stopped.'),
});
const Circuit = answer('Circuit', 'Whether answers of the registry are written.', {
  ...OK,
  stopped_at: orNull(time('Since when they are not written; null: they are.')),
  reason: orNull(text('Why they are not.')),
  flips: count('Answers of the hour that contradicted what was known.'),
  hour: orNull(time('The hour that they are counted in.')),
  max_flips: count('More in an hour stop all writes.', 200),
  lifted: many(LiftedStop, 'The last stops that were lifted, the newest first; 10 at most.'),
});
const CircuitReset = answer('CircuitReset', 'The answer to a reset of the circuit.', {
  ...OK,
  changed: yes('Whether writes had been stopped.', true),
  lifted: orNull(one(LiftedStop, 'The stop; null: there was none.')),
});

const AuditEntry = answer('AuditEntry', 'Who did what, to which thing, when, why and where from.', {
  id: count('Its id; the newest has the highest.', 4712),
  at: time('When.'),
  actor: text('Who.', 'operator:alice'),
  action: text('What.', 'domain.hide'),
  subject: text('To what.', 'domain:surf.com.au'),
  reason: text('Why.', 'asked for by its owner'),
  from: orNull(text('From which network; null: none.')),
});
const Audit = answer('Audit', 'Entries of the audit log.', {
  ...OK,
  entries: many(AuditEntry, 'The newest first. They are kept for a year.'),
});
export const Fetch = answer(
  'Fetch',
  'A fetch of an official drop list. A figure that it did not reach is null.',
  {
    id: count('Its id.', 17),
    address: text('The address of the list.', 'https://afilias.com.au/lists/expired.csv'),
    kind: oneOf(LIST_KINDS, 'Which list.'),
    started_at: time('When it began.'),
    finished_at: orNull(time('When it ended.')),
    outcome: orNull(oneOf(LIST_OUTCOMES, 'The outcome; null: running, or killed.')),
    detail: orNull(text('The reason of an alarm or a failure.')),
    rows: orNull(count('Rows.', 1200)),
    rejected: orNull(count('Rows that break a rule.', 12)),
    ahead: orNull(count('Rows whose purge lay ahead.', 1200)),
    bytes: orNull(count('Bytes, unpacked.', 52_000)),
  },
);
const Fetches = answer('Fetches', 'Fetches of the official drop lists.', {
  ...OK,
  fetches: many(Fetch, 'The newest first.'),
});
const ListAddress = answer('ListAddress', 'An official drop list and its last fetches.', {
  address: text('Where it is fetched.', 'https://afilias.com.au/lists/expired.csv'),
  kind: oneOf(LIST_KINDS, 'Which list.'),
  failures: count('Failures in a row.'),
  latest: orNull(one(Fetch, 'The last fetch; null: none yet.')),
  last_imported: orNull(one(Fetch, 'The last fetch that was imported; null: none yet.')),
});
const Lists = answer('Lists', 'The official drop lists that are fetched.', {
  ...OK,
  lists: many(ListAddress, 'In the order of the configuration.'),
});
const MadeExport = answer('MadeExport', 'An export that was made.', {
  id: text('Its id.', 'diff-20261122T050000Z'),
  kind: oneOf(EXPORT_KINDS, 'Its kind.'),
  made_at: time('The moment that it shows.'),
  rows: count('Rows.', 1200),
  files: count('Files.', 3),
  bytes: count('Bytes of all files.', 52_000),
});
const MadeExports = answer('MadeExports', 'Exports that were made.', {
  ...OK,
  exports: many(MadeExport, 'The newest first.'),
});
const TiersInForce = answer('TiersInForce', 'The tier table in force.', {
  ...OK,
  tiers: field<Record<string, PublishedTier>>({
    description: 'What each tier has, by name; see TIERS.',
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: true },
  }),
});

const ImportReport = answer(
  'ImportReport',
  'What an import did, or what a dry run would do. The counts add up to `read`.',
  {
    read: count('Rows below the header.', 1200),
    added: count('Names that were not there.', 1180),
    changed: count('Names that are different now.', 10),
    unchanged: count('Names that are as they were.', 5),
    absent: count('Names of a file of scores that the dataset does not have.'),
    rejected: count('Rows that break a rule.', 3),
    repeated: count('Rows whose name is in another row as well.', 2),
    seconds: amount('Seconds it took.', 1.4),
    rejects: texts('The first rows that were not imported, with the reason.'),
  },
);
export const IMPORT_STATES = ['running', 'done', 'failed', 'interrupted'] as const;
const IMPORT = {
  id: id('Its id.'),
  file: text('The name of the file.', 'expired-2026-11-22.csv'),
  bytes: count('Bytes received.', 52_000),
  dry_run: yes('Whether it was a dry run, which changes nothing.', true),
  by: text('Who.', 'operator:alice'),
  reason: text('Why.', 'the list of the day'),
  started_at: time('When it was uploaded.'),
  state: oneOf(
    IMPORT_STATES,
    '`failed`: `problem` says why, and how many rows are in where some are. `interrupted`: its process ended, or ' +
      'lost the database at the commit. The names are in if the audit log has `import.done`, and may be in ' +
      'without it. Import the file again: rows that are in stay as they are.',
  ),
  step: text('Its current or last step.', 'reading'),
  rows: count('Rows read so far.', 600),
  percent: count('Share of the bytes read so far, in percent.', 50),
  problem: orNull(text('Why it failed.')),
  report: orNull(one(ImportReport, 'The result.')),
  has_rejects: yes('Whether the rows that were not imported can be downloaded.'),
};
export const Import = answer('Import', 'An import of a list that was uploaded.', IMPORT);
const ImportDetails = answer('ImportDetails', 'An import of a list that was uploaded.', { ...IMPORT, ...OK });
const Imports = answer('Imports', 'Imports of lists that were uploaded.', {
  ...OK,
  imports: many(Import, 'The newest first; 50 at most.'),
});

const NameEvidence = answer('NameEvidence', 'All that the dataset has about a name, as it is stored.', {
  ...OK,
  domain: text('The name.', 'surf.com.au'),
  row: orNull(row('Its row: state, source, list, purge, score; null: it has none.')),
  registry_answer: orNull(row('The last answer of a registry.')),
  answers: rows(
    'The kept answers of registries without holders, the newest first; 50 at most. Of earlier answers there is only ' +
      'checked_at.',
  ),
  answers_note: orNull(
    text(
      'What to know of `answers`; null: nothing.',
      'The details of the answer of that time were not kept.',
    ),
  ),
  recheck: orNull(row('When it is checked again while it is on offer.')),
  question_failure: orNull(row('Checks of it that got no answer.')),
  archive: orNull(row('What the web archive has of it, and its score.')),
  events: rows('Its events, the newest first; 200 at most.'),
  samples: rows('When it was sampled to check that it was available; 50 at most.'),
  audit: rows('What operators did to it; 50 at most.'),
});

const NameChecked = answer('NameChecked', 'What the registry said of a name.', {
  ...OK,
  domain: text('The name.', 'surf.com.au'),
  answer: one(RegistryAnswerDto, 'What it said.'),
});

const ANSWER_TEXT = {
  source: oneOf(REGISTRY_SOURCES, 'Who answered.'),
  verdict: text('What the answers were taken for: a state, or why there was none.', 'not_understood'),
  parser: count('Version of the rules that judged them.', 2),
  status: orNull(count('Status of HTTP; null where there is none.', 404)),
  shape: orNull(
    text(
      'Shape of the body, such as `object`, `html`, `list`, `repeated_keys`; null: kept by an earlier version.',
      'object',
    ),
  ),
  answers: count('Answers that said this.', 12),
  example: text('One of the names that were asked.', 'surf.com.au'),
  last_at: time('When the last of them was asked for.'),
  text: orNull(
    text(
      'What they said, with {name} in the place of the name and without data about people.',
      '{"errorCode":404}',
    ),
  ),
  is_ambiguous: yes(
    'Whether an earlier version kept it in a form that can stand for several bodies: ' +
      'another verdict of it proves little.',
  ),
};
const AnswerText = answer('AnswerText', 'What answers of a registry said, once for all names.', ANSWER_TEXT);
const ChangedVerdict = answer('ChangedVerdict', 'A text that is taken for something else now.', {
  ...ANSWER_TEXT,
  now: text('What this version of the rules takes it for.', 'available'),
});
const Replay = answer('Replay', 'Kept answers, judged again.', {
  ...OK,
  parser: count('The version of the rules.', 1),
  texts: count('Different texts that were judged.', 9),
  changes: many(ChangedVerdict, 'Those with another verdict, the most frequent first.'),
});
const UnknownAnswers = answer('UnknownAnswers', 'Answers that the rules do not know.', {
  ...OK,
  texts: many(AnswerText, 'The most frequent first.'),
});
const Wording = answer('Wording', 'A reviewed text of a registry.', {
  text: text('The text.', 'No object was found'),
  meaning: oneOf(
    WORDING_MEANINGS,
    '`not_found`, `harmless` and what an operator added are whole texts, `title` the name of a notice, the others ' +
      'phrases inside a text.',
    'not_found',
  ),
  source: text('Where it was read, or who confirmed it.', 'mail of the registry, 20 November 2026'),
  added_by: text('Who added it.', 'operator:alice'),
  added_on: day('When.', '2026-11-22'),
});
const Wordings = answer('Wordings', 'Texts that were reviewed.', {
  ...OK,
  wordings: many(Wording, 'Those of operators, the newest first; then those of this version.'),
});

const Hold = answer('Hold', 'A name that is held back: reserved with the reason `contested`.', {
  domain: text('The name.', 'surf.au'),
  what: text('What it is, as it follows on "It is".', 'contested'),
  source: text('Which list has it.', 'auDA, priority status tool'),
  as_of: day('The day of that list.', '2026-11-20'),
});
const Holds = answer('Holds', 'Names that are held back.', { ...OK, holds: many(Hold, 'By name.') });
const HoldsLoaded = answer('HoldsLoaded', 'The answer to a list of names that are held back.', {
  ...OK,
  changed: yes('Whether anything is different now.', true),
  held: count('Names of the list.', 120),
  released: count('Names that the former list of this source had, and this one has not.', 3),
  withdrawn: count(
    'Names of the list that were on offer and are not any more. One that an import has locked follows when it ends.',
    4,
  ),
});

const INCIDENT = {
  id: id('Its id.'),
  ...IncidentDto.fields,
};
const Incident = answer('OperatorsIncident', 'What went wrong, as the status page tells it.', INCIDENT);
const Incidents = answer('Incidents', 'What went wrong.', {
  ...OK,
  incidents: many(Incident, 'The newest first; 100 at most.'),
});
const IncidentDetails = answer('IncidentDetails', 'What went wrong.', { ...OK, ...INCIDENT });

const Diagnosis = answer('Diagnosis', 'An examination of the installation.', {
  ...OK,
  problems: count('Checks that found a problem.', 1),
  checks: many(
    shape({
      part: text('What was examined.', 'lists'),
      state: oneOf(['well', 'problem', 'off'], 'off: not used here.'),
      finding: text('What was found; never a secret.', 'No drop list is fetched.'),
      remedy: orNull(text('What to do; null where there is no problem.', 'Set LIST_DELETED_URLS.')),
    }),
    'One for each part, in a fixed order.',
  ),
});

/** What commands answer, by the name that the OpenAPI document has for it. */
export const ANSWERS = {
  Audit,
  Circuit,
  CircuitReset,
  Diagnosis,
  Done,
  Fetches,
  ImportDetails,
  Imports,
  IncidentDetails,
  Incidents,
  Jobs,
  Lists,
  MadeExports,
  NameChecked,
  NameEvidence,
  OperatorsStatus,
  Replay,
  Holds,
  HoldsLoaded,
  TiersInForce,
  UnknownAnswers,
  Webhooks,
  Wordings,
  AccountDetails: callers.AccountDetails,
  AccountUsage: callers.AccountUsage,
  Accounts: callers.Accounts,
  Charged: callers.Charged,
  Keys: callers.Keys,
  KeysRevoked: callers.KeysRevoked,
  NetworkRules: callers.NetworkRules,
  Subscriptions: callers.Subscriptions,
  Takers: callers.Takers,
  TierSet: callers.TierSet,
  CreditMade: orders.CreditMade,
  Disputes: orders.Disputes,
  OrderEvidence: orders.OrderEvidence,
  Ordering: orders.Ordering,
  Registrars: orders.Registrars,
  UndecidedOrders: orders.UndecidedOrders,
};

export type AnswerName = keyof typeof ANSWERS;
export type AnswerOf<Name extends AnswerName> = InstanceType<(typeof ANSWERS)[Name]>;

export type Done = AnswerOf<'Done'>;
export const done = (changed: boolean): Done => ({ ok: true, changed });

/** Who changes something, where from, why, and what the audit log calls it. */
export interface OperatorCommand {
  /** Such as `operator:alice` over HTTP, or `command:alice` on the command line. */
  readonly actor: string;
  /** The network of the caller; null on the command line. */
  readonly from: string | null;
  readonly reason: string;
  readonly action: string;
  /** The Idempotency-Key of a command that makes something. */
  readonly requestKey?: string | undefined;
}
