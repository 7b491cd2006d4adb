import type { MigrationInterface, QueryRunner } from 'typeorm';

const BANDS = ['10000', '1000', '100', '10', '1', '0'].map((from) => `domain_band_${from}`);

/** Pairs of characters, lengths, blocks of weeks and first characters: each is one list of the band indexes, or few. */
export class ListPairsAndLengths1766000239000 implements MigrationInterface {
  // The indexes are built while the service reads and writes (CONCURRENTLY), which no transaction can do. After a kill all is done
  // again by the next start.
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // Two bytes, and with a suffix joined the number of the suffix two bytes above. src/domains/search/pattern-grams.ts has the same
    // numbers.
    await writeGrams(
      runner,
      { of: ' || (last_four & 65535)', joined: ' || (joined | (last_four & 65535))' },
      `
        grams := grams || ((get_byte(name_bytes, 0) << 8) | get_byte(name_bytes, 1));
        IF joined IS NOT NULL THEN
          grams := grams || (joined | (get_byte(name_bytes, 0) << 8) | get_byte(name_bytes, 1));
        END IF;`,
    );
    // The length and the week of the first day, each alone and in blocks of four, as a list of few codes is read faster; and the first
    // byte, one for all digits. src/domains/search/name-traits.ts has the same numbers.
    await writeTraits(
      runner,
      `
          200 + least(length(name), 32),
          300 + least(length(name), 32) / 4,
          400 + greatest(ascii(name), 57),
          1000000 + (first_seen - '0001-01-01') / 28,`,
    );
    await rebuildBands(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await writeGrams(runner);
    await writeTraits(runner);
    await rebuildBands(runner);
  }
}

async function writeGrams(runner: QueryRunner, pairs = { of: '', joined: '' }, first = ''): Promise<void> {
  await runner.query(`
      CREATE OR REPLACE FUNCTION domain_grams(name text, tld text) RETURNS integer[]
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
      DECLARE
        name_bytes bytea := convert_to('^' || name || '$', 'UTF8');
        suffix bytea := convert_to('.' || tld || '$', 'UTF8');
        joined integer := array_position(ARRAY['net.au', 'org.au', 'id.au', 'asn.au', 'au'], tld) << 24;
        grams integer[] := ARRAY[
          (get_byte(suffix, 0) << 24) | (get_byte(suffix, 1) << 16) | (get_byte(suffix, 2) << 8) | get_byte(suffix, 3)];
        last_four integer := (get_byte(name_bytes, 0) << 8) | get_byte(name_bytes, 1);
      BEGIN${first}
        FOR place IN 2 .. length(name_bytes) - 1 LOOP
          last_four := (last_four << 8) | get_byte(name_bytes, place);
          grams := grams || last_four || (last_four & x'ffffff'::integer)${pairs.of};
          IF joined IS NOT NULL THEN
            grams := grams || (joined | (last_four & x'ffffff'::integer))${pairs.joined};
          END IF;
        END LOOP;
        RETURN grams;
      END $$`);
}

async function writeTraits(runner: QueryRunner, added = ''): Promise<void> {
  await runner.query(`
      CREATE OR REPLACE FUNCTION domain_traits(name text, hyphens smallint, digits smallint, first_seen date) RETURNS integer[]
      LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
      DECLARE
        traits integer[] := array_remove(ARRAY[${added}
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
