import type { MigrationInterface, QueryRunner } from 'typeorm';
import { bandCondition, SCORE_BANDS } from '../src/domains/discovery/score-bands.js';

/** What discovery leans on: the pieces of a name, an index of them for each band of scores, and the rank itself. */
export class CreateDiscoveryIndexes1765000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The pieces of a name: every three and every four characters of ^name$, and the first four of .suffix$, each as the
    // number that its bytes make. The marks make the beginning and the end of a name ordinary pieces.
    // src/domains/discovery/pattern-grams.ts cuts patterns in the same way. Numbers and not text, which GIN takes 1.7 times as
    // long to sort; a loop and not generate_series, which takes seven times as long: together they are most of the time
    // in which ten million names are indexed. The cost tells the planner never to compute pieces where an index has them.
    await runner.query(`
      CREATE FUNCTION domain_grams(name text, tld text) RETURNS integer[]
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
      DECLARE
        name_bytes bytea := convert_to('^' || name || '$', 'UTF8');
        suffix bytea := convert_to('.' || tld || '$', 'UTF8');
        grams integer[] := ARRAY[
          (get_byte(suffix, 0) << 24) | (get_byte(suffix, 1) << 16) | (get_byte(suffix, 2) << 8) | get_byte(suffix, 3)];
        last_four integer := (get_byte(name_bytes, 0) << 8) | get_byte(name_bytes, 1);
      BEGIN
        FOR place IN 2 .. length(name_bytes) - 1 LOOP
          last_four := (last_four << 8) | get_byte(name_bytes, place);
          grams := grams || last_four || (last_four & x'ffffff'::integer);
        END LOOP;
        RETURN grams;
      END $$`);

    // fastupdate = off: a list of pending entries would have to be read by every search until VACUUM comes by.
    for (const band of SCORE_BANDS) {
      await runner.query(`
        CREATE INDEX ${band.index} ON domain USING gin (domain_grams(name, tld)) WITH (fastupdate = off)
        WHERE ${bandCondition(band)}`);
    }

    // Serves patterns that match so many names that the best ones are soon met in the order of rank, and searches without a
    // pattern. The suffix comes first, so that a rare one is read alone; several are merged.
    await runner.query(
      `CREATE INDEX domain_rank ON domain (tld, wayback DESC, domain) WHERE available AND NOT hidden`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX domain_rank`);
    for (const band of SCORE_BANDS) await runner.query(`DROP INDEX ${band.index}`);
    await runner.query(`DROP FUNCTION domain_grams(text, text)`);
  }
}
