import type { MigrationInterface, QueryRunner } from 'typeorm';

const BANDS = [
  { from: 10_000, condition: 'wayback >= 10000' },
  { from: 1_000, condition: 'wayback >= 1000 AND wayback <= 9999' },
  { from: 100, condition: 'wayback >= 100 AND wayback <= 999' },
  { from: 10, condition: 'wayback >= 10 AND wayback <= 99' },
  { from: 1, condition: 'wayback >= 1 AND wayback <= 9' },
  { from: 0, condition: 'wayback >= 0 AND wayback <= 0' },
];

const GRAMS = 'domain_grams(name, tld)';
const TRAITS = 'domain_traits(name, hyphens, digits, first_seen)';

/** The band indexes list what filters look at as well, so that names which are thrown away are not read from the table first. */
export class IndexNameTraits1766000198000 implements MigrationInterface {
  // Indexes are built while the service reads and writes (CONCURRENTLY), which no transaction can do. What a kill leaves half done is
  // done by the next start: an index that was built is known by its columns.
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // The week of the first day; 1 for hyphens without digits, 2 for digits without hyphens, 3 for both; and every digit and rare letter,
    // by its byte. src/domains/discovery/name-traits.ts asks for them. A second column and not more grams: the first stays what the
    // version before asks for. Without a loop over the characters it takes a third of the time of domain_grams, with one two thirds.
    await runner.query(`
      CREATE OR REPLACE FUNCTION domain_traits(name text, hyphens smallint, digits smallint, first_seen date) RETURNS integer[]
      LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
      DECLARE
        traits integer[] := array_remove(ARRAY[
          (first_seen - '0001-01-01') / 7,
          CASE WHEN hyphens > 0 THEN CASE WHEN digits > 0 THEN 3 ELSE 1 END WHEN digits > 0 THEN 2 END,
          CASE WHEN strpos(name, 'j') > 0 THEN 106 END,
          CASE WHEN strpos(name, 'q') > 0 THEN 113 END,
          CASE WHEN strpos(name, 'v') > 0 THEN 118 END,
          CASE WHEN strpos(name, 'x') > 0 THEN 120 END,
          CASE WHEN strpos(name, 'z') > 0 THEN 122 END], NULL);
      BEGIN
        IF digits > 0 THEN
          FOR digit IN 0 .. 9 LOOP
            IF strpos(name, digit::text) > 0 THEN
              traits := traits || (48 + digit);
            END IF;
          END LOOP;
        END IF;
        RETURN traits;
      END $$`);
    await rebuildBands(runner, [GRAMS, TRAITS]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await rebuildBands(runner, [GRAMS]);
    await runner.query('DROP FUNCTION domain_traits(text, smallint, smallint, date)');
  }
}

async function rebuildBands(runner: QueryRunner, columns: readonly string[]): Promise<void> {
  // Memory of the server, as for an import: with the default of 64 MB, the build of ten million names takes half as long again.
  await runner.query(`SET maintenance_work_mem = '512MB'`);
  for (const { from, condition } of BANDS)
    await replaceIndex(
      runner,
      `domain_band_${from}`,
      columns.length,
      `USING gin (${columns.join(', ')}) WITH (fastupdate = on) WHERE available AND NOT hidden AND ${condition}`,
    );
  await runner.query('RESET maintenance_work_mem');
}

/** Readers have the one index or the other at any time. */
async function replaceIndex(
  runner: QueryRunner,
  name: string,
  columns: number,
  definition: string,
): Promise<void> {
  if (await isThere(runner, name, columns)) return;
  // TypeORM takes migrations back in a transaction, whatever they say.
  const mode = runner.isTransactionActive ? '' : 'CONCURRENTLY';
  if (!(await isThere(runner, `${name}_new`, columns))) {
    await runner.query(`DROP INDEX ${mode} IF EXISTS ${name}_new`);
    await runner.query(`CREATE INDEX ${mode} ${name}_new ON domain ${definition}`);
  }
  await runner.query(`DROP INDEX ${mode} IF EXISTS ${name}`);
  await runner.query(`ALTER INDEX ${name}_new RENAME TO ${name}`);
}

async function isThere(runner: QueryRunner, name: string, columns: number): Promise<boolean> {
  const found: unknown = await runner.query(
    `SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND indnatts = $2 AND indisvalid`,
    [name, columns],
  );
  return Array.isArray(found) && found.length > 0;
}
