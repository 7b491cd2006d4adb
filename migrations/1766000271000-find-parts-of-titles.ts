import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The words of former titles as a text search vector, whose index finds the beginnings of words. */
export class FindPartsOfTitles1766000271000 implements MigrationInterface {
  // Built while the service reads and writes, which no transaction can do; after a kill the next start begins again.
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await replace(runner, 'array_to_tsvector(title_words)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await replace(runner, 'title_words');
  }
}

async function replace(runner: QueryRunner, words: string): Promise<void> {
  const mode = runner.isTransactionActive ? '' : 'CONCURRENTLY';
  await runner.query(`DROP INDEX ${mode} IF EXISTS former_site_titles`);
  await runner.query(`CREATE INDEX ${mode} former_site_titles ON former_site USING gin (${words})`);
}
