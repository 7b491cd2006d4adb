import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What discovery and search lean on: the n-grams of a name, an index of them for each band of scores, and the orders. */
export class CreateSearchIndexes1765900010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The n-grams of a name: every three and every four characters of ^name$, and the first four of .suffix$, each as the
    // number that its bytes make. The marks make the beginning and the end of a name ordinary n-grams.
    // src/domains/discovery/pattern-grams.ts cuts patterns in the same way. Numbers and not text, which GIN takes 1.7 times as
    // long to sort; a loop and not generate_series, which takes seven times as long: together they are most of the time
    // in which ten million names are indexed. The cost tells the planner never to compute n-grams where an index has them.
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

    // One index a band of src/domains/discovery/score-bands.ts, whose conditions are spelled in the same way for the planner
    // to see that they agree. fastupdate = off: a list of pending entries would be read by every search until VACUUM comes by.
    await runner.query(`
      CREATE INDEX domain_band_10000 ON domain USING gin (domain_grams(name, tld)) WITH (fastupdate = off)
      WHERE available AND NOT hidden AND wayback >= 10000`);
    await runner.query(`
      CREATE INDEX domain_band_1000 ON domain USING gin (domain_grams(name, tld)) WITH (fastupdate = off)
      WHERE available AND NOT hidden AND wayback >= 1000 AND wayback <= 9999`);
    await runner.query(`
      CREATE INDEX domain_band_100 ON domain USING gin (domain_grams(name, tld)) WITH (fastupdate = off)
      WHERE available AND NOT hidden AND wayback >= 100 AND wayback <= 999`);
    await runner.query(`
      CREATE INDEX domain_band_10 ON domain USING gin (domain_grams(name, tld)) WITH (fastupdate = off)
      WHERE available AND NOT hidden AND wayback >= 10 AND wayback <= 99`);
    await runner.query(`
      CREATE INDEX domain_band_1 ON domain USING gin (domain_grams(name, tld)) WITH (fastupdate = off)
      WHERE available AND NOT hidden AND wayback >= 1 AND wayback <= 9`);
    await runner.query(`
      CREATE INDEX domain_band_0 ON domain USING gin (domain_grams(name, tld)) WITH (fastupdate = off)
      WHERE available AND NOT hidden AND wayback >= 0 AND wayback <= 0`);

    // Serves patterns that match so many names that the best ones are soon met in the order of rank, and searches without a
    // pattern. The suffix comes first, so that a rare one is read alone; several are merged.
    await runner.query(
      `CREATE INDEX domain_rank ON domain (tld, wayback DESC, domain) WHERE available AND NOT hidden`,
    );
    // Search's other orders (by name, the primary key serves). Names of one day or one length come by rank. Both hold the
    // domain, so that filters are answered by the index alone.
    await runner.query(`
      CREATE INDEX domain_first_seen ON domain (first_seen DESC NULLS LAST, wayback DESC, domain)
      WHERE available AND NOT hidden`);
    await runner.query(`
      CREATE INDEX domain_length ON domain (length, wayback DESC, domain)
      WHERE available AND NOT hidden`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX domain_length, domain_first_seen, domain_rank`);
    await runner.query(
      `DROP INDEX domain_band_0, domain_band_1, domain_band_10, domain_band_100, domain_band_1000, domain_band_10000`,
    );
    await runner.query(`DROP FUNCTION domain_grams(text, text)`);
  }
}
