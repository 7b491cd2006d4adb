import type { DataSource, EntityManager } from 'typeorm';

/** The last of the former migrations is older, and the first of the squashed ones is not. */
const SQUASHED_AT = 1_765_900_000_000;

/** What the squashed migrations make, as the former ones made it: every table and function, by its fingerprint. */
const FORMER_SCHEMA: Readonly<Record<string, string>> = {
  account: '75c015b31b6f3648',
  account_attempt: '2495e5bb22ad9248',
  account_credential: '0082b9bf5fd43c11',
  account_link: '278a3d25fbcd5f8c',
  account_session: '040d72644807b58f',
  'announce_events()': 'a6cd6e254f0ee3e2',
  api_key: '6b419a47c600731a',
  auth_version: 'b14d65c42ef8cfbf',
  'commit_without_waiting()': 'aadc4adb2088bcb7',
  dataset: 'fcb8821c86915299',
  domain: '147d7d0e838c4a75',
  domain_event: 'c47b4c9ce95604fa',
  'domain_grams()': 'eab6370df4b99eff',
  'raise_auth_version()': '97ea806b0e8edcc5',
  record_budget: 'a720ac6260f6df01',
  registry_answer: 'dc978af6610de654',
  registry_pace: '85b7027c8ebd0d92',
  registry_pause: '4dc67abb5141924e',
  webhook: 'dae155aa002716a7',
  webhook_delivery: '55d016b9ad6ed987',
  webhook_outbox: '829cd1eb91ab23ff',
};

/**
 * Lets a database of the former seventeen migrations go on with the squashed ones, which lead to the same schema: their rows
 * in TypeORM's list replace the former. Nothing else is changed. Any other database is left as it is.
 *
 * @param squashed names of the migrations that take the place of the former ones
 * @throws {Error} for the operator, when the schema is not the one that the former migrations led to
 */
export async function adoptFormer(dataSource: DataSource, squashed: readonly string[]): Promise<void> {
  await dataSource.transaction(async (transaction) => {
    if (!(await isFormer(transaction))) return;
    const different = await differences(transaction);
    if (different.length > 0)
      throw new Error(
        `The database was made by an earlier version and is not as 1.0.0 left it (different: ${different.join(', ')}); start 1.0.0 on it once, then this version.`,
      );
    await transaction.query('DELETE FROM migration WHERE timestamp < $1', [SQUASHED_AT]);
    await transaction.query(
      `INSERT INTO migration (timestamp, name)
       SELECT right(name, 13)::bigint, name FROM unnest($1::text[]) WITH ORDINALITY AS squashed (name, place) ORDER BY place`,
      [squashed],
    );
  });
}

async function isFormer(transaction: EntityManager): Promise<boolean> {
  const [list] = await transaction.query<{ exists: boolean }[]>(
    `SELECT to_regclass('migration') IS NOT NULL AS exists`,
  );
  if (!list?.exists) return false;
  const former = 'SELECT FROM migration WHERE timestamp < $1 LIMIT 1';
  return (await transaction.query<unknown[]>(former, [SQUASHED_AT])).length > 0;
}

/** The names of tables and functions that are missing, or differ from what they were. */
async function differences(transaction: EntityManager): Promise<string[]> {
  const rows = await transaction.query<{ object: string; fingerprint: string }[]>(FINGERPRINTS);
  const found = new Map(rows.map(({ object, fingerprint }) => [object, fingerprint]));
  return Object.entries(FORMER_SCHEMA)
    .filter(([object, fingerprint]) => found.get(object) !== fingerprint)
    .map(([object]) => object);
}

// A table is its columns in order, constraints, indexes and triggers, in PostgreSQL's own words, which versions 15 to 18 say
// alike (but that 18 also lists NOT NULL among the constraints: it stands with the column here).
const FINGERPRINTS = `
  WITH part (object, line) AS (
    SELECT t.relname::text, format('table %s %s', t.relpersistence,
             (SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated,
                                          (SELECT collname FROM pg_collation WHERE oid = a.attcollation),
                                          pg_get_expr(d.adbin, d.adrelid)), ', ' ORDER BY a.attnum)
                FROM pg_attribute a
                LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
               WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped))
      FROM pg_class t WHERE t.relkind = 'r' AND t.relnamespace = current_schema()::regnamespace
    UNION ALL
    SELECT t.relname, concat_ws(' ', 'constraint', c.conname, pg_get_constraintdef(c.oid, true), c.convalidated)
      FROM pg_constraint c
      JOIN pg_class t ON t.oid = c.conrelid AND t.relnamespace = current_schema()::regnamespace
     WHERE c.contype <> 'n'
    UNION ALL
    SELECT t.relname, concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid, 0, true), i.indisvalid)
      FROM pg_index i
      JOIN pg_class t ON t.oid = i.indrelid AND t.relnamespace = current_schema()::regnamespace
    UNION ALL
    SELECT t.relname, concat_ws(' ', pg_get_triggerdef(g.oid, true), g.tgenabled)
      FROM pg_trigger g
      JOIN pg_class t ON t.oid = g.tgrelid AND t.relnamespace = current_schema()::regnamespace
     WHERE NOT g.tgisinternal
    UNION ALL
    SELECT f.proname || '()', concat_ws(' ', pg_get_function_arguments(f.oid), pg_get_function_result(f.oid), l.lanname,
                                f.provolatile, f.proparallel, f.proisstrict, f.prosecdef, f.procost, f.prosrc)
      FROM pg_proc f
      JOIN pg_language l ON l.oid = f.prolang
     WHERE f.pronamespace = current_schema()::regnamespace
  )
  SELECT object, left(encode(sha256(convert_to(string_agg(line, E'\\n' ORDER BY line COLLATE "C"), 'UTF8')), 'hex'), 16) AS fingerprint
    FROM part GROUP BY object ORDER BY object COLLATE "C"`;
