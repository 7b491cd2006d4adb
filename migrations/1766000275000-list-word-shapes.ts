import type { MigrationInterface, QueryRunner } from 'typeorm';

// The limits of the tiers by which words are searched, with those of their indexes.
const TIERS: readonly (readonly [from: number, to: number | null])[] = [
  [1_000, null],
  [300, 999],
  [100, 999],
  [10, 99],
  [1, 9],
  [0, 0],
];
const ARGUMENTS =
  'words integer[], name text, tld text, hyphens smallint, digits smallint, first_capture date, last_capture date';
const TRAITS =
  'domain_word_traits(words, name, tld, hyphens, digits, archive_first_capture, archive_last_capture)';

/** Lists beside those of words: how many words a label has, its pattern of letters, its years in the archive. */
export class ListWordShapes1766000275000 implements MigrationInterface {
  // Built while the service reads and writes, which no transaction can do; after a kill the next start begins again.
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // src/domains/schema/filters/word-traits.ts has the same numbers.
    await runner.query(`
      CREATE OR REPLACE FUNCTION domain_word_traits(${ARGUMENTS}) RETURNS integer[]
      LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
      DECLARE
        traits integer[] := '{}';
        shape integer;
        shapes integer[];
        joined integer := array_position(ARRAY['net.au', 'org.au', 'id.au', 'asn.au', 'au'], tld) << 20;
      BEGIN
        IF length(name) <= 8 THEN
          traits := traits || (1000000000 +
            ('1' || translate(name, 'aeioubcdfghjklmnpqrstvwxyz0123456789-', '0000011111111111111111111122222222223'))::integer);
        END IF;
        IF words IS NOT NULL THEN
          shape := least(cardinality(array_remove(words, 0)), 7) * 4
            + CASE WHEN words <> '{}' AND 0 <> ALL (words) AND digits = 0 THEN 2 ELSE 0 END
            + CASE WHEN hyphens > 0 THEN 1 ELSE 0 END;
          shapes := ARRAY[4096 + shape, shape * 64 + least(length(name), 32), 16384 + shape * 128 + ascii(name)];
          traits := traits || shapes || ARRAY[joined + shapes[1], joined + shapes[2], joined + shapes[3]];
        END IF;
        IF first_capture IS NOT NULL AND last_capture IS NOT NULL THEN
          traits := traits || (8192 + (extract(year FROM last_capture) - extract(year FROM first_capture) + 1)::integer);
        END IF;
        RETURN array_remove(traits, NULL);
      END $$`);
    await rebuild(runner, `words, ${TRAITS}`, '');
  }

  async down(runner: QueryRunner): Promise<void> {
    await rebuild(runner, 'words', ' AND words IS NOT NULL');
    await runner.query(`DROP FUNCTION domain_word_traits(${ARGUMENTS})`);
  }
}

/** Readers have the one index or the other at any time. */
async function rebuild(runner: QueryRunner, columns: string, condition: string): Promise<void> {
  // TypeORM takes migrations back in a transaction, whatever they say.
  const mode = runner.isTransactionActive ? '' : 'CONCURRENTLY';
  // Memory of the server, as for an import.
  await runner.query(`SET maintenance_work_mem = '512MB'`);
  for (const [from, to] of TIERS) {
    const index = `domain_words_${from}`;
    const upper = to === null ? '' : ` AND wayback <= ${to}`;
    // What a killed build leaves.
    await runner.query(`DROP INDEX ${mode} IF EXISTS ${index}_new`);
    await runner.query(
      `CREATE INDEX ${mode} ${index}_new ON domain USING gin (${columns}) WITH (fastupdate = on)
        WHERE available AND NOT hidden AND wayback >= ${from}${upper}${condition}`,
    );
    await runner.query(`DROP INDEX ${mode} IF EXISTS ${index}`);
    await runner.query(`ALTER INDEX ${index}_new RENAME TO ${index}`);
  }
  await runner.query('RESET maintenance_work_mem');
}
