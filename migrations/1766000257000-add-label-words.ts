import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The words of each label, as codes; null: not cut yet. The names that are there already are cut in the background,
 * and until then nothing is searched by words.
 */
export class AddLabelWords1766000257000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE domain ADD COLUMN words integer[]');
    await runner.query(`
      CREATE TABLE word_fill (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        is_complete boolean NOT NULL,
        lexicon text,
        after text COLLATE "C" NOT NULL DEFAULT ''
      )`);
    await runner.query('INSERT INTO word_fill (is_complete) SELECT NOT EXISTS (SELECT FROM domain)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE word_fill');
    await runner.query('ALTER TABLE domain DROP COLUMN words');
  }
}
