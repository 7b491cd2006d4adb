import type { MigrationInterface, QueryRunner } from 'typeorm';

const BANDS = ['10000', '1000', '100', '10', '1', '0'].map((from) => `domain_band_${from}`);

/** A pattern that many names have, in a suffix that few names have: both in one list of the band indexes. */
export class JoinGramsAndSuffixes1766000235500 implements MigrationInterface {
  // The indexes are built while the service reads and writes (CONCURRENTLY), which no transaction can do. After a kill all is done
  // again by the next start.
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // Names of all suffixes but .com.au have each three characters once more, with the suffix's number in the byte above: no n-gram of
    // four characters begins with a byte below 36. src/domains/search/pattern-grams.ts has the same numbers.
    await writeFunction(
      runner,
      `
        joined integer := array_position(ARRAY['net.au', 'org.au', 'id.au', 'asn.au', 'au'], tld) << 24;`,
      `
          IF joined IS NOT NULL THEN
            grams := grams || (joined | (last_four & x'ffffff'::integer));
          END IF;`,
    );
    await rebuildBands(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await writeFunction(runner);
    await rebuildBands(runner);
  }
}

async function writeFunction(runner: QueryRunner, declared = '', added = ''): Promise<void> {
  await runner.query(`
      CREATE OR REPLACE FUNCTION domain_grams(name text, tld text) RETURNS integer[]
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
      DECLARE
        name_bytes bytea := convert_to('^' || name || '$', 'UTF8');
        suffix bytea := convert_to('.' || tld || '$', 'UTF8');${declared}
        grams integer[] := ARRAY[
          (get_byte(suffix, 0) << 24) | (get_byte(suffix, 1) << 16) | (get_byte(suffix, 2) << 8) | get_byte(suffix, 3)];
        last_four integer := (get_byte(name_bytes, 0) << 8) | get_byte(name_bytes, 1);
      BEGIN
        FOR place IN 2 .. length(name_bytes) - 1 LOOP
          last_four := (last_four << 8) | get_byte(name_bytes, place);
          grams := grams || last_four || (last_four & x'ffffff'::integer);${added}
        END LOOP;
        RETURN grams;
      END $$`);
}

async function rebuildBands(runner: QueryRunner): Promise<void> {
  // TypeORM takes migrations back in a transaction, whatever they say.
  const mode = runner.isTransactionActive ? '' : 'CONCURRENTLY';
  // Memory of the server, as for an import.
  await runner.query(`SET maintenance_work_mem = '512MB'`);
  for (const index of BANDS) {
    // What a killed build leaves.
    for (const left of ['ccnew', 'ccold'])
      await runner.query(`DROP INDEX ${mode} IF EXISTS ${index}_${left}`);
    await runner.query(`REINDEX INDEX ${mode} ${index}`);
  }
  await runner.query('RESET maintenance_work_mem');
}
