import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which releases may write on this schema. The database refuses older ones, whatever they know of it: their totals would
 * be wrong, and their workers would take work that they cannot do.
 */
export class CreateSchemaEpoch1766000247100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE schema_epoch (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        -- Of the newest release that has migrated this database, and of the oldest that works on it.
        epoch integer NOT NULL,
        oldest integer NOT NULL,
        CHECK (oldest <= epoch)
      )`);
    await runner.query('INSERT INTO schema_epoch (epoch, oldest) VALUES (2, 1)');
    // The name of a connection is the one thing that a pool by transaction hands on for each client. Connections that
    // are not the service's, such as psql, are not its concern.
    await runner.query(`
      CREATE FUNCTION refuse_older_release() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        name text := current_setting('application_name');
        own integer := coalesce(substring(name FROM '^bowerbird/([0-9]+)')::integer, 1);
        oldest_served integer;
      BEGIN
        IF name NOT LIKE 'bowerbird%' THEN RETURN NULL; END IF;
        SELECT oldest INTO oldest_served FROM schema_epoch;
        IF own < oldest_served THEN
          RAISE EXCEPTION 'this release is too old for the database (epoch %, and % is the oldest that works on it)',
            own, oldest_served USING ERRCODE = '55000', HINT = 'Stop it, and start the newer release.';
        END IF;
        RETURN NULL;
      END $$`);
    // Every change of the totals, and a worker's first sign of life.
    await runner.query(`
      CREATE TRIGGER refuse_older_release BEFORE UPDATE ON dataset
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_release()`);
    await runner.query(`
      CREATE TRIGGER refuse_older_worker BEFORE INSERT OR UPDATE ON work_holder
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_release()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER refuse_older_worker ON work_holder');
    await runner.query('DROP TRIGGER refuse_older_release ON dataset');
    await runner.query('DROP FUNCTION refuse_older_release()');
    await runner.query('DROP TABLE schema_epoch');
  }
}
