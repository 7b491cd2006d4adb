import type { MigrationInterface, QueryRunner } from 'typeorm';
import { bandCondition, SCORE_BANDS } from '../src/domains/discovery/score-bands.js';

/** What discovery leans on: the pieces of a name, an index of them for each band of scores, and the rank itself. */
export class CreateDiscoveryIndexes1765000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The suffix as one token, and every piece of three and four characters of ^name$. The marks make the beginning and the
    // end of a name ordinary pieces. src/domains/discovery/pattern-grams.ts cuts patterns in the same way.
    // A loop, not the sub-selects over generate_series that say the same: 4 µs a name instead of 29, which is most of the time
    // that the indexes of ten million names take to build. The cost tells the planner never to compute pieces where an index
    // has them.
    await runner.query(`
      CREATE FUNCTION domain_grams(name text, tld text) RETURNS text[]
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
      DECLARE
        marked text := '^' || name || '$';
        grams text[] := ARRAY['.' || tld];
      BEGIN
        FOR place IN 1 .. length(marked) - 2 LOOP
          grams := grams || substr(marked, place, 3) || substr(marked, place, 4);
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
