import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What owners are still to be told of their orders: written with the change, deleted once it was told. */
export class CreateOrderNotices1766000265400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE order_notice (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        order_id uuid NOT NULL REFERENCES registration_order (id),
        account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
        type text NOT NULL,
        -- Of the order at that moment.
        state text NOT NULL,
        reason text,
        at timestamptz NOT NULL,
        is_handed_over boolean NOT NULL DEFAULT false,
        due_at timestamptz NOT NULL,
        failures smallint NOT NULL DEFAULT 0
      )`);
    await runner.query('CREATE INDEX order_notice_due ON order_notice (due_at)');
    await runner.query('CREATE INDEX order_notice_account ON order_notice (account_id)');
    await runner.query(`
      CREATE FUNCTION announce_order_notices() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NOTIFY order_notice;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER announce_order_notices AFTER INSERT ON order_notice
        FOR EACH STATEMENT EXECUTE FUNCTION announce_order_notices()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE order_notice');
    await runner.query('DROP FUNCTION announce_order_notices()');
  }
}
