import { DataSource } from 'typeorm';
import { CreateDataset1765000000000 } from '../../migrations/1765000000000-create-dataset.js';
import { CreateRecordBudget1765000050000 } from '../../migrations/1765000050000-create-record-budget.js';
import { CreateDiscoveryIndexes1765000100000 } from '../../migrations/1765000100000-create-discovery-indexes.js';
import { CreateRegistry1765000200000 } from '../../migrations/1765000200000-create-registry.js';
import { CreateAccounts1765000400000 } from '../../migrations/1765000400000-create-accounts.js';
import { CreateApiKeys1765000410000 } from '../../migrations/1765000410000-create-api-keys.js';
import { CreateAccountAttempts1765000420000 } from '../../migrations/1765000420000-create-account-attempts.js';
import { CreateSearchIndexes1765000500000 } from '../../migrations/1765000500000-create-search-indexes.js';
import { CreateFeed1765000510000 } from '../../migrations/1765000510000-create-feed.js';
import { CountBudgetWithoutWaiting1765000515000 } from '../../migrations/1765000515000-count-budget-without-waiting.js';
import { CreateWebhooks1765000600000 } from '../../migrations/1765000600000-create-webhooks.js';
import { SettleWebhookDeliveries1765000610000 } from '../../migrations/1765000610000-settle-webhook-deliveries.js';
import { NoteReplacedKeys1765000615000 } from '../../migrations/1765000615000-note-replaced-keys.js';
import { LetGoOfRemovedWebhooks1765000620000 } from '../../migrations/1765000620000-let-go-of-removed-webhooks.js';
import { LeaveBusyReceiversAlone1765000630000 } from '../../migrations/1765000630000-leave-busy-receivers-alone.js';
import { KeepEarlierSecrets1765000640000 } from '../../migrations/1765000640000-keep-earlier-secrets.js';
import { TellOwnersForCertain1765000650000 } from '../../migrations/1765000650000-tell-owners-for-certain.js';

/** Migrations in the order in which they run. */
const MIGRATIONS = [
  CreateDataset1765000000000,
  CreateRecordBudget1765000050000,
  CreateDiscoveryIndexes1765000100000,
  CreateRegistry1765000200000,
  CreateAccounts1765000400000,
  CreateApiKeys1765000410000,
  CreateAccountAttempts1765000420000,
  CreateSearchIndexes1765000500000,
  CreateFeed1765000510000,
  CountBudgetWithoutWaiting1765000515000,
  CreateWebhooks1765000600000,
  SettleWebhookDeliveries1765000610000,
  NoteReplacedKeys1765000615000,
  LetGoOfRemovedWebhooks1765000620000,
  LeaveBusyReceiversAlone1765000630000,
  KeepEarlierSecrets1765000640000,
  TellOwnersForCertain1765000650000,
];

const CONNECT_TIMEOUT_MS = 3_000;
const IDLE_TIMEOUT_MS = 30_000;

/** A server that has not said by then that it ended a statement is taken for gone. */
const ANSWER_GRACE_MS = 500;

/**
 * The connection pool and the migrations; not yet connected. There are no entities: rows are read with SQL.
 *
 * @param onIdleError told when an idle connection dies; the pool replaces it by itself
 * @param statementTimeoutMs the longest a statement may take; without it there is no limit
 */
export function createDataSource(
  url: string,
  poolSize: number,
  onIdleError: (error: Error) => void,
  statementTimeoutMs?: number,
): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    applicationName: 'bowerbird',
    poolSize,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    poolErrorHandler: onIdleError,
    extra: {
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      ...(statementTimeoutMs && {
        statement_timeout: statementTimeoutMs,
        query_timeout: statementTimeoutMs + ANSWER_GRACE_MS,
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
