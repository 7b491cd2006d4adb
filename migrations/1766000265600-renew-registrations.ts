import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Orders that renew a registered name, its reminders, a consent to renew it, and its cancelling within the window. */
export class RenewRegistrations1766000265600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE registration_order
        -- The order that registered the name; null for one that registers.
        ADD COLUMN renews uuid REFERENCES registration_order (id),
        -- The last reminder: 90, 30 or 7 days before the end.
        ADD COLUMN reminded_days smallint,
        -- The consent of a person to renew it: who, when, up to which price, to which agreements.
        ADD COLUMN auto_renew jsonb,
        -- Until when the registrar gives the fee back, and when its customer asked for it.
        ADD COLUMN cancel_until timestamptz,
        ADD COLUMN cancel_asked_at timestamptz`);
    await runner.query(`
      CREATE INDEX registration_order_expiry ON registration_order (expires_at)
        WHERE state = 'registered' AND renews IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX registration_order_expiry');
    await runner.query(`
      ALTER TABLE registration_order
        DROP COLUMN renews, DROP COLUMN reminded_days, DROP COLUMN auto_renew, DROP COLUMN cancel_until,
        DROP COLUMN cancel_asked_at`);
  }
}
