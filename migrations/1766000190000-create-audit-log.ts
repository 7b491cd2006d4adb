import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who changed what, when, why and from where: by operators, and of accounts. */
export class CreateAuditLog1766000190000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE audit_log (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- Such as operator:alice, account:<id>, command:root, stripe.
        actor text NOT NULL CHECK (length(actor) BETWEEN 1 AND 200),
        -- Such as domain.hide.
        action text NOT NULL CHECK (length(action) BETWEEN 1 AND 100),
        -- What it was done to, such as domain:surf.com.au or account:<id>.
        subject text NOT NULL CHECK (length(subject) BETWEEN 1 AND 300),
        reason text NOT NULL CHECK (length(reason) <= 600),
        -- The network that it came from, shortened; null for the command line.
        "from" text CHECK (length("from") <= 100)
      )`);
    // What happened to one thing; entries leave by their age.
    await runner.query(`CREATE INDEX audit_log_subject ON audit_log (subject, id DESC)`);
    await runner.query(`CREATE INDEX audit_log_age ON audit_log (at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE audit_log`);
  }
}
