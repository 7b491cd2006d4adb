import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A connection string can give a connection any name. One that does not say which release it is of counts as the
 * first, whatever its name is.
 */
export class NameEveryRelease1766000256000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      refuseOlderRelease(
        '',
        `format('Stop it, and start the newer release. By hand: SET application_name = ''bowerbird/%s''.', oldest_served)`,
      ),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      refuseOlderRelease(
        `
        IF name NOT LIKE 'bowerbird%' THEN RETURN NULL; END IF;`,
        `'Stop it, and start the newer release.'`,
      ),
    );
  }
}

const refuseOlderRelease = (exception: string, hint: string) => `
      CREATE OR REPLACE FUNCTION refuse_older_release() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        name text := current_setting('application_name');
        own integer := coalesce(substring(name FROM '^bowerbird/([0-9]+)')::integer, 1);
        oldest_served integer;
      BEGIN${exception}
        SELECT oldest INTO oldest_served FROM schema_epoch;
        IF own < oldest_served THEN
          RAISE EXCEPTION 'this release is too old for the database (epoch %, and % is the oldest that works on it)',
            own, oldest_served USING ERRCODE = '55000', HINT = ${hint};
        END IF;
        RETURN NULL;
      END $$`;
