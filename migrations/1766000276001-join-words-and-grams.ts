import type { MigrationInterface, QueryRunner } from 'typeorm';

// The limits of the tiers by which names are searched, with those of their indexes.
const TIERS: readonly (readonly [from: number, to: number | null])[] = [
  [1_000, null],
  [300, 999],
  [100, 999],
  [10, 99],
  [1, 9],
  [0, 0],
];
const GRAMS = 'domain_grams(name, tld), domain_traits(name, hyphens, digits, first_seen)';
const WORDS =
  'words, domain_word_traits(words, name, tld, hyphens, digits, archive_first_capture, archive_last_capture)';

/** Grams and words in one index: PostgreSQL joins no lists of two whose predicates share a condition. */
export class JoinWordsAndGrams1766000276001 implements MigrationInterface {
  // Built while the service reads and writes, which no transaction can do; after a kill the next start begins again.
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await build(runner, 'domain_band', `${GRAMS}, ${WORDS}`);
    for (const [from] of TIERS)
      await runner.query(`DROP INDEX ${modeOf(runner)} IF EXISTS domain_words_${from}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await build(runner, 'domain_words', WORDS);
    await build(runner, 'domain_band', GRAMS);
  }
}

/** Readers have the one index or the other at any time. */
async function build(runner: QueryRunner, name: string, columns: string): Promise<void> {
  const mode = modeOf(runner);
  // Memory of the server, as for an import.
  await runner.query(`SET maintenance_work_mem = '512MB'`);
  for (const [from, to] of TIERS) {
    const index = `${name}_${from}`;
    const upper = to === null ? '' : ` AND wayback <= ${to}`;
    // What a killed build leaves.
    await runner.query(`DROP INDEX ${mode} IF EXISTS ${index}_new`);
    await runner.query(
      `CREATE INDEX ${mode} ${index}_new ON domain USING gin (${columns}) WITH (fastupdate = on)
        WHERE available AND NOT hidden AND wayback >= ${from}${upper}`,
    );
    await runner.query(`DROP INDEX ${mode} IF EXISTS ${index}`);
    await runner.query(`ALTER INDEX ${index}_new RENAME TO ${index}`);
  }
  await runner.query('RESET maintenance_work_mem');
}

/** TypeORM takes migrations back in a transaction, whatever they say. */
function modeOf(runner: QueryRunner): string {
  return runner.isTransactionActive ? '' : 'CONCURRENTLY';
}
