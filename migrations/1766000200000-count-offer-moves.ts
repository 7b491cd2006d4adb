import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts how many names have left the offer and joined it, ever: of two states of the dataset these say whether it is the same offer
 * still, and how many of its names may have gone since.
 */
export class CountOfferMoves1766000200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dataset
        ADD COLUMN offers_left bigint NOT NULL DEFAULT 0,
        ADD COLUMN offers_joined bigint NOT NULL DEFAULT 0,
        -- From when on every instance counts.
        ADD COLUMN moves_counted_from timestamptz NOT NULL DEFAULT '-infinity'`);
    // Instances of the version before do not count, and may go on for as long as it takes to replace them.
    await runner.query(`
      UPDATE dataset SET moves_counted_from = now() + interval '1 day' WHERE available_records > 0 OR last_event > 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dataset DROP COLUMN offers_left, DROP COLUMN offers_joined, DROP COLUMN moves_counted_from`);
  }
}
