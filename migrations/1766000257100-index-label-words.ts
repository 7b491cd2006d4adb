import type { MigrationInterface, QueryRunner } from 'typeorm';

// The limits of the tiers by which grams are searched, with those of their indexes.
const TIERS: readonly (readonly [from: number, to: number | null])[] = [
  [1_000, null],
  [300, 999],
  [100, 999],
  [10, 99],
  [1, 9],
  [0, 0],
];

/** Names on offer by the words of their labels, an index for each score tier; and the names that are not cut yet. */
export class IndexLabelWords1766000257100 implements MigrationInterface {
  // Built while the service reads and writes, which no transaction can do; after a kill the next start begins again.
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS domain_uncut');
    await runner.query('CREATE INDEX CONCURRENTLY domain_uncut ON domain (domain) WHERE words IS NULL');
    for (const [from, to] of TIERS) {
      const upper = to === null ? '' : ` AND wayback <= ${to}`;
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS domain_words_${from}`);
      await runner.query(
        `CREATE INDEX CONCURRENTLY domain_words_${from} ON domain USING gin (words) WITH (fastupdate = on)
          WHERE available AND NOT hidden AND wayback >= ${from}${upper} AND words IS NOT NULL`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP INDEX ${TIERS.map(([from]) => `domain_words_${from}`).join(', ')}, domain_uncut`,
    );
  }
}
