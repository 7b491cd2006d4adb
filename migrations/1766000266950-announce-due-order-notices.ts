import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Only a notice that is due is announced: most orders of programs are approved before theirs is. */
export class AnnounceDueOrderNotices1766000266950 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER announce_order_notices ON order_notice');
    await runner.query(`
      CREATE TRIGGER announce_order_notices AFTER INSERT ON order_notice
        FOR EACH ROW WHEN (NEW.due_at <= NEW.at) EXECUTE FUNCTION announce_order_notices()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER announce_order_notices ON order_notice');
    await runner.query(`
      CREATE TRIGGER announce_order_notices AFTER INSERT ON order_notice
        FOR EACH STATEMENT EXECUTE FUNCTION announce_order_notices()`);
  }
}
