import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the same was done to a thing of late: what strangers can do often is an entry an hour. */
export class IndexAuditActions1766000196100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX audit_log_action ON audit_log (subject, action, at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX audit_log_action`);
  }
}
