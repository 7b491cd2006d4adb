import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A process that was killed between a score and the dataset left the name in error without another try. The next try
 * uses the score that is kept, or asks the archive again.
 */
export class RetryLostScores1766000261000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE domain SET archive_status = 'pending'
       WHERE archive_status = 'error'
         AND NOT EXISTS (SELECT FROM domain_archive AS kept WHERE kept.domain = domain.domain AND kept.ask_at IS NOT NULL)`);
  }

  /** A try more does no harm. */
  async down(): Promise<void> {}
}
