import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Bulk checks are work of the engine. Checks under way are carried over; processes of the previous release may still
 * begin some, and lose them at their next look.
 */
export class QueueBulkChecks1766000211000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE work
        -- Its last run was slow: such keys have places of their own, and cannot take those of the others.
        ADD COLUMN is_slow boolean NOT NULL DEFAULT false`);
    await runner.query('DROP INDEX work_ready_idx');
    await runner.query(
      'CREATE INDEX work_ready_idx ON work (kind, is_slow, turn) WHERE holder IS NULL AND ready',
    );
    await runner.query(`ALTER TABLE bulk_check ALTER COLUMN leased_until SET DEFAULT '-infinity'`);
    await runner.query(`
      CREATE TRIGGER bulk_check_leases_ended BEFORE UPDATE OF leased_until ON bulk_check
        FOR EACH ROW EXECUTE FUNCTION keep_from_previous_release()`);
    await runner.query(`
      CREATE FUNCTION queue_bulk_check() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        -- By then the previous release has noticed that it cannot renew its lease, and asks no more.
        INSERT INTO work (kind, key, lane, due_at) VALUES ('bulk-check', NEW.id::text, NEW.caller, NEW.leased_until)
        ON CONFLICT DO NOTHING;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER bulk_check_of_previous_release AFTER INSERT ON bulk_check
        FOR EACH ROW WHEN (NEW.leased_until > '-infinity') EXECUTE FUNCTION queue_bulk_check()`);
    await runner.query(`
      INSERT INTO work (kind, key, lane, due_at)
      SELECT 'bulk-check', id::text, caller, leased_until FROM bulk_check WHERE NOT is_done`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER bulk_check_of_previous_release ON bulk_check');
    await runner.query('DROP TRIGGER bulk_check_leases_ended ON bulk_check');
    await runner.query('DROP FUNCTION queue_bulk_check()');
    await runner.query(`UPDATE bulk_check SET leased_until = now() WHERE leased_until = '-infinity'`);
    await runner.query('ALTER TABLE bulk_check ALTER COLUMN leased_until DROP DEFAULT');
    await runner.query('DROP INDEX work_ready_idx');
    await runner.query('ALTER TABLE work DROP COLUMN is_slow');
    await runner.query('CREATE INDEX work_ready_idx ON work (kind, turn) WHERE holder IS NULL AND ready');
  }
}
