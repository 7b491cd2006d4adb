import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Networks that operators block or allow for a time, and who took how much in the last hours. */
export class NetworkRules1766000246010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE network_rule (
        network text PRIMARY KEY,
        verdict text NOT NULL CHECK (verdict IN ('block', 'allow')),
        reason text NOT NULL,
        set_by text NOT NULL,
        set_at timestamptz NOT NULL,
        ends_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE taken_hour (
        hour timestamptz NOT NULL,
        taker text NOT NULL,
        records bigint NOT NULL,
        pages bigint NOT NULL,
        refusals bigint NOT NULL,
        PRIMARY KEY (hour, taker)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE taken_hour');
    await runner.query('DROP TABLE network_rule');
  }
}
