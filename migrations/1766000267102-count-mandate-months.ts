import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts what a mandate has spent of each month: the sum over its orders took longer with each of them, while the next
 * ones waited for the mandate's lock. The triggers count for a process of the previous release as well.
 *
 * A new database gets the column `mandate_id` by a later migration: only bodies of functions name it.
 */
export class CountMandateMonths1766000267102 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE mandate_month (
        mandate_id uuid NOT NULL,
        -- Its first day.
        month date NOT NULL,
        -- Of holds that were not released.
        cents bigint NOT NULL,
        PRIMARY KEY (mandate_id, month)
      ) WITH (fillfactor = 50)`);
    // A calendar month of UTC+10, which is what the pages call a day as well.
    await runner.query(`
      CREATE FUNCTION mandate_month_of(at timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN date_trunc('month', at AT TIME ZONE 'Australia/Brisbane')::date`);
    await runner.query(`
      CREATE FUNCTION mandate_spend() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO mandate_month AS known (mandate_id, month, cents)
        SELECT NEW.mandate_id, mandate_month_of(NEW.approved_at), NEW.total_cents WHERE NEW.mandate_id IS NOT NULL
        ON CONFLICT (mandate_id, month) DO UPDATE SET cents = known.cents + excluded.cents;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE FUNCTION mandate_give_back() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE mandate_month SET cents = mandate_month.cents - NEW.cents FROM registration_order AS ordered
         WHERE ordered.id = NEW.id AND mandate_month.mandate_id = ordered.mandate_id
           AND month = mandate_month_of(ordered.approved_at);
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER registration_order_spends AFTER UPDATE OF approved_at ON registration_order
        FOR EACH ROW WHEN (OLD.approved_at IS NULL AND NEW.approved_at IS NOT NULL)
        EXECUTE FUNCTION mandate_spend()`);
    await runner.query(`
      CREATE TRIGGER ledger_hold_gives_back AFTER UPDATE ON ledger_hold
        FOR EACH ROW WHEN (NEW.state = 'released') EXECUTE FUNCTION mandate_give_back()`);
    await runner.query(`
      INSERT INTO mandate_month (mandate_id, month, cents)
      SELECT (to_jsonb(ordered) ->> 'mandate_id')::uuid, mandate_month_of(approved_at), sum(hold.cents)
        FROM registration_order AS ordered JOIN ledger_hold AS hold ON hold.id = ordered.id
       WHERE to_jsonb(ordered) ->> 'mandate_id' IS NOT NULL AND hold.state <> 'released' GROUP BY 1, 2`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER registration_order_spends ON registration_order');
    await runner.query('DROP TRIGGER ledger_hold_gives_back ON ledger_hold');
    await runner.query('DROP FUNCTION mandate_spend(), mandate_give_back(), mandate_month_of(timestamptz)');
    await runner.query('DROP TABLE mandate_month');
  }
}
