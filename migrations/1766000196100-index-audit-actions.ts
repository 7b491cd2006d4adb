import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the same was done to a thing of late: what strangers can do often is an entry an hour. */
export class IndexAuditActions1766000196100 implements MigrationInterface {
  // The index is built while the service writes (CONCURRENTLY), which no transaction can do. One that a kill left half done is built anew.
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS audit_log_action');
    await runner.query('CREATE INDEX CONCURRENTLY audit_log_action ON audit_log (subject, action, at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX audit_log_action`);
  }
}
