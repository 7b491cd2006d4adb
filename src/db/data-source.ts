import pg, { type Client } from 'pg';
import { DataSource } from 'typeorm';
import { APPLICATION_NAME } from '../config/product.js';
import { CreateDataset1765900000000 } from '../../migrations/1765900000000-create-dataset.js';
import { CreateSearchIndexes1765900010000 } from '../../migrations/1765900010000-create-search-indexes.js';
import { CreateRegistry1765900020000 } from '../../migrations/1765900020000-create-registry.js';
import { CreateAccounts1765900030000 } from '../../migrations/1765900030000-create-accounts.js';
import { CreateApiKeys1765900040000 } from '../../migrations/1765900040000-create-api-keys.js';
import { CreateRecordBudget1765900050000 } from '../../migrations/1765900050000-create-record-budget.js';
import { CreateWebhooks1765900060000 } from '../../migrations/1765900060000-create-webhooks.js';
import { CreateLifecycle1766000000000 } from '../../migrations/1766000000000-create-lifecycle.js';
import { CreateJobs1766000010000 } from '../../migrations/1766000010000-create-jobs.js';
import { FenceJobsByKey1766000011000 } from '../../migrations/1766000011000-fence-jobs-by-key.js';
import { CreateQuestionFailures1766000012000 } from '../../migrations/1766000012000-create-question-failures.js';
import { CreateListFetches1766000020000 } from '../../migrations/1766000020000-create-list-fetches.js';
import { CreateUpcomingDrops1766000021000 } from '../../migrations/1766000021000-create-upcoming-drops.js';
import { CreateArchive1766000030000 } from '../../migrations/1766000030000-create-archive.js';
import { VacuumScoredNames1766000031000 } from '../../migrations/1766000031000-vacuum-scored-names.js';
import { CreateFreshness1766000040000 } from '../../migrations/1766000040000-create-freshness.js';
import { ChargeBudgetAtOnce1766000050000 } from '../../migrations/1766000050000-charge-budget-at-once.js';
import { WidenRegistry1766000060000 } from '../../migrations/1766000060000-widen-registry.js';
import { CreateDomainCube1766000070000 } from '../../migrations/1766000070000-create-domain-cube.js';
import { KeepResumedWrites1766000080000 } from '../../migrations/1766000080000-keep-resumed-writes.js';
import { SlimQueueIndexes1766000090000 } from '../../migrations/1766000090000-slim-queue-indexes.js';
import { CreateShapeIndex1766000100000 } from '../../migrations/1766000100000-create-shape-index.js';
import { FileGramsTogether1766000110000 } from '../../migrations/1766000110000-file-grams-together.js';
import { WidenDomainKey1766000120000 } from '../../migrations/1766000120000-widen-domain-key.js';
import { CreateExports1766000130000 } from '../../migrations/1766000130000-create-exports.js';
import { CreateServiceMinutes1766000131000 } from '../../migrations/1766000131000-create-service-minutes.js';
import { ShareRegistryTurns1766000140000 } from '../../migrations/1766000140000-share-registry-turns.js';
import { CreateBulkChecks1766000141000 } from '../../migrations/1766000141000-create-bulk-checks.js';
import { CreateConnectedApps1766000150000 } from '../../migrations/1766000150000-create-connected-apps.js';
import { OwnBulkChecks1766000151000 } from '../../migrations/1766000151000-own-bulk-checks.js';
import { CreateWatches1766000160000 } from '../../migrations/1766000160000-create-watches.js';
import { CreateUsageDays1766000161000 } from '../../migrations/1766000161000-create-usage-days.js';
import { CreateListSecret1766000170000 } from '../../migrations/1766000170000-create-list-secret.js';
import { ProtectSessions1766000180000 } from '../../migrations/1766000180000-protect-sessions.js';
import { CreateSecondFactors1766000181000 } from '../../migrations/1766000181000-create-second-factors.js';
import { CreateAuditLog1766000190000 } from '../../migrations/1766000190000-create-audit-log.js';
import { SteerJobs1766000191000 } from '../../migrations/1766000191000-steer-jobs.js';
import { DisableAccounts1766000192000 } from '../../migrations/1766000192000-disable-accounts.js';
import { CreateOperatorImports1766000193000 } from '../../migrations/1766000193000-create-operator-imports.js';
import { CreatePaymentEvents1766000194000 } from '../../migrations/1766000194000-create-payment-events.js';
import { TellOfPurges1766000195000 } from '../../migrations/1766000195000-tell-of-purges.js';
import { WatchByWebhook1766000195100 } from '../../migrations/1766000195100-watch-by-webhook.js';
import { CreatePasskeys1766000196000 } from '../../migrations/1766000196000-create-passkeys.js';
import { IndexAuditActions1766000196100 } from '../../migrations/1766000196100-index-audit-actions.js';
import { ProveWebhookHosts1766000197000 } from '../../migrations/1766000197000-prove-webhook-hosts.js';
import { TellOfHiddenNames1766000197100 } from '../../migrations/1766000197100-tell-of-hidden-names.js';
import { IndexNameTraits1766000198000 } from '../../migrations/1766000198000-index-name-traits.js';
import { ValidateEventTypes1766000199500 } from '../../migrations/1766000199500-validate-event-types.js';
import { CountOfferMoves1766000200000 } from '../../migrations/1766000200000-count-offer-moves.js';
import { CreateWork1766000210000 } from '../../migrations/1766000210000-create-work.js';
import { QueueBulkChecks1766000211000 } from '../../migrations/1766000211000-queue-bulk-checks.js';
import { QueueNotifications1766000212000 } from '../../migrations/1766000212000-queue-notifications.js';
import { CreatePaymentSubscriptions1766000216000 } from '../../migrations/1766000216000-create-payment-subscriptions.js';
import { ForgetCountedSearches1766000230000 } from '../../migrations/1766000230000-forget-counted-searches.js';
import { NoteOverrunDeadlines1766000232000 } from '../../migrations/1766000232000-note-overrun-deadlines.js';
import { ChargeDeliveredBulkChecks1766000233000 } from '../../migrations/1766000233000-charge-delivered-bulk-checks.js';
import { KeepRegistryAnswers1766000233500 } from '../../migrations/1766000233500-keep-registry-answers.js';
import { CreateRegistryWordings1766000234000 } from '../../migrations/1766000234000-create-registry-wordings.js';
import { IndexFreshDrops1766000235000 } from '../../migrations/1766000235000-index-fresh-drops.js';
import { JoinGramsAndSuffixes1766000235500 } from '../../migrations/1766000235500-join-grams-and-suffixes.js';
import { KeepAnswersByMonth1766000236000 } from '../../migrations/1766000236000-keep-answers-by-month.js';
import { GiveWordingsAMeaning1766000236100 } from '../../migrations/1766000236100-give-wordings-a-meaning.js';
import { CreateNameHolds1766000236200 } from '../../migrations/1766000236200-create-name-holds.js';
import { HoldNamesByList1766000236300 } from '../../migrations/1766000236300-hold-names-by-list.js';
import { LearnEarlyRates1766000237000 } from '../../migrations/1766000237000-learn-early-rates.js';
import { DelistNames1766000238000 } from '../../migrations/1766000238000-delist-names.js';
import { ValidateDelisted1766000238010 } from '../../migrations/1766000238010-validate-delisted.js';
import { ListPairsAndLengths1766000239000 } from '../../migrations/1766000239000-list-pairs-and-lengths.js';
import { FirstDaysBesideRanks1766000239100 } from '../../migrations/1766000239100-first-days-beside-ranks.js';
import { ProveSessions1766000242000 } from '../../migrations/1766000242000-prove-sessions.js';
import { SplitTheMiddleTier1766000243000 } from '../../migrations/1766000243000-split-the-middle-tier.js';
import { SampleByAge1766000244000 } from '../../migrations/1766000244000-sample-by-age.js';
import { PackKeptAnswers1766000245000 } from '../../migrations/1766000245000-pack-kept-answers.js';
import { OperatorSessions1766000246000 } from '../../migrations/1766000246000-operator-sessions.js';
import { NetworkRules1766000246010 } from '../../migrations/1766000246010-network-rules.js';
import { ResumeImports1766000247000 } from '../../migrations/1766000247000-resume-imports.js';
import { CreateSchemaEpoch1766000247100 } from '../../migrations/1766000247100-create-schema-epoch.js';
import { KeepEventsForMonths1766000247200 } from '../../migrations/1766000247200-keep-events-for-months.js';
import { BindKeysToNetworks1766000249000 } from '../../migrations/1766000249000-bind-keys-to-networks.js';
import { RememberRequests1766000250000 } from '../../migrations/1766000250000-remember-requests.js';
import { DateImportRuns1766000255000 } from '../../migrations/1766000255000-date-import-runs.js';
import { NameEveryRelease1766000256000 } from '../../migrations/1766000256000-name-every-release.js';
import { RememberWhatWasMade1766000256100 } from '../../migrations/1766000256100-remember-what-was-made.js';
import { AddLabelWords1766000257000 } from '../../migrations/1766000257000-add-label-words.js';
import { IndexLabelWords1766000257100 } from '../../migrations/1766000257100-index-label-words.js';
import { KeepWatchReadings1766000257200 } from '../../migrations/1766000257200-keep-watch-readings.js';
import { Incidents1766000259000 } from '../../migrations/1766000259000-incidents.js';
import { AcceptLists1766000259100 } from '../../migrations/1766000259100-accept-lists.js';
import { OperatorPasskeys1766000259200 } from '../../migrations/1766000259200-operator-passkeys.js';
import { CountRechecks1766000260000 } from '../../migrations/1766000260000-count-rechecks.js';
import { RetryLostScores1766000261000 } from '../../migrations/1766000261000-retry-lost-scores.js';
import { Shortlists1766000264000 } from '../../migrations/1766000264000-shortlists.js';
import { CreateLedger1766000265000 } from '../../migrations/1766000265000-create-ledger.js';
import { CreateOrders1766000265100 } from '../../migrations/1766000265100-create-orders.js';
import { CreateRegistrants1766000265200 } from '../../migrations/1766000265200-create-registrants.js';
import { KeepRegistrantsOfOrders1766000265300 } from '../../migrations/1766000265300-keep-registrants-of-orders.js';
import { CreateOrderNotices1766000265400 } from '../../migrations/1766000265400-create-order-notices.js';
import { DeliverAccountEvents1766000265500 } from '../../migrations/1766000265500-deliver-account-events.js';
import { RenewRegistrations1766000265600 } from '../../migrations/1766000265600-renew-registrations.js';
import { TakeCards1766000266500 } from '../../migrations/1766000266500-take-cards.js';
import { OperatorsCredits1766000266600 } from '../../migrations/1766000266600-operators-credits.js';
import { KnowWhereOrdersBegan1766000266700 } from '../../migrations/1766000266700-know-where-orders-began.js';
import { CreateReceipts1766000266800 } from '../../migrations/1766000266800-create-receipts.js';
import { NameServersOfOrders1766000266900 } from '../../migrations/1766000266900-name-servers-of-orders.js';
import { AnnounceDueOrderNotices1766000266950 } from '../../migrations/1766000266950-announce-due-order-notices.js';
import { FindRenewals1766000266951 } from '../../migrations/1766000266951-find-renewals.js';
import { SetTopUpsAsideAgain1766000266952 } from '../../migrations/1766000266952-set-top-ups-aside-again.js';
import { KeepRegistrarsWords1766000266953 } from '../../migrations/1766000266953-keep-registrars-words.js';
import { SpaceAnswers1766000266955 } from '../../migrations/1766000266955-space-answers.js';
import { KnowTheLedgerOfOrders1766000266957 } from '../../migrations/1766000266957-know-the-ledger-of-orders.js';
import { NoteGivenBack1766000266958 } from '../../migrations/1766000266958-note-given-back.js';
import { KnowTheRowsOfOrders1766000266959 } from '../../migrations/1766000266959-know-the-rows-of-orders.js';
import { StopByRegistrar1766000266956 } from '../../migrations/1766000266956-stop-by-registrar.js';
import { FindLateExecutions1766000266954 } from '../../migrations/1766000266954-find-late-executions.js';
import { ReconcileRegistrars1766000267000 } from '../../migrations/1766000267000-reconcile-registrars.js';
import { ApproveWithPasskeys1766000267100 } from '../../migrations/1766000267100-approve-with-passkeys.js';
import { MarkSeenOrderNotices1766000267101 } from '../../migrations/1766000267101-mark-seen-order-notices.js';
import { CountMandateMonths1766000267102 } from '../../migrations/1766000267102-count-mandate-months.js';
import { FindOrdersByState1766000267300 } from '../../migrations/1766000267300-find-orders-by-state.js';
import { FindRegisteredNames1766000267400 } from '../../migrations/1766000267400-find-registered-names.js';
import { NoteLateExecutions1766000267500 } from '../../migrations/1766000267500-note-late-executions.js';
import { KeepRegistrarExchanges1766000268000 } from '../../migrations/1766000268000-keep-registrar-exchanges.js';
import { CreateMandates1766000268100 } from '../../migrations/1766000268100-create-mandates.js';
import { WriteBalancesOff1766000268201 } from '../../migrations/1766000268201-write-balances-off.js';
import { KnowWhenOrdersWereRestored1766000268301 } from '../../migrations/1766000268301-know-when-orders-were-restored.js';
import { WishNameServers1766000268401 } from '../../migrations/1766000268401-wish-name-servers.js';
import { FormerSites1766000270000 } from '../../migrations/1766000270000-former-sites.js';
import { FindPartsOfTitles1766000271000 } from '../../migrations/1766000271000-find-parts-of-titles.js';
import { ListWordShapes1766000275000 } from '../../migrations/1766000275000-list-word-shapes.js';
import { EndStatements1766000276000 } from '../../migrations/1766000276000-end-statements.js';
import { JoinWordsAndGrams1766000276001 } from '../../migrations/1766000276001-join-words-and-grams.js';

/**
 * The oldest schema whose version goes on serving on this one: what came since only adds
 * (test/database/migrations.e2e-spec.ts). Moved on with a release that takes something away which the one before
 * it no longer uses.
 */
export const SERVED_SINCE = 1_766_000_141_000;

/** Migrations in the order in which they run. */
const MIGRATIONS = [
  CreateDataset1765900000000,
  CreateSearchIndexes1765900010000,
  CreateRegistry1765900020000,
  CreateAccounts1765900030000,
  CreateApiKeys1765900040000,
  CreateRecordBudget1765900050000,
  CreateWebhooks1765900060000,
  CreateLifecycle1766000000000,
  CreateJobs1766000010000,
  FenceJobsByKey1766000011000,
  CreateQuestionFailures1766000012000,
  CreateListFetches1766000020000,
  CreateUpcomingDrops1766000021000,
  CreateArchive1766000030000,
  VacuumScoredNames1766000031000,
  CreateFreshness1766000040000,
  ChargeBudgetAtOnce1766000050000,
  WidenRegistry1766000060000,
  CreateDomainCube1766000070000,
  KeepResumedWrites1766000080000,
  SlimQueueIndexes1766000090000,
  CreateShapeIndex1766000100000,
  FileGramsTogether1766000110000,
  WidenDomainKey1766000120000,
  CreateExports1766000130000,
  CreateServiceMinutes1766000131000,
  ShareRegistryTurns1766000140000,
  CreateBulkChecks1766000141000,
  CreateConnectedApps1766000150000,
  OwnBulkChecks1766000151000,
  CreateWatches1766000160000,
  CreateUsageDays1766000161000,
  CreateListSecret1766000170000,
  ProtectSessions1766000180000,
  CreateSecondFactors1766000181000,
  CreateAuditLog1766000190000,
  SteerJobs1766000191000,
  DisableAccounts1766000192000,
  CreateOperatorImports1766000193000,
  CreatePaymentEvents1766000194000,
  TellOfPurges1766000195000,
  WatchByWebhook1766000195100,
  CreatePasskeys1766000196000,
  IndexAuditActions1766000196100,
  ProveWebhookHosts1766000197000,
  TellOfHiddenNames1766000197100,
  IndexNameTraits1766000198000,
  ValidateEventTypes1766000199500,
  CountOfferMoves1766000200000,
  CreateWork1766000210000,
  QueueBulkChecks1766000211000,
  QueueNotifications1766000212000,
  CreatePaymentSubscriptions1766000216000,
  ForgetCountedSearches1766000230000,
  NoteOverrunDeadlines1766000232000,
  ChargeDeliveredBulkChecks1766000233000,
  KeepRegistryAnswers1766000233500,
  CreateRegistryWordings1766000234000,
  IndexFreshDrops1766000235000,
  JoinGramsAndSuffixes1766000235500,
  KeepAnswersByMonth1766000236000,
  GiveWordingsAMeaning1766000236100,
  CreateNameHolds1766000236200,
  HoldNamesByList1766000236300,
  LearnEarlyRates1766000237000,
  DelistNames1766000238000,
  ValidateDelisted1766000238010,
  ListPairsAndLengths1766000239000,
  FirstDaysBesideRanks1766000239100,
  ProveSessions1766000242000,
  SplitTheMiddleTier1766000243000,
  SampleByAge1766000244000,
  PackKeptAnswers1766000245000,
  OperatorSessions1766000246000,
  NetworkRules1766000246010,
  ResumeImports1766000247000,
  CreateSchemaEpoch1766000247100,
  KeepEventsForMonths1766000247200,
  BindKeysToNetworks1766000249000,
  RememberRequests1766000250000,
  DateImportRuns1766000255000,
  NameEveryRelease1766000256000,
  RememberWhatWasMade1766000256100,
  AddLabelWords1766000257000,
  IndexLabelWords1766000257100,
  KeepWatchReadings1766000257200,
  Incidents1766000259000,
  AcceptLists1766000259100,
  OperatorPasskeys1766000259200,
  CountRechecks1766000260000,
  RetryLostScores1766000261000,
  Shortlists1766000264000,
  CreateLedger1766000265000,
  CreateOrders1766000265100,
  CreateRegistrants1766000265200,
  KeepRegistrantsOfOrders1766000265300,
  CreateOrderNotices1766000265400,
  DeliverAccountEvents1766000265500,
  RenewRegistrations1766000265600,
  TakeCards1766000266500,
  OperatorsCredits1766000266600,
  KnowWhereOrdersBegan1766000266700,
  CreateReceipts1766000266800,
  NameServersOfOrders1766000266900,
  AnnounceDueOrderNotices1766000266950,
  FindRenewals1766000266951,
  SetTopUpsAsideAgain1766000266952,
  KeepRegistrarsWords1766000266953,
  FindLateExecutions1766000266954,
  SpaceAnswers1766000266955,
  StopByRegistrar1766000266956,
  KnowTheLedgerOfOrders1766000266957,
  NoteGivenBack1766000266958,
  KnowTheRowsOfOrders1766000266959,
  ReconcileRegistrars1766000267000,
  ApproveWithPasskeys1766000267100,
  MarkSeenOrderNotices1766000267101,
  CountMandateMonths1766000267102,
  FindOrdersByState1766000267300,
  FindRegisteredNames1766000267400,
  NoteLateExecutions1766000267500,
  KeepRegistrarExchanges1766000268000,
  CreateMandates1766000268100,
  WriteBalancesOff1766000268201,
  KnowWhenOrdersWereRestored1766000268301,
  WishNameServers1766000268401,
  FormerSites1766000270000,
  FindPartsOfTitles1766000271000,
  ListWordShapes1766000275000,
  EndStatements1766000276000,
  JoinWordsAndGrams1766000276001,
];

/** A handshake has this long at least, however short statements are to be. */
const MIN_CONNECT_TIMEOUT_MS = 3_000;
const IDLE_TIMEOUT_MS = 30_000;

/**
 * The longest wait for a lock, as a share of a statement's time. A statement that only waited fails with 55P03 and
 * keeps its connection; it is not counted as too slow.
 */
const LOCK_SHARE = 0.8;

/** A server that has not said by then that it ended a statement is taken for gone. */
const ANSWER_GRACE_MS = 500;

/**
 * The connection pool and the migrations; not yet connected. There are no entities: rows are read with SQL.
 *
 * @param onIdleError told when an idle connection dies; the pool replaces it by itself
 * @param timeoutMs the longest that a statement may take or wait for a connection; without it statements have no limit
 */
export function createDataSource(
  url: string,
  poolSize: number,
  onIdleError: (error: Error) => void,
  timeoutMs?: number,
): DataSource {
  return new DataSource({
    type: 'postgres',
    // Ours: what it would load itself, by name while it runs, may be another copy, whose connections are no Client
    // of ours.
    driver: pg,
    url,
    applicationName: APPLICATION_NAME,
    poolSize,
    connectTimeoutMS: Math.max(MIN_CONNECT_TIMEOUT_MS, timeoutMs ?? 0),
    poolErrorHandler: onIdleError,
    extra: {
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      // A lost connection tells its statement and then itself. TypeORM listens only a moment after the pool has
      // lent it; unheard before, it would end the process.
      onConnect: (client: Client) => void client.on('error', () => undefined),
      ...(timeoutMs === undefined
        ? // The role may have a limit of its own, for servers behind a pool that knows no settings of sessions.
          { options: '-c statement_timeout=0' }
        : {
            statement_timeout: timeoutMs,
            lock_timeout: Math.floor(timeoutMs * LOCK_SHARE),
            query_timeout: timeoutMs + ANSWER_GRACE_MS,
          }),
    },
    entities: [],
    migrations: MIGRATIONS,
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    // Silent unless DEBUG=typeorm:* is set: what fails is thrown, and TypeORM would print it past our log as well.
    logger: 'debug',
  });
}
