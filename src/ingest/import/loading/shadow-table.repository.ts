import { setTimeout as pause } from 'node:timers/promises';
import type { Queryable } from '../../../db/database.js';
import { DEADLOCK_DETECTED, isSqlState, LOCK_NOT_AVAILABLE } from '../../../errors/database-failure.js';
import { ImportError } from '../reading/import-error.js';

const SHADOW_SCHEMA = 'bowerbird_import';

/**
 * An empty table with the shape of `domain`, to be filled and indexed where no reader sees it and then to take its
 * place. It lies in a schema of its own, so tables, constraints and indexes keep their names. Everything is part of
 * the transaction: nothing is left behind when that fails.
 */
export class ShadowTable {
  readonly name = `${SHADOW_SCHEMA}.domain`;

  constructor(private readonly transaction: Queryable) {}

  /** Whether the role may make one, and nothing depends on the table that a shadow table could not take over. */
  async isPossible(): Promise<boolean> {
    const [row] = await this.transaction.query<{ possible: boolean }>(IS_REPLACEABLE);
    return row?.possible ?? false;
  }

  /**
   * Until the commit, no other transaction changes the dataset or locks a row of it; readers continue. EXCLUSIVE blocks
   * even a writer's first lock (ROW SHARE, by FOR UPDATE), so that it waits without holding a lock. SHARE ROW EXCLUSIVE
   * lets it take that lock and wait for the next one: a deadlock with {@link takePlace}, which waits for the first.
   */
  async lockOutWriters(): Promise<void> {
    try {
      await this.transaction.query(`SET LOCAL lock_timeout = '${WRITERS_TIMEOUT}'`);
      await this.transaction.query('LOCK TABLE domain IN EXCLUSIVE MODE');
      await this.transaction.query('SET LOCAL lock_timeout = 0');
    } catch (error) {
      if (!isSqlState(error, LOCK_NOT_AVAILABLE)) throw error;
      throw new ImportError(
        `Something has been writing to the dataset for ${WRITERS_TIMEOUT}; try again later.`,
      );
    }
  }

  async create(): Promise<void> {
    await this.transaction.query(`CREATE SCHEMA ${SHADOW_SCHEMA}`);
    await this.transaction.query(
      `CREATE TABLE ${this.name} (LIKE domain INCLUDING ALL EXCLUDING INDEXES EXCLUDING STATISTICS)`,
    );
    await this.runAll(SETTINGS_AND_RIGHTS);
  }

  /** Lets every row that does not say otherwise have these values: PostgreSQL's text by column; null: none. */
  async setDefaults(values: Readonly<Record<string, string | null>>): Promise<void> {
    const [row] = await this.transaction.query<{ changes: string }>(
      `SELECT string_agg(format('ALTER COLUMN %I SET DEFAULT %L', name, value), ', ') AS changes
         FROM unnest($1::text[], $2::text[]) AS columns (name, value)`,
      [Object.keys(values), Object.values(values)],
    );
    await this.transaction.query(`ALTER TABLE ${this.name} ${row?.changes ?? ''}`);
  }

  /** Gives every column the default that it has in `domain`. */
  async restoreDefaults(): Promise<void> {
    await this.runAll(DEFAULTS);
  }

  /**
   * The primary key and the other constraints that LIKE does not copy.
   *
   * @throws SQLSTATE 23505 when a name is there twice
   */
  async addKeys(): Promise<void> {
    await this.runAll(KEYS);
  }

  /**
   * Brings the rows into the order of their names. Every index ends with the name, so a scan then meets the table's
   * pages one after the other, and lists of grams are a fifth smaller.
   */
  async sortRows(onStep: (step: string) => void): Promise<void> {
    onStep('sorting the names');
    await this.transaction.query(`CLUSTER ${this.name} USING domain_pkey`);
  }

  /** Every other index of `domain`, from whichever migration. */
  async addIndexes(onStep: (step: string) => void): Promise<void> {
    const indexes = await this.transaction.query<Statement>(INDEXES, [SHADOW_SCHEMA]);
    for (const [at, { name, statement }] of indexes.entries()) {
      onStep(`building index ${at + 1} of ${indexes.length} (${name})`);
      await this.transaction.query(statement);
    }
    await this.runAll(STATISTICS);
    onStep('gathering statistics');
    await this.transaction.query(`ANALYZE ${this.name}`);
  }

  /**
   * Puts the shadow table in the table's place. Readers wait for the commit that follows, a few milliseconds. The
   * lock is asked for in short tries: a waiting request would queue every new reader behind one slow one.
   */
  async takePlace(): Promise<void> {
    await this.lockOutReaders();
    const [table] = await this.transaction.query<{ schema: string }>(
      `SELECT quote_ident(nspname) AS schema
         FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE pg_class.oid = 'domain'::regclass`,
    );
    if (!table) throw new Error('the table domain is gone');
    await this.transaction.query(`DROP TABLE ${table.schema}.domain`);
    await this.transaction.query(`ALTER TABLE ${this.name} SET SCHEMA ${table.schema}`);
    const statistics = await this.transaction.query<{ name: string }>(
      `SELECT quote_ident(stxname) AS name FROM pg_statistic_ext WHERE stxnamespace = $1::regnamespace`,
      [SHADOW_SCHEMA],
    );
    for (const { name } of statistics)
      await this.transaction.query(`ALTER STATISTICS ${SHADOW_SCHEMA}.${name} SET SCHEMA ${table.schema}`);
    await this.transaction.query(`DROP SCHEMA ${SHADOW_SCHEMA}`);
  }

  private async lockOutReaders(): Promise<void> {
    await this.transaction.query(`SET LOCAL lock_timeout = '${LOCK_TRY_MS}ms'`);
    for (let tries = 1; ; tries++) {
      await this.transaction.query('SAVEPOINT lock_out_readers');
      try {
        await this.transaction.query('LOCK TABLE domain IN ACCESS EXCLUSIVE MODE');
        break;
      } catch (error) {
        // A transaction that has read and would write now waits for this one: its wait for the lock ends before long.
        if (!isSqlState(error, LOCK_NOT_AVAILABLE) && !isSqlState(error, DEADLOCK_DETECTED)) throw error;
        if (tries === MAX_LOCK_TRIES)
          throw new ImportError(
            'A long transaction keeps reading the dataset, so the new one could not take its place.',
          );
        await this.transaction.query('ROLLBACK TO SAVEPOINT lock_out_readers');
        await pause(LOCK_PAUSE_MS);
      }
    }
    await this.transaction.query('SET LOCAL lock_timeout = 0');
  }

  private async runAll(statementsQuery: string): Promise<void> {
    const statements = await this.transaction.query<Statement>(statementsQuery, [SHADOW_SCHEMA]);
    for (const { statement } of statements) await this.transaction.query(statement);
  }
}

const WRITERS_TIMEOUT = '60s';
const LOCK_TRY_MS = 200;
const LOCK_PAUSE_MS = 300;
/** About five minutes. */
const MAX_LOCK_TRIES = 600;

// The catalog writes the statements that give a shadow table what LIKE does not: each query below yields them, and $1
// is the shadow table's schema. So a migration that adds an index needs no second place that knows of it.

/** A row of each. */
export interface Statement {
  name: string;
  statement: string;
}

/**
 * Whether the role may make the shadow table's schema, and nothing depends on `domain` that a shadow table could not
 * take over.
 */
export const IS_REPLACEABLE = `
  SELECT has_database_privilege(current_database(), 'CREATE')
     AND NOT EXISTS (SELECT FROM pg_constraint WHERE confrelid = 'domain'::regclass)
     AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'domain'::regclass AND NOT tgisinternal)
     AND NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = 'domain'::regclass)
     AND NOT EXISTS (SELECT FROM pg_inherits WHERE 'domain'::regclass IN (inhrelid, inhparent))
     AND NOT EXISTS (SELECT FROM pg_publication_rel WHERE prrelid = 'domain'::regclass)
     -- Views, rules and functions.
     AND NOT EXISTS (SELECT FROM pg_depend
                      WHERE refclassid = 'pg_class'::regclass AND refobjid = 'domain'::regclass
                        AND classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass)) AS possible`;

export const SETTINGS_AND_RIGHTS = `
  SELECT '' AS name, format('ALTER TABLE %I.domain SET (%s)', $1::text, array_to_string(reloptions, ', ')) AS statement
    FROM pg_class WHERE oid = 'domain'::regclass AND reloptions IS NOT NULL
   UNION ALL
  SELECT '', format('ALTER TABLE %I.domain ALTER COLUMN %I SET STATISTICS %s', $1::text, attname, attstattarget)
    FROM pg_attribute WHERE attrelid = 'domain'::regclass AND attnum > 0 AND NOT attisdropped AND attstattarget >= 0
   UNION ALL
  SELECT '', format('GRANT %s ON %I.domain TO %s', privilege_type, $1::text,
                    CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END)
    FROM pg_class, aclexplode(relacl) WHERE oid = 'domain'::regclass`;

export const DEFAULTS = `
  SELECT '' AS name,
         format('ALTER TABLE %I.domain ALTER COLUMN %I %s', $1::text, attname,
                coalesce('SET DEFAULT ' || pg_get_expr(adbin, adrelid), 'DROP DEFAULT')) AS statement
    FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
   WHERE attrelid = 'domain'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`;

export const KEYS = `
  SELECT conname AS name,
         format('ALTER TABLE %I.domain ADD CONSTRAINT %I %s', $1::text, conname, pg_get_constraintdef(oid)) AS statement
    FROM pg_constraint
   WHERE conrelid = 'domain'::regclass AND contype IN ('p', 'u', 'x', 'f')
   ORDER BY contype = 'p' DESC, conname`;

// The definition names the table with its schema: CREATE INDEX name ON public.domain USING ...
export const INDEXES = `
  SELECT pg_class.relname AS name,
         regexp_replace(pg_get_indexdef(indexrelid), ' ON (ONLY )?\\S+ USING ',
           format(' ON %I.domain USING ', $1::text)) AS statement
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
   WHERE indrelid = 'domain'::regclass
     AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
   ORDER BY pg_class.relname`;

export const STATISTICS = `
  SELECT stxname AS name,
         regexp_replace(
           regexp_replace(pg_get_statisticsobjdef(oid), '^CREATE STATISTICS \\S+ ',
             format('CREATE STATISTICS %I.%I ', $1::text, stxname)),
           ' FROM \\S+$', format(' FROM %I.domain', $1::text)) AS statement
    FROM pg_statistic_ext WHERE stxrelid = 'domain'::regclass`;
